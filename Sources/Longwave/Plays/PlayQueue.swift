import Library
import Wire

/// What is to be written of plays: the newest of each, and what was heard besides. It is bounded, whatever the disk does.
struct PlayQueue: Sendable {
  /// The most plays that wait: a day of ten stations with short tracks.
  static let max = 10_000

  private var plays: [Play.Key: Play] = [:]
  /// Keys of `plays`, in the order in which they came.
  private var order: ArraySlice<Play.Key> = []
  private var heard: [Play.Key: Int64] = [:]
  /// Whether a play waits that is over.
  private(set) var hasEnded = false

  var count: Int { plays.count }
  var isEmpty: Bool { plays.isEmpty && heard.isEmpty }

  /// - Returns: number of plays that are lost, since there is no room for them.
  mutating func put(_ play: Play) -> Int {
    if play.isWhole != nil { hasEnded = true }
    if plays.updateValue(play, forKey: play.key) == nil { order.append(play.key) }
    return bound()
  }

  mutating func hear(_ milliseconds: Int64, of key: Play.Key) {
    heard[key] = (heard[key] ?? 0).saturatingAdd(milliseconds)
    if heard.count > Self.max * 2 { heard = heard.filter { plays[$0.key] != nil } }
  }

  /// Returns all that waits, which waits no more.
  mutating func pop() -> PlayChanges {
    let changes = PlayChanges(plays: order.compactMap { plays[$0] }, heard: heard)
    self = PlayQueue()
    return changes
  }

  /// Takes back what could not be written; what has come meanwhile is newer.
  ///
  /// - Returns: number of plays that are lost.
  mutating func putBack(_ changes: PlayChanges) -> Int {
    let newer = self
    self = PlayQueue()
    var lost = 0
    for play in changes.plays { lost += put(play) }
    for key in newer.order { if let play = newer.plays[key] { lost += put(play) } }
    heard = changes.heard.merging(newer.heard) { $0.saturatingAdd($1) }
    return lost
  }

  /// The oldest go: they are what a report of long ago may miss, and the newest what comes next.
  private mutating func bound() -> Int {
    var lost = 0
    while plays.count > Self.max, let oldest = order.popFirst() {
      (plays[oldest], heard[oldest]) = (nil, nil)
      lost += 1
    }
    return lost
  }
}
