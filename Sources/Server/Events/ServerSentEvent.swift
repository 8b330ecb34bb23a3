/// How the event stream writes an event (HTML Standard, section 9.2.6).
enum ServerSentEvent {
  /// Returns the lines in front of the data. Without an id a client keeps the last one it had.
  static func head(id: UInt64? = nil, kind: String) -> [UInt8] {
    Array(((id.map { "id: \($0)\n" } ?? "") + "event: \(kind)\ndata: ").utf8)
  }

  /// The empty line that ends an event.
  static let end: [UInt8] = [0x0A, 0x0A]

  static func text(kind: String, json: String) -> [UInt8] {
    head(kind: kind) + Array(json.utf8) + end
  }

  /// Returns an event that tells a client how many events went before it could be told.
  static func missed(_ count: UInt64) -> [UInt8] {
    text(kind: "missed", json: "{\"missed\":\(count)}")
  }
}
