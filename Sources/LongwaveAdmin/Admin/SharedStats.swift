import Foundation
import Longwave
import Synchronization

/// What `stats` shows: the server and its stations, or one station.
public struct StatsFigures: Sendable {
  public var stats: JSON = .null
  public var stations: [JSON] = []
  public var station: JSON?
}

/// Asks for the figures.
public struct StatsSource: Sendable {
  let client: AdminClient
  /// The one station that is meant; nil for all.
  let station: String?
  /// Whether the stations are asked for, beside the server's own figures.
  let hasStations: Bool

  public init(client: AdminClient, station: String?, hasStations: Bool) {
    (self.client, self.station, self.hasStations) = (client, station, hasStations)
  }

  public func figures() async throws(AdminError) -> StatsFigures {
    if let station {
      return StatsFigures(station: try await ask(AdminClient.path("stations", station)))
    }
    var figures = StatsFigures(stats: try await ask(AdminClient.path("stats")))
    guard hasStations else { return figures }
    if case .array(let stations)? = try await ask(AdminClient.path("stations"))["stations"] {
      figures.stations = stations
    }
    return figures
  }

  private func ask(_ path: String) async throws(AdminError) -> JSON {
    try await client.request("GET", path) ?? [:]
  }
}

/// The newest figures, between the task that asks and the one that draws.
public final class SharedStats: Sendable {
  private struct State {
    var figures: StatsFigures
    /// Since when the server has not answered, and why.
    var trouble: (since: Date, reason: String)?
  }

  private let state: Mutex<State>

  public init(_ first: StatsFigures) { state = Mutex(State(figures: first)) }

  public var figures: StatsFigures { state.withLock(\.figures) }

  public var trouble: (since: Date, reason: String)? { state.withLock(\.trouble) }

  public func receive(_ figures: StatsFigures) { state.withLock { $0 = State(figures: figures) } }

  public func note(_ reason: String) {
    state.withLock { $0.trouble = ($0.trouble?.since ?? Date(), reason) }
  }
}
