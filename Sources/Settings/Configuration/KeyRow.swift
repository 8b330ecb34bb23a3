import Ingest
import Server

/// When a value that a reload has read counts.
enum KeyEffect: Sendable {
  case now
  /// From the next start on.
  case start
}

/// One key of a section: how its value is read, written as JSON and described, and what it sets.
///
/// Readers, bodies, the store, exports and the API's description know a section's keys only from its table of rows.
struct KeyRow<Owner>: Sendable {
  typealias Effect<Settings> = @Sendable (Owner, inout Settings) -> Void

  /// The name in files, such as `max-lag`.
  let name: String
  /// The value's shape in request bodies.
  let schema: JSON
  /// The hint for a section without the key; nil when the key may be left out.
  var missing: String?
  /// Reads the value into its place, which keeps its default when the key is not given.
  var read: @Sendable (SettingReader, inout Owner) -> Void
  /// The value in request bodies and in the store; null counts as not given.
  var json: @Sendable (Owner) -> JSON
  /// Whether two owners have different values.
  var differs: @Sendable (Owner, Owner) -> Bool = { _, _ in false }
  /// When another value counts that a reload has read.
  var takesEffect = KeyEffect.now
  /// How a station is given the key, and keys below it, by command; none for what only files and bodies have.
  var options: [KeyOption] = []
  /// How the value is shown.
  var shown = Showing.hidden
  /// The keys below it.
  var keys: [String: KeyTree] = [:]
  /// Reports what is wrong with the value beside the values read before.
  var check: @Sendable (SettingReader, Owner) -> Void = { _, _ in }
  /// Puts the station's value into the settings of its listeners.
  var serve: Effect<ListenerSettings> = { _, _ in }
  /// Puts the station's value into the settings of its upstreams.
  var pull: Effect<UpstreamSettings> = { _, _ in }

  /// The name in request bodies, such as `maxLag`.
  var member: String { SettingKey.json(name) }
}

extension KeyRow {
  typealias Place<Value> = any WritableKeyPath<Owner, Value> & Sendable
  typealias Setter<Settings, Value> = @Sendable (inout Settings, Value) -> Void

  /// Makes the row of a value that may be left out; a missing value sets nothing.
  init<Value: SettingValue>(
    _ name: String, _ path: Place<Value?>, _ rule: ValueRule<Value>,
    writing json: @escaping @Sendable (Value) -> JSON = { $0.json },
    serve: Setter<ListenerSettings, Value>? = nil, pull: Setter<UpstreamSettings, Value>? = nil
  ) {
    self.init(
      name: name, schema: Schema.known(rule.schema),
      read: { $0.read(name, into: &$1[keyPath: path], rule) },
      json: { $0[keyPath: path].map(json) ?? .null },
      differs: { $0[keyPath: path] != $1[keyPath: path] }, shown: rule.shown)
    if let serve { self.serve = { if let value = $0[keyPath: path] { serve(&$1, value) } } }
    if let pull { self.pull = { if let value = $0[keyPath: path] { pull(&$1, value) } } }
  }

  /// Makes the row of a value that has a default or is required.
  init<Value: SettingValue>(
    _ name: String, _ path: Place<Value>, _ rule: ValueRule<Value>,
    missing: String? = nil, writing json: @escaping @Sendable (Value) -> JSON = { $0.json },
    pull: Setter<UpstreamSettings, Value>? = nil
  ) {
    self.init(
      name: name, schema: missing == nil ? Schema.known(rule.schema) : rule.schema,
      missing: missing, read: { $0.read(name, into: &$1[keyPath: path], rule) },
      json: { json($0[keyPath: path]) },
      differs: { $0[keyPath: path] != $1[keyPath: path] }, shown: rule.shown)
    if let pull { self.pull = { pull(&$1, $0[keyPath: path]) } }
  }

  /// Makes the row of one value or a list; an empty list sets nothing.
  ///
  /// - Parameter isEmptyWritten: whether a body has an empty list in place of null.
  init<Value: SettingValue>(
    _ name: String, list path: Place<[Value]>, _ rule: ValueRule<Value>,
    endingInColon: Bool = false, isEmptyWritten: Bool = false,
    pull: Setter<UpstreamSettings, [Value]>? = nil
  ) {
    self.init(
      name: name, schema: Schema.severalTexts,
      read: { $0.readList(name, into: &$1[keyPath: path], rule, endingInColon: endingInColon) },
      json: {
        let items = $0[keyPath: path].map(\.json)
        return isEmptyWritten ? .array(items) : .list(items)
      }, differs: { $0[keyPath: path] != $1[keyPath: path] }, shown: rule.shown)
    if let pull {
      self.pull = { if !$0[keyPath: path].isEmpty { pull(&$1, $0[keyPath: path]) } }
    }
  }
}

extension KeyRow {
  /// Returns the row with `check` for its reports.
  func checked(_ check: @escaping @Sendable (SettingReader, Owner) -> Void) -> KeyRow {
    var row = self
    row.check = check
    return row
  }

  /// Returns the row of a value that only a start reads.
  func atStart() -> KeyRow {
    var row = self
    row.takesEffect = .start
    return row
  }

  /// Returns the row of a value that counts only beside another, and is written only there.
  func written(when counts: @escaping @Sendable (Owner) -> Bool) -> KeyRow {
    var row = self
    row.json = { [json] in counts($0) ? json($0) : .null }
    return row
  }

  /// Returns the row for an owner of which this one is a part.
  func within<Outer>(_ part: any WritableKeyPath<Outer, Owner> & Sendable) -> KeyRow<Outer> {
    KeyRow<Outer>(
      name: name, schema: schema, missing: missing, read: { read($0, &$1[keyPath: part]) },
      json: { json($0[keyPath: part]) },
      differs: { differs($0[keyPath: part], $1[keyPath: part]) }, shown: shown, keys: keys,
      check: { check($0, $1[keyPath: part]) })
  }

  /// Returns the row for an owner that contains this one, and reads it as a whole elsewhere.
  func inside<Outer>(_ part: @escaping @Sendable (Outer) -> Owner) -> KeyRow<Outer> {
    KeyRow<Outer>(
      name: name, schema: schema, read: { _, _ in }, json: { json(part($0)) }, options: options,
      shown: shown, keys: keys)
  }
}

extension Array {
  /// Reads every key, the required ones first, and reports which of those are missing.
  func read<Owner>(_ reader: SettingReader, into owner: inout Owner)
  where Element == KeyRow<Owner> {
    for row in self where row.missing != nil { row.read(reader, &owner) }
    for row in self where reader.field(row.name) == nil {
      if let missing = row.missing { reader.report("is missing; \(missing)", key: row.name) }
    }
    for row in self where row.missing == nil {
      row.read(reader, &owner)
      row.check(reader, owner)
    }
  }

  /// Returns the values as members of a body.
  func members<Owner>(of owner: Owner) -> [JSON.Member] where Element == KeyRow<Owner> {
    map { .init(key: $0.member, value: $0.json(owner)) }
  }

  /// Returns the values that are given, as a body has them.
  func written<Owner>(_ owner: Owner) -> JSON where Element == KeyRow<Owner> {
    .object(members(of: owner).filter { $0.value != .null })
  }

  /// Returns the shape of a body with these keys.
  ///
  /// - Parameter isWhole: whether the required keys have to be there.
  func schema<Owner>(isWhole: Bool = true) -> JSON where Element == KeyRow<Owner> {
    Schema.object(
      map { ($0.member, $0.schema) },
      needed: filter { isWhole && $0.missing != nil }.map(\.member))
  }

  func names<Owner>() -> [String] where Element == KeyRow<Owner> { map(\.name) }
}

extension KeyRow {
  /// Makes the row of a section of its own; a section without keys has the defaults.
  init<Section: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Owner, Section?> & Sendable,
    _ rows: [KeyRow<Section>], from empty: Section
  ) {
    self.init(
      name: name, schema: Schema.known(rows.schema()),
      read: { station, owner in
        guard let field = station.field(name) else { return }
        if case .nothing = field.node.content { return }
        let reader = SettingReader(
          field.node, path: station.full(name), known: rows.names(), problems: station.problems)
        guard case .fields = field.node.content else { return }
        var section = empty
        rows.read(reader, into: &section)
        owner[keyPath: path] = section
      },
      json: { owner in owner[keyPath: path].map { .object(rows.members(of: $0)) } ?? .null },
      shown: Showing.hidden, keys: rows.trees())
  }
}

extension KeyRow {
  var tree: KeyTree { KeyTree(shown: shown, keys: keys) }
}

extension Array {
  /// The trees of rows, by the names of their keys.
  func trees<Owner>() -> [String: KeyTree] where Element == KeyRow<Owner> {
    Dictionary(map { ($0.name, $0.tree) }) { $1 }
  }
}

extension KeyRow {
  /// Returns the row of a key that is given by command, too.
  ///
  /// - Parameters:
  ///   - form: nil for what the value's shape in bodies says.
  ///   - placeholder: what stands for the value in help.
  func option(
    _ group: KeyOption.Group, _ help: String, _ placeholder: String? = nil,
    form: KeyOption.Form? = nil
  ) -> KeyRow {
    var row = self
    row.options = [
      KeyOption(
        key: name, group: group, form: form ?? self.form, help: help, placeholder: placeholder)
    ]
    return row
  }

  /// The options of a key of a section, as those of the station that has the section.
  func options(below section: String) -> [KeyOption] {
    options.map { option in
      var option = option
      option.section = section
      return option
    }
  }

  private var form: KeyOption.Form {
    if schema == Schema.known(Schema.flag) { return .flag }
    if schema == Schema.severalTexts { return .list }
    return schema["type"] == ["integer", "null"] ? .number : .text
  }
}
