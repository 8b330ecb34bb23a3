import Reactor

/// What people are told of bodies that are audio in the end, and are not played as they are.
enum Unplayed {
  static let hls = "HLS is not played yet; name the station's plain MP3, AAC or Ogg stream"
  static let input =
    "the playlist names alsa:, which stands in the configuration only; write it as the station's "
    + "upstream:"

  /// - Parameter program: the program that wrote it; nil for another server, which has to send something else.
  static func wav(from program: ProgramCall?) -> String {
    let refusal = "WAV is not relayed as it is"
    guard let program else { return refusal }
    return program.readsInput
      ? "\(refusal); add --encode 192" : "\(refusal); give the station encode: {bitrate: 192}"
  }
}
