import Ingest
import Reactor
import Server
import Store
import Threads
import Timeshift

// The end of a relay: its parts, one after the other.
extension Relay {
  /// Ends every listener between two packets, then ingest, and writes what is still in memory.
  public func stop() async { await stop(Ending()) }

  /// - Parameter ending: knows meanwhile what has not ended.
  package func stop(_ ending: Ending) async {
    let hasRun = isRunning
    isRunning = false
    // First, so that nobody is let in by what ends now: the next process may have the same socket.
    await serving.stopAccepting()
    for task in background { task.cancel() }
    background = []
    onDemand.cancel()
    renditions.endAll()
    soundMeters.stop()
    if hasRun {
      await ending.end(StartWatch.path(in: self.dataPath), of: self) { relay in
        await Blocking.run { [starts = relay.starts, ring = relay.events.ring] in
          starts.stop(hasStarted: true, event: ring.newestID)
        }
      }
    }
    await ending.end("a change of the stations", of: self) { relay in
      await relay.turnstile.enter()
      relay.schedules.cancel()
      relay.turnstile.leave()
    }
    reports.continuation.finish()
    await ending.end("connections, and files on demand", of: self, within: Self.drainSeconds) {
      await $0.serving.drain()
    }
    let recordings = await ending.end("recordings", of: self, within: Self.suspendingSeconds) {
      await $0.recordingRegister.suspend()
    }
    await ending.end("sessions in the database", of: self) {
      await $0.sessionKeeper.keep($0.serving.server)
    }
    await ending.end("upstreams and web services", of: self, within: nil) { relay in
      await relay.serving.end()
      await relay.fallbacks.endAll()
      await relay.programmes.endAll()
      relay.library.stop()
      relay.maker.stop()
      await relay.music.end()
      await relay.ingest.shutdown()
      await relay.webhookList.stop()
    }
    await ending.end("windows", of: self, within: nil) { relay in
      await relay.logs.close(
        Array(relay.stations.byID.values).ownLogs, within: Self.closingSeconds)
    }
    await ending.end("the music library's database", of: self) { await $0.library.end() }
    await ending.end("what programmes have played, in their database", of: self) {
      await $0.plays.close()
    }
    let files = [configuration.log.access, configuration.log.playlist].compactMap(\.self)
    await ending.end("the log files " + files.joined(separator: ", "), of: self) {
      await $0.logFiles.close()
    }
    await ending.end("the database", of: self) { relay in
      await relay.kit.loader.keepTotals(areFinal: true)
      await recordings.value
      await relay.store.close()
      relay.tellLosses()
    }
    await ending.end(
      "windows " + self.logs.busyFolders.joined(separator: ", "), of: self
    ) { relay in
      await Blocking.run { [thread = relay.ingestThread, logs = relay.logs] in
        thread.stop()
        logs.stop()
      }
    }
    await ending.all()
    release()
    events.streams.end()
  }

  /// Seconds that the server has to end its connections: a little more than listeners have.
  private static let drainSeconds = 5.0
  /// Seconds after which recordings write what is left of them beside the rest; the database is closed behind them.
  private static let suspendingSeconds = 6.0
  /// Seconds after which windows that have not been closed are closed beside the rest.
  private static let closingSeconds = 4.0
}
