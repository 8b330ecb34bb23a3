import Ingest
import Server

/// Begins, changes and ends what fills the stations' logs.
struct Fillers {
  let stations: StationTable
  let table: FillerTable
  let onDemand: OnDemand
  let ledger: StationLedger

  /// Begins to fill a station's log, or leaves it at rest until somebody listens.
  func begin(_ station: RelayStation) async {
    guard station.ownLog != nil, let filler = table[station] else { return }
    let id = station.id
    let isPaused = !onDemand.isToRun(station)
    if station.definition.rests { onDemand.demand(of: id).set(isRunning: !isPaused) }
    await filler.begin(station, isPaused: isPaused)
    if !isPaused {
      onDemand.pauseWhenUnwanted(id)
      await onDemand.wakeNeeded(by: station)
    }
    await onDemand.wake(ifRecorded: id)
  }

  /// Takes over what a station has become, for itself and for its renditions.
  func update(_ id: String) async {
    guard let station = stations[id], let filler = table[station] else { return }
    await filler.update(station)
    if station.definition.rests {
      onDemand.demand(of: id).set(isRunning: true)
      onDemand.pauseWhenUnwanted(id)
    } else {
      onDemand.forget(id)
      await filler.resume(id)
      // A rendition that is made whenever its original plays has that play now.
      if station.restsWith != nil { await onDemand.wake(id) }
    }
    // A programme may name other stations by now.
    if !station.definition.rests { await onDemand.wakeNeeded(by: station) }
    for made in stations.renditions(of: id) {
      await table[made]?.update(made)
      if made.restsWith == nil { await table[made]?.resume(made.id) }
    }
  }

  /// Ends what fills a station's log.
  func end(_ station: RelayStation) async {
    await table[station]?.end(station.id)
    ledger.stopped(station.id)
  }

  /// Status of a station's incoming side; nil where nothing comes in.
  func status(of id: String) async -> IngestStatus? {
    await table[stations[id]]?.status(of: id)
  }
}
