import Ingest
import Reactor
import Server
import Wire

/// Station definitions as JSON: in request bodies, and in the store.
package enum StationBody {
  /// Reads a whole definition; `null` members count as not given.
  package static func station(_ json: JSON) throws(RelayError) -> StationDefinition {
    try station(json, takingOldNames: false)
  }

  /// Reads a definition that a relay has told; it may be of the configuration, and so name a program.
  package static func told(_ json: JSON) throws(RelayError) -> StationDefinition {
    try lenient(json, takingCommand: true)
  }

  /// Why no definition that does not stand in the configuration may name a program.
  static let noCommand = RelayError.badField(
    "command",
    "is taken from the configuration file only, since it runs a program on the relay's machine; "
      + "write the station there")

  /// Why no such definition may name a sound input.
  static let noSoundInput = RelayError.badField(
    "upstream",
    "alsa: is taken from the configuration file only, since it records on the relay's machine; write "
      + "the station there")

  /// A body is one station.
  private static let noRenditions = RelayError.badField(
    "renditions",
    "is taken from the configuration file only, where it stands for several stations; add each as a "
      + "station with of: and encode:")

  private static func station(
    _ json: JSON, takingOldNames: Bool, takingCommand: Bool = false
  ) throws(RelayError) -> StationDefinition {
    guard case .object = json else { throw RelayError.badJSON }
    let hasCommand = json.members.contains { $0.key == "command" && $0.value != .null }
    if hasCommand, !takingCommand { throw noCommand }
    if json.members.contains(where: { $0.key == "renditions" && $0.value != .null }) {
      throw noRenditions
    }
    // What else is missing there is of no use to know.
    let isSoundInput = json["upstream"].map { SettingNode(json: $0).namesSoundInput } ?? false
    if !takingCommand, isSoundInput { throw noSoundInput }
    let problems = SettingReader.Problems(
      file: "", sections: ConfigurationKeys.sections, takesOldNames: takingOldNames)
    let station = StationDefinition.read(SettingNode(json: json.withoutNulls), path: "", problems)
    try refuse(problems)
    guard let station = station?.0 else { throw RelayError.badJSON }
    if !takingCommand, let refusal = station.kind.refusal { throw refusal }
    return station
  }

  /// Throws the first problem that was noted, with its key as bodies have it.
  static func refuse(_ problems: SettingReader.Problems) throws(RelayError) {
    guard let problem = problems.list.first else { return }
    throw RelayError.badField(SettingKey.json(problem.key), problem.message)
  }

  /// Reads a definition from the store, which an older version may have accepted. Invalid and surplus upstreams are
  /// left out, unless all are invalid; names of recordings stay as they are.
  package static func stored(_ json: JSON) throws(RelayError) -> StationDefinition {
    try lenient(json, takingCommand: false)
  }

  private static func lenient(
    _ json: JSON, takingCommand: Bool
  ) throws(RelayError) -> StationDefinition {
    guard case .object(var members) = json else { throw RelayError.badJSON }
    for index in members.indices {
      switch (members[index].key, members[index].value) {
      case ("upstream", .array(let urls)):
        let good = urls.filter {
          if case .string(let url) = $0 { WebURL.problem(with: url) == nil } else { true }
        }
        let kept = (good.isEmpty ? urls : good).map(withoutHeaderLines)
        members[index].value = .array(Array(kept.prefix(ConfigurationLimits.upstreamsMax)))
      case ("homepage", .string(let url)), ("artwork", .string(let url)):
        if WebURL.problem(with: url) != nil { members[index].value = .null }
      default: break
      }
    }
    return try station(.object(members), takingOldNames: true, takingCommand: takingCommand)
  }

  /// Returns an upstream as an older version understood it, to which a bar was of the path.
  private static func withoutHeaderLines(_ upstream: JSON) -> JSON {
    guard case .string(let url) = upstream, URLText.beforeHeaderLines(url) != nil else {
      return upstream
    }
    return .string(url.replacing("|", with: "%7C"))
  }

  /// Returns a definition in which the members of `patch` replace its own; `null` removes a member.
  package static func patched(
    _ station: StationDefinition, with patch: JSON
  ) throws(RelayError) -> StationDefinition {
    guard case .object(let changes) = patch, case .object(var members) = station.json else {
      throw RelayError.badJSON
    }
    for change in changes {
      members.removeAll { $0.key == change.key }
      members.append(change)
    }
    let changed = try Self.station(
      .object(members), takingOldNames: !changes.contains { $0.key == "record" })
    guard changed.id == station.id else {
      throw RelayError.badField("id", "cannot be changed; add a station with the new id")
    }
    return changed
  }

  /// Returns the patch that turns one definition into another one, for `patched`.
  package static func patch(from before: StationDefinition, to after: StationDefinition) -> JSON {
    guard case .object(let old) = before.json, case .object(let new) = after.json else {
      return [:]
    }
    let gone = old.filter { member in !new.contains { $0.key == member.key } }
    return .object(
      new.filter { !old.contains($0) } + gone.map { JSON.Member(key: $0.key, value: .null) })
  }
}

extension JSON {
  /// The value without null members, also in nested objects and lists: they count as not given.
  package var withoutNulls: JSON {
    if case .array(let items) = self { return .array(items.map(\.withoutNulls)) }
    guard case .object(let members) = self else { return self }
    return .object(
      members.filter { $0.value != .null }.map { .init(key: $0.key, value: $0.value.withoutNulls) })
  }
}

extension StationDefinition {
  /// Returns the member of a request body for a key of the configuration.
  package static func bodyKey(_ key: String) throws(InvalidKey) -> String {
    let known = StationKeys.all.names().filter {
      !["id", "upstream", "command", "renditions"].contains($0)
    }
    guard known.contains(key) else {
      throw InvalidKey(
        description: "--unset \(key): "
          + KeySuggestion.message(
            for: key, among: known, section: "stations", sections: ConfigurationKeys.sections))
    }
    return SettingKey.json(key)
  }

  package struct InvalidKey: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }
}
