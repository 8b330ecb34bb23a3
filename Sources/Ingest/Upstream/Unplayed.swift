import Reactor
import Wire

/// Messages for bodies that are audio, but are not played as they are.
enum Unplayed {
  static let hls = "HLS is not played yet; name the station's plain MP3, AAC or Ogg stream"
  static let input =
    "the playlist names alsa:, which stands in the configuration only; write it as the station's "
    + "upstream:"

  static let wav = "WAV is not relayed as it is"

  /// Why a body that begins with these bytes is not played; nil if they may be audio that is known.
  ///
  /// - Parameter refusal: what is said of WAV.
  static func container(_ bytes: [UInt8], wav refusal: String) -> String? {
    PCMReader.isWAV(bytes) ? refusal : ForeignContainer(beginning: bytes)?.reason
  }

  /// Message for a program's WAV, which can be encoded.
  static func wav(from program: ProgramCall) -> String {
    program.readsInput
      ? "\(wav); add --encode 192" : "\(wav); give the station encode: {bitrate: 192}"
  }
}
