/// An event as the ring keeps it and the stream tells it. There are thousands, so the common beginning of both
/// renderings is stored once.
struct EventFrame: Sendable {
  let id: UInt64
  let kind: String
  let station: String?
  let isOfListener: Bool
  /// Whether strangers are told it who do not name its station.
  let isListed: Bool
  /// The lines in front of the JSON, the JSON without what concerns single listeners, and the different end of the JSON
  /// with it.
  private let text: [UInt8]
  /// Where the JSON begins.
  private let start: Int32
  /// Where the JSON without what concerns single listeners ends.
  private let end: Int32
  /// Up to here both JSONs are the same.
  private let shared: Int32

  init(
    id: UInt64, kind: String, station: String?, isOfListener: Bool, isListed: Bool, json: String,
    identified: String?
  ) {
    self.id = id
    self.kind = kind
    self.station = station
    (self.isOfListener, self.isListed) = (isOfListener, isListed)
    var text = ServerSentEvent.head(id: id, kind: kind)
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

  /// The event with both JSONs as text.
  var event: EventRing.Event {
    EventRing.Event(
      id: id, kind: kind, station: station, isOfListener: isOfListener,
      json: String(decoding: text[Int(start)..<Int(end)], as: UTF8.self),
      identifiedJSON: String(
        decoding: text[Int(start)..<Int(shared)] + text[Int(end)...], as: UTF8.self))
  }

  func write(to bytes: inout [UInt8], isIdentified: Bool) {
    if isIdentified {
      bytes += text[..<Int(shared)]
      bytes += text[Int(end)...]
    } else {
      bytes += text[..<Int(end)]
    }
    bytes += ServerSentEvent.end
  }
}

/// Answer to a reader of the ring.
struct EventFrames: Sendable {
  var frames: [EventFrame] = []
  /// Number of events that went before they could be read.
  var missed: UInt64 = 0
  /// Whether others than listeners' events may be among them.
  var missesOthers = false
  /// Id after which to read on.
  var last: UInt64
  /// The kinds of listeners' events.
  var listenerKinds: Set<String> = []

  /// Returns how many events a client with this filter is told to have missed. Listeners' events that have gone are
  /// nothing to who wants none.
  func missed(of filter: EventFilter) -> UInt64 {
    guard missed > 0, filter.isOfRing else { return 0 }
    return missesOthers || listenerKinds.contains(where: filter.wants) ? missed : 0
  }

  /// Returns what a client with this filter is told; empty for nothing.
  func text(for filter: EventFilter) -> [UInt8] {
    let missed = missed(of: filter)
    var text = missed > 0 ? ServerSentEvent.missed(missed) : []
    for frame in frames where filter.admits(frame) {
      frame.write(to: &text, isIdentified: filter.isIdentified)
    }
    return text
  }
}

extension EventFilter {
  func admits(_ event: EventFrame) -> Bool {
    if let station, event.station != station { return false }
    return isOfRing && wants(event.kind) && (event.isListed || tellsUnlisted)
  }
}
