import Logging
import Threads
import Timeshift

// Another log for a station while it plays.
extension StationKit {
  /// Opens another log for a station whose window begins or ceases to be kept on disk.
  func openAnotherLog(of id: String) async {
    guard let station = stations[id], let old = station.ownLog else { return }
    await fillers.end(station)
    var order = stations.logOrder(of: station.definition, original: station.original)
    order.told = old.edgePosition
    order.goOn(from: NumberNote(of: old, at: .now(), isFinal: true), at: .now())
    let log = await logs.open(order, share: stations.diskShare(stations.ownLogCount))
    await renewLog(of: id, with: log)
  }

  /// Gives a station another log. Audio that was in memory only is lost, and listeners in it are ended; what is on disk
  /// stays there. Recordings of the station go on with what comes into the new log.
  private func renewLog(of id: String, with log: PacketLog) async {
    guard let station = stations[id], let old = station.ownLog else { return }
    await fillers.end(station)
    stations.set(\.log, of: id, to: log)
    stations.followLog(of: id)
    await serving.publish()
    for id in [id] + stations.copies(of: id) { await moveRecordings(of: id) }
    await logs.close([(id, old)])
    await begin([id])
  }

  func moveRecordings(of id: String) async {
    if let station = stations[id] { await recordings.move(to: station) }
  }

  /// Closes a station's log, if it is open, and deletes its files.
  func removeLog(_ id: String, _ log: PacketLog?) async throws(StorageError) {
    if try await logs.remove(id, log) { return }
    logger.warning("\(id): its folder does not answer; its files are deleted when it does")
  }

  // MARK: Logs that could not be opened

  /// Moves logs that are in memory only, since their folder could not be used, to that folder as soon as it can be
  /// used. The received audio comes along, and listeners notice nothing.
  ///
  /// - Returns: whether none is left in memory only.
  func reopen(_ turnstile: Turnstile) async -> Bool {
    var isDone = true
    for id in stations.order where windowWithoutDisk(id) != nil {
      guard await logs.answers(id) else {
        isDone = false
        continue
      }
      await turnstile.enter()
      // The relay may have stopped meanwhile, with every log closed.
      if !Task.isCancelled, await !adoptFolder(id) { isDone = false }
      turnstile.leave()
    }
    return isDone
  }

  /// Moves one log to its folder. False when the folder still cannot be used.
  private func adoptFolder(_ id: String) async -> Bool {
    guard windowWithoutDisk(id) != nil, let station = stations[id], let log = station.log else {
      return true
    }
    let share = stations.diskShare(stations.ownLogCount)
    var order = stations.logOrder(of: station.definition, original: station.original)
    order.goOn(from: NumberNote(of: log, at: .now(), isFinal: false), at: .now())
    let answer = await logs.adoptFolder(log, as: order, share: share)
    if case .unusable = answer { return false }
    if case .other(let log) = answer { await renewLog(of: id, with: log) }
    logs.hub.post(.restored, station: id)
    return true
  }

  /// Returns the window of a station that should be on disk and is not, or whose folder another log has by now. Nil
  /// when all is as it should be.
  private func windowWithoutDisk(_ id: String) -> Double? {
    guard let station = stations[id], let log = station.ownLog,
      !log.isOnDisk || log.isDisplaced
    else { return nil }
    let window = stations.window(of: station.definition)
    return window > 0 ? window : nil
  }
}
