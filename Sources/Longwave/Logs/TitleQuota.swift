import Timeshift

/// Limits the titles per minute of a station in the playlist log, since the upstream decides how often they change.
struct TitleQuota {
  /// Titles per minute of each station; an honest one has a title in two minutes, or tells the time every few seconds.
  static let perMinute = 30

  private var minute: Int64 = 0
  private var counts: [String: Int] = [:]

  /// Counts a title. When a minute ends with it, `leftOut` is how many titles of each station were too many in that
  /// minute.
  mutating func add(
    _ station: String, at time: WallTime
  ) -> (isIn: Bool, leftOut: [(station: String, count: Int)]) {
    let now = time.unixSeconds / 60
    var leftOut: [(station: String, count: Int)] = []
    if now != minute {
      leftOut = self.leftOut
      (minute, counts) = (now, [:])
    }
    counts[station, default: 0] += 1
    return (counts[station, default: 0] <= Self.perMinute, leftOut)
  }

  /// Surplus titles of each station in the current minute.
  var leftOut: [(station: String, count: Int)] {
    counts.filter { $0.value > Self.perMinute }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value - Self.perMinute) }
  }
}
