/// The consequences of another configuration for the existing stations: computed from both, and carried out by
/// `Reload`.
struct ReloadPlan {
  /// All stations that there are to be, in their order.
  let wanted: [StationLoader.Wanted]
  /// Existing stations that are not wanted any more.
  let removed: Set<String>
  /// Stations whose log does not fit their new definition: another station replaces each.
  let replaced: Set<String>
  /// Stations that stay, changed or not.
  private let kept: Set<String>

  /// - Parameter stations: the existing stations.
  init(_ wanted: [StationLoader.Wanted], for stations: [RelayStation]) {
    self.wanted = wanted
    let sources = Dictionary(wanted.map { ($0.definition.id, $0.definition.source) }) { $1 }
    removed = Set(stations.map(\.id).filter { sources[$0] == nil })
    replaced = Set(
      stations.filter { station in
        sources[station.id].map { !$0.kind.hasLog(of: station.definition.kind) } ?? false
      }.map(\.id))
    kept = Set(stations.map(\.id)).subtracting(removed).subtracting(replaced)
  }

  /// The ids of the wanted stations, in their order.
  var order: [String] { wanted.map(\.definition.id) }

  /// Stations to be opened: new ones, and those that replace others.
  var opened: [StationLoader.Wanted] { wanted.filter { !kept.contains($0.definition.id) } }

  /// Stations that stay, as they are to be.
  var staying: [StationLoader.Wanted] { wanted.filter { kept.contains($0.definition.id) } }
}
