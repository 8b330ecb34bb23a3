import Reactor
import Wire

/// What people are told of bodies that are audio in the end, and are not played as they are.
enum Unplayed {
  static let hls = "HLS is not played yet; name the station's plain MP3, AAC or Ogg stream"
  static let input =
    "the playlist names alsa:, which stands in the configuration only; write it as the station's "
    + "upstream:"

  /// Why a body that begins with these bytes is not played; nil if they may be audio that is known.
  static func container(_ bytes: [UInt8], from program: ProgramCall?) -> String? {
    PCMReader.isWAV(bytes) ? wav(from: program) : ForeignContainer(beginning: bytes)?.reason
  }

  /// - Parameter program: the program that wrote it; nil for another server, which has to send something else.
  static func wav(from program: ProgramCall?) -> String {
    let refusal = "WAV is not relayed as it is"
    guard let program else { return refusal }
    return program.readsInput
      ? "\(refusal); add --encode 192" : "\(refusal); give the station encode: {bitrate: 192}"
  }
}
