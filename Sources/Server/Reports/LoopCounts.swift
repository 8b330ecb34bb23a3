import Threads
import Timeshift

/// Why a connection or a request was refused.
public enum RefusalReason: String, Sendable, CaseIterable {
  /// All places of the server are taken.
  case full
  /// The station has all the listeners it takes.
  case stationFull = "station-full"
  /// The address has all that one may have.
  case address
  /// There is no file descriptor, or no memory for a long answer.
  case descriptors
  case memory
  case banned
  /// Rules of addresses or players keep the client out.
  case denied
  /// The station does not allow what is asked for.
  case rights
  /// The station's password, token or web service refused.
  case auth
}

/// Counters of a loop; other threads read them by a hop to the loop.
struct LoopCounts {
  var accepted: UInt64 = 0
  private(set) var refusals = [UInt64](repeating: 0, count: RefusalReason.allCases.count)
  /// Each answered request.
  private(set) var requests = RequestFigures()
  /// From a request's last byte to the first byte that its listener took.
  var firstBytes = DurationCounts()
  var listening = ListeningTimes()

  var refused: UInt64 { refusals.reduce(0, &+) }

  mutating func refuse(_ reason: RefusalReason) {
    refusals[RefusalReason.allCases.firstIndex(of: reason) ?? 0] &+= 1
  }

  mutating func answered(_ route: RequestRoute, _ status: Int, after nanoseconds: Int64) {
    requests.add(route, status, after: nanoseconds)
  }
}

/// A request from its last byte to the beginning of its answer.
struct AskedRequest {
  var route = RequestRoute.idle
  /// When it came, in microseconds.
  var at: UInt32 = 0
}

/// Requests by row and status, and how long their answers took to begin.
public struct RequestFigures: Sendable {
  public struct Answer: Hashable, Sendable {
    public var route: RequestRoute
    public var status: UInt16
  }

  public private(set) var answers: [Answer: UInt64] = [:]
  public private(set) var durations: [RequestRoute: DurationCounts] = [:]

  public init() {}

  public mutating func add(_ route: RequestRoute, _ status: Int, after nanoseconds: Int64) {
    answers[Answer(route: route, status: UInt16(clamping: status)), default: 0] &+= 1
    durations[route, default: DurationCounts()].add(nanoseconds: nanoseconds)
  }

  mutating func add(_ other: RequestFigures) {
    answers.merge(other.answers, uniquingKeysWith: &+)
    durations.merge(other.durations) { one, other in
      var sum = one
      sum.add(other)
      return sum
    }
  }
}

/// How long a loop's listeners have listened, by station: counted when they come and go, in no turn.
struct ListeningTimes {
  private struct Time {
    var listeners = 0
    /// Milliseconds at which listeners left, less those at which listeners came.
    var milliseconds: Int64 = 0
  }

  private var stations: [String: Time] = [:]

  mutating func joined(_ station: String, at now: Int64) {
    stations[station, default: Time()].listeners += 1
    stations[station]?.milliseconds &-= now / 1_000_000
  }

  mutating func left(_ station: String, at now: Int64) {
    guard stations[station] != nil else { return }
    stations[station]?.listeners -= 1
    stations[station]?.milliseconds &+= now / 1_000_000
  }

  /// Forgets stations that are gone, once their listeners are.
  mutating func keep(only table: MountTable) {
    stations = stations.filter { $0.value.listeners > 0 || table.mount(station: $0.key) != nil }
  }

  /// Returns the milliseconds of listeners that have left and of those that listen. They never shrink.
  func milliseconds(at now: Int64) -> [String: Int64] {
    stations.mapValues { $0.milliseconds &+ Int64($0.listeners) &* (now / 1_000_000) }
  }
}
