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
  private let pages = KeptByKey<Route, APIResponse>(keysMax: 16)
  private let histories = KeptByKey<String, Result<[HistoryEntry], APIError>>(keysMax: 4096)

  init(of relay: any RelayControl) { self.relay = relay }

  func stations() async -> [StationSnapshot] {
    await keptStations.value { [relay] in await relay.stationSnapshots() }
  }

  func monitored() async -> MonitoredStations {
    await keptMonitored.value { [self] in
      MonitoredStations(await stations(), await relay.audience())
    }
  }

  func status() async -> IcecastStatusTemplate {
    await keptStatus.value { [self] in
      IcecastStatusTemplate(await monitored().list, await figures())
    }
  }

  func figures() async -> RelayFigures {
    await keptFigures.value { [relay] in await relay.figures() }
  }

  func obstacles() async -> [String] {
    await keptObstacles.value { [relay] in await relay.obstacles() }
  }

  /// A whole answer that is the same for everybody.
  func page(_ route: Route, _ make: @escaping @Sendable () async -> APIResponse) async
    -> APIResponse
  {
    await pages.value(route, make)
  }

  /// As many titles as anybody may ask for.
  func history(of station: String, limit: Int) async throws(APIError) -> [HistoryEntry] {
    // Of stations there are: else every name somebody thinks of would be kept.
    _ = try await relay.stationSnapshot(station)
    let kept = await histories.value(station) { [relay] in
      do throws(APIError) {
        return .success(try await relay.history(of: station, limit: HistoryEntry.limitMax))
      } catch {
        return .failure(error)
      }
    }
    return Array(try kept.get().prefix(limit))
  }

  /// Somebody has changed something, and looks whether it is so.
  func forget() {
    keptStations.forget()
    keptMonitored.forget()
    keptStatus.forget()
    keptFigures.forget()
    keptObstacles.forget()
    pages.forget()
    histories.forget()
  }
}
