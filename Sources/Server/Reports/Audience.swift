import Timeshift
import Wire

/// Listeners in numbers: without names, places and titles, which cost a loop hundreds of times as much.
public struct Audience: Sendable {
  public struct Crowd: Sendable {
    public var listeners = 0
    /// Different addresses.
    public var addresses: Set<String> = []
    /// Sum of the listening times.
    public var seconds = 0.0

    public init() {}

    public mutating func add(_ address: String, seconds: Double) {
      listeners += 1
      addresses.insert(address)
      self.seconds += seconds
    }

    public var figures: Figures {
      var figures = Figures()
      figures.listeners = listeners
      figures.addresses = addresses.count
      figures.seconds = seconds
      return figures
    }

    mutating func add(_ other: Crowd) {
      listeners += other.listeners
      addresses.formUnion(other.addresses)
      seconds += other.seconds
    }
  }

  /// Figures that are told of a crowd.
  public struct Figures: Sendable {
    public var listeners = 0
    /// Number of different addresses.
    public var addresses = 0
    public var seconds = 0.0

    public init() {}

    /// Average listening time of a listener, in seconds.
    public var averageSeconds: Int { listeners == 0 ? 0 : Int(bounded: seconds) / listeners }
  }

  public private(set) var stations: [String: Crowd] = [:]

  public init() {}

  /// The crowd of all stations.
  public var all: Crowd { stations.values.reduce(into: Crowd()) { $0.add($1) } }

  public mutating func add(_ crowd: Crowd, at station: String) {
    stations[station, default: Crowd()].add(crowd)
  }

  mutating func add(_ other: Audience) {
    for (station, crowd) in other.stations { add(crowd, at: station) }
  }
}
