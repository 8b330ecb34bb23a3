/// Parses server-sent events (html.spec.whatwg.org, section 9.2.6), in pieces of any size.
struct EventStreamReader {
  /// The most bytes of a line that are kept; Longwave sends no longer line.
  private static let lineBytesMax = 1 << 20

  struct Event: Hashable {
    var id: String?
    var kind = "message"
    var data = ""
  }

  private var line: [UInt8] = []
  private var event = Event()
  private var hasData = false
  /// Whether a CR has ended the last line; an LF right after it belongs to the same line end.
  private var sawReturn = false

  /// Reads bytes, and returns the events that they complete.
  mutating func feed(_ bytes: Span<UInt8>) -> [Event] {
    var events: [Event] = []
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == 10, sawReturn {
        sawReturn = false
        continue
      }
      sawReturn = byte == 13
      if byte == 10 || byte == 13 {
        if let event = endLine() { events.append(event) }
      } else if line.count < Self.lineBytesMax {
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer { (event, hasData) = (Event(), false) }
      return hasData ? event : nil
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "id": event.id = text
    case "event": event.kind = text
    case "data":
      event.data += hasData ? "\n" + text : text
      hasData = true
    default: break
    }
    return nil
  }
}
