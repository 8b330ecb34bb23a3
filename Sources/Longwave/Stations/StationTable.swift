import Timeshift
import Wire

/// The relay's stations in their order, and the configuration that they belong to.
///
/// Not Sendable: only the relay's actor has it, and the parts that work on that actor.
final class StationTable {
  /// The configuration from a file or a program; a reload replaces it.
  var configuration: Configuration
  /// Ids in the order of the file, then of adding.
  private(set) var order: [String] = [] {
    didSet { children = nil }
  }
  private(set) var byID: [String: RelayStation] = [:]
  /// Ids of the copies and renditions of each station; nil when they have to be looked for anew.
  private var children: [String: [String]]?

  private let unlisted: UnlistedStations

  init(_ configuration: Configuration, unlisted: UnlistedStations = UnlistedStations()) {
    (self.configuration, self.unlisted) = (configuration, unlisted)
  }

  subscript(id: String) -> RelayStation? { byID[id] }

  func station(_ id: String) throws(RelayError) -> RelayStation {
    guard let station = byID[id] else { throw RelayError.unknownStation(id) }
    return station
  }

  var inOrder: [RelayStation] { order.compactMap { byID[$0] } }

  func append(_ stations: [RelayStation]) {
    for station in stations {
      order.append(station.id)
      byID[station.id] = station
    }
    for station in stations { introduce(station.id) }
  }

  func set<Value>(
    _ field: WritableKeyPath<RelayStation, Value>, of id: String, to value: Value
  ) {
    let parent = byID[id]?.definition.parent
    byID[id]?[keyPath: field] = value
    guard (field as AnyKeyPath) == \RelayStation.definition else { return }
    if byID[id]?.definition.parent != parent { children = nil }
    introduce(id)
  }

  /// Removes and returns the stations for which `isOut` is true.
  @discardableResult
  func remove(where isOut: (String) -> Bool) -> [RelayStation] {
    unlisted.tidy { byID[$0] != nil }
    let out = order.filter(isOut)
    order.removeAll(where: isOut)
    return out.compactMap { byID.removeValue(forKey: $0) }
  }

  /// Puts the stations in the order of `ids`.
  func arrange(_ ids: [String]) { order = ids.filter { byID[$0] != nil } }

  // MARK: What the configuration adds

  /// Returns a station's window in seconds.
  func window(of station: StationDefinition) -> Double { configuration.window(of: station) }

  /// Returns the time zone of a station's times.
  func zone(of station: StationDefinition) -> ZoneOffsets {
    station.timeZone ?? configuration.server.timeZone ?? .machine
  }

  func zone(of id: String) -> ZoneOffsets {
    byID[id].map { zone(of: $0.definition) } ?? configuration.server.timeZone ?? .machine
  }

  // MARK: Stations of stations

  /// Returns the stations that are copies of `id`.
  func copies(of id: String) -> [String] {
    children(of: id).filter { !$0.definition.kind.isRendition }.map(\.id)
  }

  /// Returns the stations that are renditions of `id`.
  func renditions(of id: String) -> [RelayStation] {
    children(of: id).filter(\.definition.kind.isRendition)
  }

  private func children(of id: String) -> [RelayStation] {
    let known = children ?? allChildren
    children = known
    return (known[id] ?? []).compactMap { byID[$0] }
  }

  private var allChildren: [String: [String]] {
    Dictionary(grouping: order.filter { byID[$0]?.definition.parent != nil }) {
      byID[$0]?.definition.parent ?? ""
    }
  }

  /// Gives a station its original's definition, and its copies and renditions its own.
  private func introduce(_ id: String) {
    guard let station = byID[id] else { return }
    let original = station.definition.parent.flatMap { byID[$0]?.definition }
    byID[id]?.original = original
    let children = children(of: id).map(\.id)
    for child in children { byID[child]?.original = station.definition }
    for id in [id] + children { unlisted.note(id, isListed: byID[id]?.isListed ?? true) }
  }

  /// Gives the copies of a station the log that the station has now.
  func followLog(of original: String) {
    guard let log = byID[original]?.log else { return }
    for copy in copies(of: original) { set(\.log, of: copy, to: log) }
  }
}
