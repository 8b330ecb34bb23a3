import Timeshift
import Wire

/// What of which file is wanted.
struct FileRequest: Hashable, Sendable {
  /// Below the folder; empty: the file that the mount is.
  var path: String
  /// The packets that begin in it; nil: the file as it is, byte for byte.
  var span: Span?

  struct Span: Hashable, Sendable {
    var from = MediaTime.zero
    /// Not part of it any more; nil: up to the end.
    var to: MediaTime?
    /// From its beginning again, for ever.
    var repeats = false
    /// Which parameter says `from`.
    var fromField = "from"
  }

  /// Reads `at`, or `from`, `to` and `loop`: times in the file.
  init(_ path: String, _ query: HTTPQuery) throws(StreamRequest.Refusal) {
    self.path = path
    for key in ["at", "from", "to", "loop"] where query.count(of: key) > 1 {
      throw .init(field: key, message: "\(key) is given twice; give it once")
    }
    var span = Span()
    if let text = query["at"] {
      if let other = ["from", "to", "loop"].first(where: { query[$0] != nil }) {
        throw .init(
          field: "at", message: "at and \(other) exclude each other; give from in its place")
      }
      span.from = try Self.time(text, "at")
      span.fromField = "at"
      self.span = span
      return
    }
    if query["from"] == nil, query["to"] == nil, query["loop"] == nil { return }
    if let text = query["from"] { span.from = try Self.time(text, "from") }
    if let text = query["to"] {
      let to = try Self.time(text, "to")
      if to <= span.from { throw .init(field: "to", message: "to has to be later than from") }
      span.to = to
    }
    if let text = query["loop"] {
      guard ["0", "1"].contains(text) else {
        throw .init(field: "loop", message: "loop is 1, for ever, or 0")
      }
      span.repeats = text == "1"
    }
    self.span = span
  }

  private static func time(
    _ text: String, _ key: String
  ) throws(StreamRequest.Refusal) -> MediaTime {
    guard let seconds = DurationText.parse(text), seconds >= 0 else {
      throw .init(field: key, message: "\(key) is a time in the file such as 90, 5m or 1h30m")
    }
    return MediaTime(seconds: seconds)
  }
}
