import Ingest
import Logging
import Server
import Timeshift
import Wire

/// Takes over another configuration while everything runs.
struct Reload {
  let stations: StationTable
  let loader: StationLoader
  let fillers: Fillers
  let onDemand: OnDemand
  let windows: StationWindows
  let fallbackRules: FallbackRules
  let serving: Serving
  let recordings: RecordingDesk
  let logs: StationLogs
  let paths: NamedPaths
  /// The data folder.
  let data: String

  static let unnamedFile = "the configuration"

  /// Reads the files that a new configuration names, before it is taken over and before others have to wait.
  func readFiles(of new: Configuration) async throws(RelayError) -> ReloadFiles {
    let read: ReloadFiles
    do {
      let added = try await loader.stored().compactMap { try? $0.definition.get() }
      let (data, tickets) = (data, serving.tickets)
      read = try await paths.look(new.file ?? Self.unnamedFile) {
        ReloadFiles(of: new, data: data, added: added, tickets)
      }
    } catch let error as SilentPath {
      throw .silent(error)
    } catch {
      throw .failed(by: error)
    }
    if let problem = read.problem { throw .badConfiguration(problem) }
    await logs.awaitFolders(opened(by: new))
    return read
  }

  /// Returns the ids of stations whose folders a new configuration has opened.
  private func opened(by new: Configuration) -> [String] {
    new.stations.filter { $0.hasOwnLog && new.window(of: $0) > 0 }.map(\.id).filter { id in
      stations[id]?.ownLog?.isOnDisk != true
    }
  }

  /// Makes the stations what a configuration says; when the store fails, everything stays as before.
  ///
  /// - Parameter read: the files that it names.
  func carryOut(
    _ new: Configuration, _ read: ReloadFiles, _ report: inout ReloadReport
  ) async throws(RelayError) {
    let old = stations.configuration
    stations.configuration = new
    do throws(StoreError) {
      let stored = try await loader.stored()
      let wanted = loader.wanted(stored, of: new, besides: read.refused)
      let plan = ReloadPlan(wanted, for: stations.inOrder)
      report.tell(plan.removed, in: stations.order, inStore: stored)
      // Stations that are replaced stay until the new ones are open.
      await carryOut(plan, opened: try await loader.open(plan.opened), since: old, &report)
      fallbackRules.warn(besides: read.fallbackFormats)
    } catch {
      stations.configuration = old
      throw RelayError.failed(by: error)
    }
  }

  private func carryOut(
    _ plan: ReloadPlan, opened: [RelayStation], since old: Configuration,
    _ report: inout ReloadReport
  ) async {
    let replaced = stations.takeOut(where: plan.replaced.contains)
    report.changed = replaced.map(\.id)
    await loader.put(opened)
    let loaded = opened.map(\.id)
    report.added = loaded.filter { !plan.replaced.contains($0) }
    for (definition, origin) in plan.staying {
      if await change(definition, origin, since: old) { report.changed.append(definition.id) }
    }
    let gone = replaced + stations.takeOut(where: plan.removed.contains)
    stations.arrange(plan.order)
    stations.shareDisk()
    await serving.publish()
    await end(gone)
    for id in loaded {
      if let station = stations[id], !station.isStopped { await fillers.begin(station) }
    }
  }

  /// Ends stations that are gone. Their windows stay, for the day the stations are written down again.
  private func end(_ gone: [RelayStation]) async {
    for station in gone {
      onDemand.forget(station.id)
      await fillers.end(station)
      await recordings.stop(station: station.id)
    }
    await logs.close(gone.ownLogs)
  }

  /// Changes a station that stays. True when something is different from before.
  private func change(
    _ definition: StationDefinition, _ origin: RelayStation.Origin, since old: Configuration
  ) async -> Bool {
    guard let station = stations[definition.id] else { return false }
    let new = stations.configuration
    stations.set(\.definition, of: definition.id, to: definition)
    stations.set(\.origin, of: definition.id, to: origin)
    let before = old.window(of: station.definition)
    let window = new.window(of: definition)
    if definition.hasOwnLog, (before == 0) != (window == 0) {
      await windows.openAnotherLog(of: definition.id)
    }
    if !station.isStopped { await fillers.update(definition.id) }
    return differs(definition, in: new, from: station.definition, in: old)
  }

  /// Whether a station of a new configuration is not what it was in the old one.
  func differs(
    _ definition: StationDefinition, in new: Configuration, from known: StationDefinition,
    in old: Configuration
  ) -> Bool {
    definition != known
      || definition.upstreamSettings(new.upstream) != known.upstreamSettings(old.upstream)
      || definition.listenerSettings(new.listeners) != known.listenerSettings(old.listeners)
      || new.window(of: definition) != old.window(of: known)
  }
}

extension ReloadReport {
  /// Notes stations that are gone: those added by command stay stored.
  mutating func tell(
    _ gone: Set<String>, in order: [String], inStore rows: [StationLoader.Stored]
  ) {
    let kept = Set(rows.map(\.id))
    removed = order.filter { gone.contains($0) && !kept.contains($0) }
    leftOut = order.filter { gone.contains($0) && kept.contains($0) }
  }
}
