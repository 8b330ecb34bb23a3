import Ingest
import Reactor
import Server
import Wire

/// Station definitions as JSON: in request bodies, and in the store.
enum StationBody {
  /// A whole definition; `null` members count as not given.
  static func station(_ json: JSON) throws(APIError) -> StationDefinition {
    try station(json, takingOldNames: false)
  }

  private static func station(
    _ json: JSON, takingOldNames: Bool
  ) throws(APIError) -> StationDefinition {
    guard case .object = json else { throw APIError.badJSON }
    let problems = SettingReader.Problems(file: "", takesOldNames: takingOldNames)
    let station = StationDefinition.read(SettingNode(json: json.withoutNulls), path: "", problems)
    if let problem = problems.list.first {
      throw APIError.badField(SettingKey.json(problem.key), problem.message)
    }
    guard let station else { throw APIError.badJSON }
    return station.0
  }

  /// One that is in the store. Of upstreams that older versions took, those count that can be, and as many as a station
  /// may have; names of recordings stay as they took them.
  static func stored(_ json: JSON) throws(APIError) -> StationDefinition {
    guard case .object(var members) = json else { throw APIError.badJSON }
    for index in members.indices {
      switch (members[index].key, members[index].value) {
      case ("upstream", .array(let urls)):
        let good = urls.filter {
          if case .string(let url) = $0 { WebURL.problem(with: url) == nil } else { true }
        }
        let kept = good.isEmpty ? urls : good
        members[index].value = .array(Array(kept.prefix(ConfigurationLimits.upstreamsMax)))
      case ("homepage", .string(let url)), ("artwork", .string(let url)):
        if WebURL.problem(with: url) != nil { members[index].value = .null }
      default: break
      }
    }
    return try station(.object(members), takingOldNames: true)
  }

  /// A definition with the members of `patch` in the place of its own; `null` takes one away.
  static func patched(
    _ station: StationDefinition, with patch: JSON
  ) throws(APIError) -> StationDefinition {
    guard case .object(let changes) = patch, case .object(var members) = station.json else {
      throw APIError.badJSON
    }
    for change in changes {
      members.removeAll { $0.key == change.key }
      members.append(change)
    }
    let changed = try Self.station(
      .object(members), takingOldNames: !changes.contains { $0.key == "record" })
    guard changed.id == station.id else {
      throw APIError.badField("id", "cannot be changed; add a station with the new id")
    }
    return changed
  }
}

extension StationDefinition {
  /// The definition as `POST /api/v1/stations` takes it.
  public var json: JSON {
    .object(
      ownMembers + access.members + [.init(key: "auth", value: auth?.json ?? .null)]
        + connection.members)
  }

  private var ownMembers: [JSON.Member] {
    let json: JSON = [
      "id": .string(id), "name": JSON(name), "description": JSON(description),
      "genre": JSON(genre), "homepage": JSON(homepage), "artwork": JSON(artwork),
      "upstream": list(upstream), "of": JSON(original), "delay": JSON(source.delay),
      "files": JSON(files?.root), "throttleBypass": JSON(source.throttleBypass),
      "public": .bool(isPublic),
      "mounts": .array(mounts.map(JSON.string)), "window": JSON(window), "burst": JSON(burst),
      "behind": JSON(behind?.rawValue), "maxLag": JSON(lagMax),
      "pauseTimeout": JSON(pauseTimeout), "metaint": JSON(metaint),
      "userAgent": JSON(userAgent), "type": JSON(type?.rawValue),
      "sourcePassword": JSON(sourcePassword),
      "shift": shift.map(JSON.bool) ?? .null, "offsetMax": JSON(offsetMax),
      "clip": clip.map(JSON.bool) ?? .null,
      "maxListeners": JSON(listenersMax),
      "maxListeningTime": JSON(listeningTimeMax), "onDemand": .bool(onDemand),
      "runOn": .number(runOn), "fallback": JSON(fallback?.text),
      "fallbackAfter": .number(fallbackAfter),
      "metadataEncoding": JSON(encoding?.word),
      "metadataCandidates": list(encoding?.candidates ?? []),
      "titlePattern": list(titlePatterns.map(\.text)), "titleShift": .number(titleShift),
      "metadata": metadata?.json ?? .null,
      "record": recordJSON,
      "timeZone": JSON(timeZone?.name),
    ]
    guard case .object(let members) = json else { return [] }
    return members
  }

  private var recordJSON: JSON {
    if !allowsRecording { return .bool(false) }
    return record.isEmpty ? .null : .array(record.map(\.json))
  }

  /// What a file leaves out is null here, so that it counts as not given.
  private func list(_ texts: [String]) -> JSON {
    texts.isEmpty ? .null : .array(texts.map(JSON.string))
  }
}

extension StationSource {
  fileprivate var delay: Double? { if case .copy(_, let delay) = self { delay } else { nil } }

  fileprivate var throttleBypass: Double? {
    if case .files(_, let throttleBypass) = self { throttleBypass } else { nil }
  }
}

extension JSON {
  /// Without members that are null, also of objects in objects and lists: they count as not given.
  var withoutNulls: JSON {
    if case .array(let items) = self { return .array(items.map(\.withoutNulls)) }
    guard case .object(let members) = self else { return self }
    return .object(
      members.filter { $0.value != .null }.map { .init(key: $0.key, value: $0.value.withoutNulls) })
  }
}

extension StationDefinition {
  /// The member of a request body that stands for a key of the configuration.
  public static func bodyKey(_ key: String) throws(InvalidKey) -> String {
    let known = ConfigurationKeys.station.filter { $0 != "id" && $0 != "upstream" }
    guard known.contains(key) else {
      throw InvalidKey(
        description: "--unset \(key): "
          + KeySuggestion.message(for: key, among: known, section: "stations"))
    }
    return SettingKey.json(key)
  }

  public struct InvalidKey: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }
}
