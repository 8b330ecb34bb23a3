import Ingest
import Logging
import Server
import Store
import Timeshift
import Wire

/// Takes over another configuration while everything runs.
struct Reload {
  let kit: StationKit
  let fallbackRules: FallbackRules
  let paths: NamedPaths
  /// The data folder.
  let data: String

  /// Whose turn a reload is.
  static func turn(_ file: String?) -> String { file ?? "the configuration" }
  /// Whose turn a look is, for which no reload waits.
  static func lookTurn(_ file: String?) -> String { "a look at \(turn(file))" }

  /// Reads the files that a new configuration names, before it is taken over and before others have to wait.
  ///
  /// - Parameter name: whose turn it is: see `NamedPaths`.
  func readFiles(
    of new: Configuration, as name: String
  ) async throws(RelayError) -> ReloadFiles {
    let read: ReloadFiles
    do {
      let added = try await kit.loader.stored().compactMap { try? $0.definition.get() }
      let (data, tickets) = (data, kit.serving.tickets)
      read = try await paths.look(name) {
        ReloadFiles(of: new, data: data, added: added, tickets)
      }
    } catch let error as SilentPath {
      throw .silent(error)
    } catch {
      throw .failed(by: error)
    }
    if read.refusal != nil { return read }
    await kit.logs.awaitFolders(opened(by: new))
    return read
  }

  /// Returns the ids of stations whose folders a new configuration has opened.
  private func opened(by new: Configuration) -> [String] {
    new.stations.filter { $0.hasOwnLog && new.window(of: $0) > 0 }.map(\.id).filter { id in
      kit.stations[id]?.ownLog?.isOnDisk != true
    }
  }

  /// Makes the stations what a configuration says; when the store fails, everything stays as before.
  ///
  /// - Parameter read: the files that it names.
  func carryOut(
    _ new: Configuration, _ read: ReloadFiles, _ report: inout ReloadReport
  ) async throws(RelayError) {
    let (stations, old) = (kit.stations, kit.stations.configuration)
    let plan: ReloadPlan
    let opened: [RelayStation]
    do throws(StoreError) {
      plan = try await self.plan(new, read, kit.loader, &report)
      stations.configuration = new
      // Stations that are replaced stay until the new ones are open.
      opened = try await kit.loader.open(plan.opened)
    } catch {
      stations.configuration = old
      throw RelayError.failed(by: error)
    }
    let replaced = stations.remove(where: plan.replaced.contains)
    await kit.loader.put(opened)
    for (definition, origin) in plan.staying { await kit.adopt(definition, origin, since: old) }
    let gone = replaced + stations.remove(where: plan.removed.contains)
    stations.arrange(plan.order)
    await kit.publish()
    for station in gone { await kit.end(station) }
    await kit.loader.keepNumbers(of: gone.filter { stations[$0.id] == nil }, areFinal: true)
    // Their windows stay, for the day the stations are written down again.
    await kit.logs.close(gone.ownLogs)
    await kit.begin(opened.map(\.id))
    fallbackRules.warn(besides: read.fallbackFormats)
  }

  /// Returns what a new configuration means for the stations, and tells it.
  func plan(
    _ new: Configuration, _ read: ReloadFiles, _ loader: StationLoader, _ report: inout ReloadReport
  ) async throws(StoreError) -> ReloadPlan {
    let stored = try await loader.stored()
    let wanted = loader.wanted(stored, of: new, besides: read.refused)
    let plan = ReloadPlan(wanted, for: kit.stations.inOrder)
    report.tell(plan.removed, in: kit.stations.order, inStore: stored)
    report.added = plan.opened.map(\.definition.id).filter { !plan.replaced.contains($0) }
    report.changed =
      kit.stations.order.filter(plan.replaced.contains)
      + plan.staying.map(\.definition).filter { differs($0, in: new) }.map(\.id)
    return plan
  }

  /// Whether a station of a new configuration is not what it is now.
  private func differs(_ definition: StationDefinition, in new: Configuration) -> Bool {
    guard let known = kit.stations[definition.id]?.definition else { return false }
    let old = kit.stations.configuration
    return definition != known
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
