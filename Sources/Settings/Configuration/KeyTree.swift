import Wire

/// A key of the file, with what of its value may be shown and the keys below it.
package struct KeyTree: Sendable {
  var shown = Showing.hidden
  /// The keys below it, by name; none for a key with a value.
  var keys: [String: KeyTree] = [:]
  /// The key that names an entry of a list; nil where entries have only their places.
  var name: String?

  /// A key that nobody knows: its value may be anything.
  fileprivate static let stranger = KeyTree()

  /// A key's value as it is written.
  package struct Value {
    var place = SettingPlace()
    package var line = 1
    package var node: SettingNode
    var tree: KeyTree
  }

  /// Calls `visit` for each value of a section, with the value that the same key has in another file.
  package func walk(
    _ root: SettingNode, beside other: SettingNode?, _ visit: (Value, Value?) -> Void
  ) {
    Value(node: root, tree: self).walk(beside: other.map { Value(node: $0, tree: self) }, visit)
  }

  /// Returns the texts of a file that nobody may see.
  package func secrets(in root: SettingNode) -> Set<String> {
    var secrets: Set<String> = []
    gather(root, into: &secrets)
    return secrets
  }

  /// Texts with fewer bytes say nothing: as an argument of a command, `true` is no secret elsewhere.
  private static let secretBytesMin = 8

  private func gather(_ node: SettingNode, into secrets: inout Set<String>) {
    switch node.content {
    case .fields(let fields) where !keys.isEmpty:
      for field in fields {
        (keys[field.key] ?? Self.stranger).gather(field.node, into: &secrets)
      }
    case .list(let items) where !keys.isEmpty:
      for item in items { gather(item, into: &secrets) }
    case .nothing, .text, .list, .fields:
      if !shown.isWhole { return }
      secrets.formUnion(
        node.texts.filter {
          (Self.secretBytesMin...Secrecy.textBytesMax).contains($0.utf8.count)
        })
    }
  }
}

extension KeyTree.Value {
  fileprivate func walk(
    beside other: KeyTree.Value?, _ visit: (KeyTree.Value, KeyTree.Value?) -> Void
  ) {
    switch content {
    case .fields(let fields):
      let known = Dictionary(other?.fields.map { ($0.key, $0) } ?? []) { first, _ in first }
      for field in fields {
        below(field).walk(beside: known[field.key].flatMap { other?.below($0) }, visit)
      }
    case .items(let items):
      let entries = entries(items)
      let others = other?.items.map { other?.entries($0) ?? [] } ?? []
      let known = Dictionary(others.map { ($0.place, $0) }) { first, _ in first }
      for entry in entries { entry.walk(beside: known[entry.place], visit) }
      if tree.name == nil { return }
      visit(order(of: entries), other?.items == nil ? nil : other?.order(of: others))
    case .value: visit(self, other?.isValue == true ? other : nil)
    }
  }

  /// What the walk meets at a key.
  private enum Content {
    case fields([SettingNode.Field])
    case items([SettingNode])
    case value
  }

  private var content: Content {
    switch node.content {
    case .fields(let fields) where !tree.keys.isEmpty: .fields(fields)
    case .list(let items) where !tree.keys.isEmpty: .items(items)
    case .nothing, .text, .list, .fields: .value
    }
  }

  private var fields: [SettingNode.Field] {
    if case .fields(let fields) = content { fields } else { [] }
  }

  private var items: [SettingNode]? {
    if case .items(let items) = content { items } else { nil }
  }

  private var isValue: Bool { if case .value = content { true } else { false } }

  private func below(_ field: SettingNode.Field) -> KeyTree.Value {
    let known = tree.keys[field.key]
    return KeyTree.Value(
      place: place.below(known == nil ? .unknown(field.key) : .key(field.key)), line: field.line,
      node: field.node, tree: known ?? KeyTree.stranger)
  }

  /// Returns the entries of the list. What is no id has a place only, since a path has to end somewhere.
  private func entries(_ items: [SettingNode]) -> [KeyTree.Value] {
    items.enumerated().map { index, item in
      let id = tree.name.flatMap { item.text(of: $0) }.flatMap {
        StationID.problem($0) == nil ? $0 : nil
      }
      return KeyTree.Value(
        place: place.below(id.map(SettingPlace.Step.id) ?? .entry(index)), line: item.line,
        node: item, tree: KeyTree(shown: tree.shown, keys: tree.keys))
    }
  }

  /// The order of a list's entries is a value of its own.
  private func order(of entries: [KeyTree.Value]) -> KeyTree.Value {
    let names = entries.map { entry in
      SettingNode(
        content: .text(tree.name.flatMap { entry.node.text(of: $0) } ?? ""), line: line)
    }
    return KeyTree.Value(
      place: place, line: line, node: SettingNode(content: .list(names), line: line),
      tree: KeyTree(shown: Self.id))
  }

  private static let id = Showing { Secrecy.none.shown($0, isValid: StationID.problem($0) == nil) }

  /// Most bytes of a line.
  private static let lineBytesMax = 1000

  /// Returns the key and its value on a line, without what is secret here or is one of `secrets`.
  ///
  /// - Parameter known: the names of all keys.
  package func text(without secrets: Set<String>, naming known: Set<String>) -> String {
    func shown(_ node: SettingNode) -> String {
      guard case .text(let text) = node.value.content else { return Secrecy.mask }
      return secrets.contains(text) ? Secrecy.mask : tree.shown(text)
    }
    var line = "\(place.path(naming: known)):"
    switch node.content {
    case .nothing: break
    case .list(let items):
      line += " ["
      for (index, item) in items.enumerated() where line.utf8.count <= Self.lineBytesMax {
        line += (index > 0 ? ", " : "") + shown(item)
      }
      line += "]"
    case .text, .fields: line += " " + shown(node)
    }
    return LogText.line(Secrecy.cut(line, Self.lineBytesMax))
  }
}

/// Where a value stands in the file: the keys and entries that lead to it.
struct SettingPlace: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case key(String)
    /// A key that nobody knows, and that may be a secret in the wrong place.
    case unknown(String)
    case id(String)
    case entry(Int)
  }

  private var steps: [Step] = []

  func below(_ step: Step) -> SettingPlace {
    var place = self
    place.steps.append(step)
    return place
  }

  /// Returns the whole path, such as `stations.jazz.window`.
  ///
  /// - Parameter known: the names of all keys.
  func path(naming known: Set<String>) -> String {
    steps.reduce("") { path, step in
      let dot = path.isEmpty ? "" : "."
      return switch step {
      case .key(let key): path + dot + key
      case .unknown(let key): path + dot + KeySuggestion.shown(key, among: known)
      // An id may look like the path of a key.
      case .id(let id): id.contains(".") ? "\(path)[\(id)]" : path + dot + id
      case .entry(let index): "\(path)[\(index)]"
      }
    }
  }
}

extension SettingNode {
  /// The text of a key below this node; nil where there is none.
  fileprivate func text(of key: String) -> String? {
    guard case .fields(let fields) = content,
      case .text(let text)? = fields.first(where: { $0.key == key })?.node.content
    else { return nil }
    return text
  }

  /// All texts in it.
  fileprivate var texts: [String] {
    switch content {
    case .nothing: []
    case .text(let text): [text]
    case .list(let items): items.flatMap(\.texts)
    case .fields(let fields): fields.flatMap { [$0.key] + $0.node.texts }
    }
  }

  /// Whether it says the same as another one, whatever the lines.
  package func isSame(as other: SettingNode) -> Bool {
    switch (content, other.content) {
    case (.nothing, .nothing): true
    case (.text(let text), .text(let other)): text == other
    case (.list(let items), .list(let others)):
      items.count == others.count && zip(items, others).allSatisfy { $0.isSame(as: $1) }
    case (.fields(let fields), .fields(let others)):
      fields.count == others.count
        && zip(fields, others).allSatisfy { $0.key == $1.key && $0.node.isSame(as: $1.node) }
    case (.nothing, _), (.text, _), (.list, _), (.fields, _): false
    }
  }
}
