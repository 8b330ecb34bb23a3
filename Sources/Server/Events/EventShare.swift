/// The newest events of one share of a ring, by growing ids.
struct EventShare {
  private var events: [EventFrame] = []
  /// Place of the oldest event, once the share is full.
  private var first = 0
  private let countMax: Int
  /// Id of the newest event that has gone; 0 while none has.
  private(set) var lastGone: UInt64 = 0

  init(countMax: Int) { self.countMax = countMax }

  var count: Int { events.count }

  subscript(index: Int) -> EventFrame { events[(first + index) % events.count] }

  mutating func append(_ event: EventFrame) {
    guard events.count == countMax else { return events.append(event) }
    lastGone = events[first].id
    events[first] = event
    first = (first + 1) % countMax
  }

  /// Returns the index of the first event after `id`.
  func index(after id: UInt64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].id > id { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
