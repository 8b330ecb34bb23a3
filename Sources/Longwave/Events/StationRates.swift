import Timeshift

/// Bit rates of stations, from bytes counted at two looks.
struct StationRates {
  struct Counted: Hashable {
    /// Bytes from the upstream.
    var received: UInt64
    /// Bytes that listeners' sockets accepted.
    var sent: UInt64
  }

  /// Rates in kbit/s; nil at the first look.
  struct Rates: Hashable {
    var received: Double?
    var sent: Double?
  }

  private var before: [String: (counted: Counted, at: MonotonicTime)] = [:]

  mutating func forget(where isGone: (String) -> Bool) {
    for id in before.keys where isGone(id) { before[id] = nil }
  }

  mutating func rates(of station: String, _ counted: Counted, at now: MonotonicTime) -> Rates {
    let last = before.updateValue((counted, now), forKey: station)
    guard let last, now > last.at else { return Rates() }
    let seconds = now.seconds(since: last.at)
    func rate(_ bytes: UInt64, since old: UInt64) -> Double {
      // A counter that was reset has counted at least this much.
      let more = bytes >= old ? bytes - old : bytes
      return (Double(more) * 8 / 1000 / seconds * 10).rounded() / 10
    }
    return Rates(
      received: rate(counted.received, since: last.counted.received),
      sent: rate(counted.sent, since: last.counted.sent))
  }
}
