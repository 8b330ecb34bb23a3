import Logging
import Server
import Threads
import Timeshift
import Wire

// What a relay does by itself, until it is stopped.
extension Relay {
  func runInBackground() {
    let stream = reports.stream
    background = [
      Task { [weak self] in
        for await report in stream { await self?.take(report) }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(StartLedger.life))) != nil {
          await self?.noteLife()
          await self?.keepTotals()
        }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(10))) != nil {
          await self?.samplePlaces()
          await self?.keepSessions()
        }
      },
      Task { [weak self] in
        var pause = Self.reopenFirstSeconds
        while (try? await Task.sleep(for: .seconds(pause))) != nil {
          guard let isDone = await self?.takeDisk() else { return }
          pause = isDone ? Self.reopenFirstSeconds : min(2 * pause, Self.reopenLastSeconds)
        }
      },
      Task { [storages = logs.storages] in
        while (try? await Task.sleep(for: .seconds(2))) != nil { storages.tellHangs() }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: .seconds(FallbackWatch.lookSeconds))) != nil {
          await self?.attendFallbacks()
        }
      },
    ]
  }

  /// A minute has gone well.
  private func noteLife() async {
    let wasDoubted = starts.expiry.state.isFarOff
    await Blocking.run { [starts] in starts.live() }
    if !wasDoubted { warnOfClock() }
  }

  private func samplePlaces() async {
    if let now = await server?.places() { places.add(now) }
  }

  private func take(_ report: Report) async {
    switch report {
    case .listeners(let changes, let time):
      tally.count(changes)
      for change in changes {
        events.post(RelayEvent.event(of: change, time: time))
        if case .disconnected = change.change { pauseWhenUnwanted(change.station) }
      }
    case .demand(let call, let station): await follow(call, of: station)
    case .headers(let headers, let id):
      guard stations[id]?.headers != headers else { return }
      stations[id]?.headers = headers
      await publish()
    }
  }

  func keepTotals() async {
    let totals = stations.mapValues { UInt64(clamping: $0.counters.total) }
    let positions = stations.compactMapValues { $0.ownLog?.edgePosition }
    do {
      try await store.setListenersTotal(totals)
      try await store.setPositions(positions)
    } catch {
      logger.error("\(error)")
    }
  }

  func warnOfClock() {
    let time = starts.expiry.state
    guard time.isFarOff, let seen = time.seen, let doubt = time.doubt else { return }
    logger.warning(
      "the clock says \(doubt.wall.rfc3339), more than a day away from \(seen.rfc3339), when the relay last ran: nothing is deleted for its age until the clock is set, or has gone on so for a day"
    )
  }
}
