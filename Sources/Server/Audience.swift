import Timeshift
import Wire

/// Who listens, in numbers: without names, places and titles, which cost a loop hundreds of times as much.
public struct Audience: Sendable {
  public struct Crowd: Sendable {
    public var listeners = 0
    /// Each once.
    public var addresses: Set<String> = []
    /// That all of them have listened.
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

  /// What is told of a crowd.
  public struct Figures: Sendable {
    public var listeners = 0
    /// Different ones.
    public var addresses = 0
    public var seconds = 0.0

    public init() {}

    /// Seconds that each has listened.
    public var averageSeconds: Int { listeners == 0 ? 0 : Int(bounded: seconds) / listeners }
  }

  public private(set) var stations: [String: Crowd] = [:]

  public init() {}

  /// Of all stations.
  public var all: Crowd { stations.values.reduce(into: Crowd()) { $0.add($1) } }

  public mutating func add(_ crowd: Crowd, at station: String) {
    stations[station, default: Crowd()].add(crowd)
  }

  mutating func add(_ other: Audience) {
    for (station, crowd) in other.stations { add(crowd, at: station) }
  }
}

extension LoopServer {
  func audience() -> Audience {
    var audience = Audience()
    for case let shard? in shards where !shard.listeners.isEmpty {
      var crowd = Audience.Crowd()
      for listener in shard.listeners {
        crowd.add(connections[listener.slot].address, seconds: secondsListened(listener.slot))
      }
      audience.add(crowd, at: shard.mount.station)
    }
    for slot in fileSlots {
      guard let file = connections[slot].file else { continue }
      var crowd = Audience.Crowd()
      crowd.add(file.client.host, seconds: secondsListened(slot))
      audience.add(crowd, at: file.mount.station)
    }
    return audience
  }
}

extension RelayServer {
  public func audience() async -> Audience {
    var audience = Audience()
    for loop in loops { audience.add(await loop.audience()) }
    return audience
  }
}
