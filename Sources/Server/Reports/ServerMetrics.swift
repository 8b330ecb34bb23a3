import Reactor
import Threads

/// What supervisors are told of the server besides its figures, summed over its loops where nothing else is said.
public struct ServerMetrics: Sendable {
  /// Each loop by itself.
  public var loops: [LoopFigures] = []
  public var requests = RequestFigures()
  /// Refused connections and requests, in the order of `RefusalReason.allCases`.
  public var refusals = [UInt64](repeating: 0, count: RefusalReason.allCases.count)
  /// From a request to listen to the first byte that was taken.
  public var firstBytes = DurationCounts()
  public var loads: [String: StationLoad] = [:]
  /// Sessions with a connection and without one.
  public var sessions = (connected: 0, away: 0)

  public init() {}

  mutating func add(_ other: ServerMetrics) {
    loops += other.loops
    requests.add(other.requests)
    for (index, count) in other.refusals.enumerated() { refusals[index] &+= count }
    firstBytes.add(other.firstBytes)
    loads.merge(other.loads) { before, more in
      var sum = before
      sum.add(more)
      return sum
    }
  }
}
