import Ingest
import Timeshift
import Wire

// Stations whose log becomes another one while they play.
extension Relay {
  /// Opens another log for a station, whose window begins or ceases to be kept on disk.
  func openAnotherLog(of id: String) async {
    guard let station = stations[id], let old = station.ownLog else { return }
    await ingest.stop(station: id)
    let log = await logs.open(
      id, window: configuration.window(of: station.definition), told: old.edgePosition,
      share: diskShare(pulledCount))
    await renewLog(of: id, with: log)
  }

  /// Gives a station another log. What was in memory only is gone, and its listeners, who were somewhere in it, are
  /// ended; what is on disk stays there. What is recorded of it goes on with what comes into the new one.
  private func renewLog(of id: String, with log: PacketLog) async {
    guard let old = stations[id]?.ownLog else { return }
    await ingest.stop(station: id)
    stations[id]?.log = log
    follow(id)
    await publish()
    for id in [id] + copies(of: id) { await moveRecordings(of: id) }
    await logs.close([(id, old)])
    if let renewed = stations[id], !renewed.isStopped { await pull(renewed) }
  }

  func moveRecordings(of id: String) async {
    if let station = stations[id] { await recordingDesk.move(to: station) }
  }

  // MARK: Logs that could not be opened

  /// Tried soon, then less and less often.
  static let reopenFirstSeconds = 2.0
  static let reopenLastSeconds = 60.0

  /// The database and windows that are in memory only, since the disk had no room or could not be used.
  ///
  /// - Returns: whether there are none left.
  func takeDisk() async -> Bool {
    let wasInMemory = store.whyInMemory != nil
    let isDone = await store.takeDisk()
    for loss in store.takeLosses() {
      events.post(
        RelayEvent(
          .storageFailed, time: Moment.now().wall, details: ["reason": .string(loss)]))
    }
    if wasInMemory, isDone { events.post(RelayEvent(.storageRestored, time: Moment.now().wall)) }
    return await reopenWindows() && isDone
  }

  /// Stations that are in memory only since their folder could not be used go on in it as soon as it can. What they have
  /// received comes along, and nobody who listens notices.
  ///
  /// - Returns: whether there are none left.
  func reopenWindows() async -> Bool {
    var isDone = true
    for id in order where windowWithoutDisk(id) != nil {
      guard await logs.answers(id) else {
        isDone = false
        continue
      }
      await turnstile.enter()
      // The relay may have stopped meanwhile, with every log closed.
      if !Task.isCancelled, let window = windowWithoutDisk(id), let log = stations[id]?.log {
        let answer = await logs.takeFolder(
          id, log, window: window, share: diskShare(pulledCount))
        if case .other(let log) = answer {
          await renewLog(of: id, with: log)
        }
        if case .unusable = answer { isDone = false } else { events.post(.restored, station: id) }
      }
      turnstile.leave()
    }
    return isDone
  }

  /// The window of a station that should be on disk and is not, or whose folder is another log's by now; nil: it is as it
  /// should be.
  private func windowWithoutDisk(_ id: String) -> Double? {
    guard let station = stations[id], let log = station.ownLog,
      !log.isOnDisk || log.isDisplaced
    else { return nil }
    let window = configuration.window(of: station.definition)
    return window > 0 ? window : nil
  }
}
