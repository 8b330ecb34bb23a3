import Timeshift
import Wire

/// Which file is wanted, and what of it.
struct FileRequest: Hashable, Sendable {
  /// Path below the folder; empty for the file that the mount is.
  var path: String
  /// Span whose packets are wanted; nil for the file as it is, byte for byte.
  var span: Span?
  /// Whether it is played backwards.
  var isReversed = false

  struct Span: Hashable, Sendable {
    var from = MediaTime.zero
    /// End of the span, which is not part of it; nil for the end of the file.
    var to: MediaTime?
    /// Whether the span goes on from its beginning again, for ever.
    var repeats = false
    /// Parameter that says `from`.
    var fromField = "from"
  }

  /// Asks for a whole file.
  init(path: String) { self.path = path }

  /// Reads `at`, or `from`, `to` and `loop`: times in the file; and `reverse`.
  init(_ path: String, _ query: HTTPQuery) throws(StreamRequest.Refusal) {
    self.path = path
    try QuerySlip.refuse(query, known: ["at", "from", "to", "loop", "reverse"])
    if query["bitrate"] != nil {
      throw .init(field: "bitrate", message: "a file has the bitrate that it has; leave it out")
    }
    isReversed = try ReverseParameter.read(query)
    if isReversed, query["loop"] == "1" {
      throw .init(
        field: "reverse", message: "reverse and loop exclude each other; leave out one of them")
    }
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
