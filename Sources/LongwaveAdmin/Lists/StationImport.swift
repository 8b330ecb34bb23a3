import Ingest
import Longwave
import Wire

/// Decides what happens to each station of a file, given the existing stations.
struct StationImport {
  enum Step: Hashable {
    case add(StationDefinition)
    /// The changes to an existing station.
    case update(String, JSON)
    case keep(String, reason: String)
    case refuse(String)
  }

  /// Whether existing stations are changed to what the file says.
  let isUpdating: Bool
  private let existing: [String: StationDefinition]
  /// The station of each first upstream. Further URLs tell less, since many stations may share a later upstream.
  private var byUpstream: [String: String] = [:]
  /// The station of each URL and name together, for any URL of the station.
  private var byFallback: [Fallback: String] = [:]
  private var naming: StationNaming
  /// The ids that the file has used so far.
  private var seen: Set<String> = []

  init(existing: [StationDefinition], isUpdating: Bool) {
    self.isUpdating = isUpdating
    self.existing = Dictionary(existing.map { ($0.id, $0) }) { first, _ in first }
    naming = StationNaming(taken: Set(existing.map(\.id)))
    for station in existing { remember(station) }
  }

  private struct Fallback: Hashable {
    var url: String
    var name: String

    init(_ url: String, of station: StationDefinition) {
      self.url = url
      name = (station.name ?? station.id).lowercased()
    }
  }

  private mutating func remember(_ station: StationDefinition) {
    let urls = station.upstream.filter { $0 != PushSource.url }
    if let first = urls.first, byUpstream[first] == nil { byUpstream[first] = station.id }
    for url in urls where byFallback[Fallback(url, of: station)] == nil {
      byFallback[Fallback(url, of: station)] = station.id
    }
  }

  /// Returns what happens to the file's next station.
  mutating func step(for candidate: StationCandidate) -> Step {
    if let problem = candidate.problem { return .refuse(problem) }
    if let id = counterpart(of: candidate) {
      guard seen.insert(id).inserted else { return .keep(id, reason: "twice in the list") }
      guard let old = existing[id] else { return .keep(id, reason: "twice in the list") }
      return change(old, to: candidate)
    }
    var station = candidate.definition
    if station.id.isEmpty {
      station.id = naming.reserveID(name: station.name, url: station.upstream.first ?? "")
    }
    seen.insert(station.id)
    remember(station)
    return .add(station)
  }

  /// Returns the existing station that the candidate means. An id decides if the candidate has one; else its first URL,
  /// another URL together with the name, or the name.
  private func counterpart(of candidate: StationCandidate) -> String? {
    let station = candidate.definition
    if !station.id.isEmpty { return existing[station.id] == nil ? nil : station.id }
    if let id = station.upstream.first.flatMap({ byUpstream[$0] }) { return id }
    let others = station.upstream.lazy.compactMap { byFallback[Fallback($0, of: station)] }
    if let id = others.first { return id }
    guard let name = station.name, let id = StationNaming.id(fromName: name), !seen.contains(id),
      let old = existing[id], (old.name ?? id).lowercased() == name.lowercased()
    else { return nil }
    return id
  }

  private func change(_ old: StationDefinition, to candidate: StationCandidate) -> Step {
    let patch = patch(old, candidate)
    if patch.members.isEmpty { return .keep(old.id, reason: "is there already") }
    guard isUpdating else {
      return .keep(old.id, reason: "is there already, and different; --update changes it")
    }
    return .update(old.id, patch)
  }

  /// Returns the changes to a station. A list of streams says nothing about most keys, so those stay.
  private func patch(_ old: StationDefinition, _ candidate: StationCandidate) -> JSON {
    let wanted = candidate.definition
    let has = old.json
    let given = wanted.json.members.filter { member in
      member.key != "id" && member.value != has[member.key] ?? .null
        && (candidate.isWhole || (Self.listKeys.contains(member.key) && member.value != .null))
    }
    return .object(given)
  }

  private static let listKeys: Set<String> = [
    "name", "description", "genre", "homepage", "artwork", "upstream", "userAgent",
    "requestHeaders",
  ]
}
