import Timeshift

/// How many titles a minute a station's upstream gets into the playlist log: it says how often they change.
struct TitleQuota {
  /// Of each station: an honest one has a title in two minutes, or tells the time every few seconds.
  static let perMinute = 30

  private var minute: Int64 = 0
  private var counts: [String: Int] = [:]

  /// Counts a title. `leftOut`: of the minute that has ended with it, how many titles of each station were too many.
  mutating func take(
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

  /// Of the minute that is under way.
  var leftOut: [(station: String, count: Int)] {
    counts.filter { $0.value > Self.perMinute }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value - Self.perMinute) }
  }
}
