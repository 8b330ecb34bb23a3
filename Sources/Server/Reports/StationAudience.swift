import Timeshift
import Wire

/// One station's listeners, counted: how far behind live they are, what they do and what they play with.
public struct StationAudience: Sendable {
  /// Counts by state, as `ListenerSnapshot` tells states.
  public struct States: Hashable, Sendable {
    private var live = 0
    private var shifted = 0
    private var stalled = 0
    private var paused = 0
    private var fallback = 0

    public init() {}

    public subscript(state: ListenerSnapshot.State) -> Int {
      get {
        switch state {
        case .live: live
        case .shifted: shifted
        case .stalled: stalled
        case .paused: paused
        case .fallback: fallback
        }
      }
      set {
        switch state {
        case .live: live = newValue
        case .shifted: shifted = newValue
        case .stalled: stalled = newValue
        case .paused: paused = newValue
        case .fallback: fallback = newValue
        }
      }
    }
  }

  public static let bucketsMax = 64
  /// Shortest bucket: nearer to live, listeners' bursts differ by more than their places.
  private static let secondsMin = 60

  /// Length of a bucket, in whole minutes.
  public let seconds: Int
  /// Listeners by bucket, the one at the live edge first. What lies behind the last counts in it.
  public private(set) var buckets = [Int](repeating: 0, count: bucketsMax)
  public internal(set) var states = States()
  /// Listeners by player; nil for those that sent no name.
  public internal(set) var players: [String?: Int] = [:]

  /// - Parameter window: media seconds that the buckets have to cover.
  public init(window: Double) {
    let minutes = (max(0, window) / Double(Self.bucketsMax * Self.secondsMin)).rounded(.up)
    // A thousand years behind live fit into a bucket of this length.
    seconds = max(1, min(Int(bounded: minutes), 1_000_000)) * Self.secondsMin
  }

  /// Returns the players with the most listeners, and how many listeners the others have.
  public func players(most count: Int) -> (most: [(name: String?, listeners: Int)], other: Int) {
    let sorted = players.sorted { one, other in
      one.value == other.value ? one.key ?? "" < other.key ?? "" : one.value > other.value
    }
    return (
      sorted.prefix(count).map { ($0.key, $0.value) },
      sorted.dropFirst(count).reduce(0) { $0 + $1.value }
    )
  }

  mutating func count(behind: Double) {
    let bucket = Int(bounded: (max(0, behind) / Double(seconds)).rounded(.down))
    buckets[min(bucket, Self.bucketsMax - 1)] += 1
  }

  mutating func add(_ other: StationAudience) {
    for index in buckets.indices { buckets[index] += other.buckets[index] }
    for state in ListenerSnapshot.State.allCases { states[state] += other.states[state] }
    players.merge(other.players, uniquingKeysWith: +)
  }
}
