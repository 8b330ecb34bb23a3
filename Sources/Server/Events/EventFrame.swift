/// An event as the ring keeps it and the stream tells it: by the thousand, so what both renderings begin with stands
/// there once.
struct EventFrame: Sendable {
  let id: UInt64
  let kind: String
  let station: String?
  /// The lines in front of the JSON, the JSON without what concerns single listeners, and behind it how the other one
  /// ends.
  private let text: [UInt8]
  /// Where the JSON begins.
  private let start: Int32
  /// Where the one without what concerns single listeners ends.
  private let end: Int32
  /// Up to here the other one is the same.
  private let shared: Int32

  init(id: UInt64, kind: String, station: String?, json: String, identified: String?) {
    self.id = id
    self.kind = kind
    self.station = station
    var text = Array("id: \(id)\nevent: \(kind)\ndata: ".utf8)
    start = Int32(text.count)
    text += json.utf8
    end = Int32(text.count)
    guard let identified else {
      shared = end
      self.text = text
      return
    }
    let same = zip(json.utf8, identified.utf8).prefix { $0 == $1 }.count
    shared = start + Int32(same)
    self.text = text + identified.utf8.dropFirst(same)
  }

  /// With both JSONs as text.
  var event: EventRing.Event {
    EventRing.Event(
      id: id, kind: kind, station: station,
      json: String(decoding: text[Int(start)..<Int(end)], as: UTF8.self),
      identifiedJSON: String(
        decoding: text[Int(start)..<Int(shared)] + text[Int(end)...], as: UTF8.self))
  }

  /// As server-sent events have it (HTML Standard, section 9.2.6).
  func write(to bytes: inout [UInt8], isIdentified: Bool) {
    if isIdentified {
      bytes += text[..<Int(shared)]
      bytes += text[Int(end)...]
    } else {
      bytes += text[..<Int(end)]
    }
    bytes.append(0x0A)
    bytes.append(0x0A)
  }
}

/// What a cursor in the ring gets.
struct EventFrames: Sendable {
  var frames: [EventFrame] = []
  /// How many went before they could be read.
  var missed: UInt64
  /// Where to read on.
  var last: UInt64

  /// What a client with this filter is told; empty: nothing.
  func text(for filter: EventFilter) -> [UInt8] {
    var text = missed > 0 ? Array(": \(missed) events missed\n\n".utf8) : []
    for frame in frames where filter.admits(frame) {
      frame.write(to: &text, isIdentified: filter.isIdentified)
    }
    return text
  }
}

extension EventFilter {
  func admits(_ event: EventFrame) -> Bool {
    if let station, event.station != station { return false }
    if let kinds, !kinds.contains(event.kind) { return false }
    return true
  }
}
