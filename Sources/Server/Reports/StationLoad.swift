import Timeshift

/// Load that a station's listeners make.
public struct StationLoad: Hashable, Sendable {
  public var listeners = 0
  /// Bytes that all its listeners took, also those that have left.
  public var bytes: UInt64 = 0
  /// How long all its listeners have listened since the start, also those that have left.
  public var listeningMilliseconds: Int64 = 0
  /// Seconds between the live edge and the hindmost live listener; nil when there is none.
  public var lagMax: Double?

  public init() {}

  mutating func add(_ other: StationLoad) {
    listeners += other.listeners
    bytes &+= other.bytes
    listeningMilliseconds &+= other.listeningMilliseconds
    add(lag: other.lagMax)
  }

  mutating func add(lag: Double?) {
    if let lag { lagMax = max(lag, lagMax ?? 0) }
  }
}

/// Bytes that listeners of stations took that are no longer there.
struct StationBytes {
  private(set) var stations: [String: UInt64] = [:]

  mutating func keep(_ bytes: UInt64, of station: String) {
    stations[station, default: 0] &+= bytes
  }

  /// Forgets stations that are gone.
  mutating func keep(only table: MountTable) {
    stations = stations.filter { table.mount(station: $0.key) != nil }
  }

  /// Keeps a listener's bytes at the station it leaves. The listener counts them on at the other one, so they are taken
  /// off there.
  mutating func move(_ bytes: UInt64, from station: String, to other: String) {
    stations[station, default: 0] &+= bytes
    stations[other, default: 0] &-= bytes
  }
}
