import Ingest
import Longwave
import Threads
import Wire

extension AdminClient {
  /// Returns the definitions of a relay's stations, passwords included.
  public func definitions() async throws(AdminError) -> [StationDefinition] {
    let answer = try await request("GET", Self.path("definitions"))
    guard case .array(let items)? = answer?["stations"] else {
      throw AdminError("the server gives no definitions: is it an older one?")
    }
    var stations: [StationDefinition] = []
    for item in items {
      do throws(RelayError) {
        stations.append(try StationBody.told(item))
      } catch {
        throw AdminError("the server's definitions cannot be read: \(error.description)")
      }
    }
    return stations
  }

  /// Imports the stations of a file. An existing station stays, or is changed where `isUpdating`; nothing is removed.
  ///
  /// - Parameter onEntry: Called for each station when it is done.
  public func importStations(
    _ candidates: [StationCandidate], isUpdating: Bool = false, isDryRun: Bool = false,
    onEntry: (ImportReport.Entry) -> Void = { _ in }
  ) async throws(AdminError) -> ImportReport {
    var plan = StationImport(existing: try await definitions(), isUpdating: isUpdating)
    var report = ImportReport(isDryRun: isDryRun)
    for candidate in candidates {
      let entry = await perform(plan.step(for: candidate), candidate, isDryRun)
      report.entries.append(entry)
      onEntry(entry)
    }
    return report
  }

  private func perform(
    _ step: StationImport.Step, _ candidate: StationCandidate, _ isDryRun: Bool
  ) async -> ImportReport.Entry {
    var entry = ImportReport.Entry(
      outcome: .kept, id: nil, label: candidate.label, notes: candidate.notes)
    do throws(AdminError) {
      switch step {
      case .add(let station):
        (entry.id, entry.outcome) = (station.id, .added)
        if !isDryRun {
          _ = try await request("POST", Self.path("stations"), body: station.json)
        }
      case .update(let id, let patch):
        (entry.id, entry.outcome) = (id, .updated)
        if !isDryRun { _ = try await request("PATCH", Self.path("stations", id), body: patch) }
      case .keep(let id, let reason):
        entry.id = id
        entry.notes.append(reason)
      case .refuse(let problem):
        entry.outcome = .failed
        entry.notes.append(problem)
      }
    } catch {
      entry.outcome = .failed
      entry.notes.append("\(error)")
    }
    return entry
  }
}

extension AdminClient {
  /// Returns the ids of the stations, for shells that complete them; empty where no relay answers. The call blocks.
  public func stationIDs() -> [String] {
    let reply = try? send("GET", Self.path("stations"), nil)
    guard case .array(let stations)? = reply.flatMap({ JSON.parse($0.body) })?["stations"] else {
      return []
    }
    return stations.compactMap { if case .string(let id)? = $0["id"] { id } else { nil } }
  }

  /// Adds the nearest id, or what there is, to a refusal of an unknown station.
  func explained(_ error: AdminError) async -> AdminError {
    guard error.code == "unknown-station", let id = error.quoted else { return error }
    let known = await Blocking.run { stationIDs() }
    var error = error
    let meant = known.count <= 5000 ? KeySuggestion.nearest(to: id, among: known) : nil
    let rest =
      meant.map { "did you mean \($0)?" }
      ?? (known.isEmpty
        ? "there are none yet: longwave station add ID URL"
        : "longwave station list shows them")
    error.description = "there is no station \"\(id)\"; \(rest)"
    return error
  }
}

extension AdminError {
  /// What the message has between its quotation marks.
  fileprivate var quoted: String? {
    let parts = description.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }
}
