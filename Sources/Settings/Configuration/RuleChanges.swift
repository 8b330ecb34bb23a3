import Programmes
import Wire

/// Rules that a command has put in place of a programme's own, beside its definition.
///
/// They count outside of parts, and in those parts that say nothing else.
package struct RuleChanges: Hashable, Sendable {
  package private(set) var rules = PlayRules()

  package static let keys = ["order", "repeat", "join", "fade", "separate", "loudness"]
  private static let rows = PlayRules.rows.filter { keys.contains($0.name) }

  package init() {}

  /// Reads what `json` has; what is not understood is left out.
  package init(json: JSON) {
    for member in json.members {
      var changes = self
      if (try? changes.change(by: .object([member]), of: nil)) != nil { self = changes }
    }
  }

  /// Changes the rules that a request's body names; null takes a change back.
  ///
  /// - Parameter programme: the programme as it is defined; nil: nothing is checked against it.
  package mutating func change(by body: JSON, of programme: Programme?) throws(RelayError) {
    guard case .object(let members) = body else { throw .badJSON }
    if let stranger = members.first(where: { !Self.keys.contains($0.key) }) {
      throw .badField(stranger.key, KeySuggestion.message(for: stranger.key, among: Self.keys))
    }
    var changed = PlayRules()
    let kept = json.members.filter { old in !members.contains { $0.key == old.key } }
    let problems = SettingReader.Problems(file: "", sections: ConfigurationKeys.sections)
    let all = JSON.object(kept + members).withoutNulls
    let reader = SettingReader(
      SettingNode(json: all), path: "", known: Self.keys, problems: problems)
    // What `separate` leaves out follows from the order, which may be the programme's own.
    let hasOrder = all["order"] != nil
    changed.order = programme?.rules.order
    Self.rows.read(reader, into: &changed)
    if !hasOrder { changed.order = nil }
    if programme != nil { ProgrammeLimits.report(rules: reader) }
    try StationBody.refuse(problems)
    guard let programme else { return rules = changed }
    do throws(ProgrammeProblem) {
      var whole = programme
      whole.rules = whole.rules.replaced(by: changed)
      try whole.validate()
    } catch {
      throw .badField(members.first { $0.value != .null }?.key ?? "order", "\(error)")
    }
    rules = changed
  }

  /// The changed rules, with keys as in a request's body.
  package var json: JSON { Self.rows.written(rules) }

  /// The keys that are changed.
  package var names: [String] { json.members.map(\.key) }

  /// Returns the programme with the changed rules; without them where both together would not do.
  package func applied(to programme: Programme) -> Programme {
    var changed = programme
    changed.rules = programme.rules.replaced(by: rules)
    return (try? changed.validate()) == nil ? programme : changed
  }

  package static let schema = rows.schema()
}
