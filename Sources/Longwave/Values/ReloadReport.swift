import Timeshift
import Wire

/// What a reload has changed.
public struct ReloadReport: Hashable, Sendable {
  public var added: [String] = []
  public var changed: [String] = []
  public var removed: [String] = []
  /// Stations added by command that the new configuration leaves no place for. They stay stored, and come back with
  /// one that does.
  public var leftOut: [String] = []
  /// Sections with new values that are in force now, such as `webhooks`.
  public var settings: [String] = []
  /// Keys whose new values take effect at the next start.
  public var needRestart: [String] = []

  /// The lists, by their names in JSON.
  private static let lists: [(key: String, list: any WritableKeyPath<Self, [String]> & Sendable)] =
    [
      ("added", \.added), ("changed", \.changed), ("removed", \.removed), ("leftOut", \.leftOut),
      ("settings", \.settings), ("needRestart", \.needRestart),
    ]
  package static let keys = lists.map(\.key)

  package var json: JSON {
    .object(
      Self.lists.map { key, list in
        JSON.Member(key: key, value: .array(self[keyPath: list].map(JSON.string)))
      })
  }

  /// Returns the event that tells of the reload, as of now. Strangers are not told of unlisted stations.
  func event(without unlisted: UnlistedStations) -> RelayEvent {
    var event = RelayEvent(.configReloaded, time: Moment.now().wall)
    var shown = self
    for list in [\Self.added, \.changed, \.removed, \.leftOut] {
      shown[keyPath: list].removeAll(where: unlisted.contains)
    }
    event.details = shown.json.members
    if shown != self { event.identity = json.members }
    return event
  }

  /// The report on one line for people.
  public var line: String {
    let stations = [
      ("added", added), ("changed", changed), ("removed", removed),
      ("left out, still stored:", leftOut),
    ].compactMap(Self.part)
    let others = [
      ("new settings:", settings), ("from the next start on:", needRestart),
    ].compactMap(Self.part)
    return ((stations.isEmpty ? ["no station has changed"] : stations) + others)
      .joined(separator: "; ")
  }

  private static func part(_ words: String, _ list: [String]) -> String? {
    list.isEmpty ? nil : "\(words) \(list.joined(separator: ", "))"
  }
}

extension ReloadReport {
  /// Reads the report from the answer of a server.
  public init(_ json: JSON) {
    for (key, list) in Self.lists { self[keyPath: list] = json.texts(key) }
  }
}
