import Longwave
import LongwaveAdmin

// Reads the parts of the server's answers that tables show.
extension JSON {
  /// Returns a member as text, `-` for null; dots in `path` lead to inner members.
  func text(_ path: String) -> String {
    switch member(path) {
    case nil, .null: "-"
    case .string(let text): TerminalText.safe(text)
    case .some(let value): value.text
    }
  }

  func number(_ path: String) -> Double? { member(path)?.double }

  /// A time as people are shown it.
  func time(_ path: String, _ times: ShownTimes) -> String { times.text(text(path)) }

  func duration(_ path: String) -> String { number(path).map(HumanText.duration) ?? "-" }
  func bytes(_ path: String) -> String { number(path).map(HumanText.bytes) ?? "-" }

  var playing: String { self["nowPlaying"]?.titleLine ?? "-" }

  /// Artist and title as one text.
  var titleLine: String {
    let artist = text("artist")
    return artist == "-" ? text("title") : "\(artist) – \(text("title"))"
  }

  /// The format and bitrate, such as `mp3 128k`.
  var format: String {
    let bitrate = text("format.bitrate")
    return bitrate == "-" ? text("format.codec") : "\(text("format.codec")) \(bitrate)k"
  }

  private func member(_ path: String) -> JSON? {
    path.split(separator: ".").reduce(JSON?.some(self)) { $0?[String($1)] }
  }
}
