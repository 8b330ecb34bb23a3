import Server

/// What anybody may ask about stations and listeners. It is copied out once a second at most, however many ask, since
/// what it costs grows with both; administrators are told what is so now.
final class PublicFigures: Sendable {
  private let relay: any RelayControl
  private let keptStations = Kept<[StationSnapshot]>()
  private let keptMonitored = Kept<MonitoredStations>()
  private let keptStatus = Kept<IcecastStatusTemplate>()
  private let keptFigures = Kept<RelayFigures>()
  private let keptObstacles = Kept<[String]>()
  /// A thousand titles each.
  private let histories = KeptByKey<String, Result<[HistoryEntry], APIError>>(keysMax: 128)

  init(of relay: any RelayControl) { self.relay = relay }

  func stations() async -> Versioned<[StationSnapshot]> {
    await keptStations.versioned { [relay] in await relay.stationSnapshots() }
  }

  func monitored() async -> Versioned<MonitoredStations> {
    await keptMonitored.versioned { [self] in
      MonitoredStations(await stations().value, await relay.audience())
    }
  }

  func status() async -> Versioned<IcecastStatusTemplate> {
    await keptStatus.versioned { [self] in
      IcecastStatusTemplate(await monitored().value.list, await figures().value)
    }
  }

  func figures() async -> Versioned<RelayFigures> {
    await keptFigures.versioned { [relay] in await relay.figures() }
  }

  func obstacles() async -> [String] {
    await keptObstacles.value { [relay] in await relay.obstacles() }
  }

  /// As many titles as anybody may ask for.
  func history(of station: String) async throws(APIError) -> Versioned<[HistoryEntry]> {
    // Of stations there are: else every name somebody thinks of would be kept.
    _ = try await relay.stationSnapshot(station)
    let kept = await histories.versioned(station) { [relay] in
      do throws(APIError) {
        return .success(try await relay.history(of: station, limit: HistoryEntry.limitMax))
      } catch {
        return .failure(error)
      }
    }
    return Versioned(value: try kept.value.get(), version: kept.version)
  }

  /// Somebody has changed something, and looks whether it is so.
  func forget() {
    keptStations.forget()
    keptMonitored.forget()
    keptStatus.forget()
    keptFigures.forget()
    keptObstacles.forget()
    histories.forget()
  }
}
