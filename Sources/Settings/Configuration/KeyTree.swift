/// A key of the file, with what of its value may be shown and the keys below it.
package struct KeyTree: Sendable {
  typealias Showing = @Sendable (String) -> String

  /// Returns a text of the value without its secrets.
  var shown: Showing = Self.hidden
  /// The keys below it, by name; none for a key with a value.
  var keys: [String: KeyTree] = [:]
  /// The key that names an entry of a list; nil where entries have only their places.
  var name: String?
  var isStranger = false

  static let hidden: Showing = { _ in Secrecy.mask }

  /// A key that nobody knows: its value may be anything.
  private static let stranger = KeyTree(isStranger: true)

  /// A key's value as it is written.
  package struct Value {
    /// The whole path of the key, such as `stations.jazz.window`.
    package var key: String
    package var line: Int
    package var node: SettingNode
    var tree: KeyTree
  }

  /// Adds the values of a node of this key, and of the keys below it.
  func add(_ node: SettingNode, key: String, line: Int, to values: inout [Value]) {
    switch node.content {
    case .fields(let fields) where !keys.isEmpty:
      for field in fields {
        (keys[field.key] ?? Self.stranger).add(
          field.node, key: key.isEmpty ? field.key : "\(key).\(field.key)", line: field.line,
          to: &values)
      }
    case .list(let items) where !keys.isEmpty:
      let names = items.map { item in name.flatMap { item.text(of: $0) } }
      for (index, item) in items.enumerated() {
        let path = names[index].map { "\(key).\($0)" } ?? "\(key)[\(index)]"
        add(item, key: path, line: item.line, to: &values)
      }
      if name == nil { return }
      // The order is a value of its own.
      let order = names.map { SettingNode(content: .text($0 ?? ""), line: line) }
      values.append(
        Value(
          key: key, line: line, node: SettingNode(content: .list(order), line: line),
          tree: KeyTree(shown: { $0 })))
    case .nothing, .text, .list, .fields:
      values.append(Value(key: key, line: line, node: node, tree: self))
    }
  }
}

extension KeyTree.Value {
  /// Texts of the value that nobody may see.
  package var secrets: [String] {
    // The value behind an unknown key is hidden, but it is no secret elsewhere.
    if tree.isStranger { return [] }
    return node.texts.filter { tree.shown($0) == Secrecy.mask }
  }

  /// Returns the key and its value on a line, without what is secret here or is one of `secrets`.
  package func text(without secrets: Set<String>) -> String {
    func shown(_ node: SettingNode) -> String {
      guard case .text(let text) = node.value.content else { return Secrecy.mask }
      return secrets.contains(text) ? Secrecy.mask : tree.shown(text)
    }
    switch node.content {
    case .nothing: return "\(key):"
    case .list(let items): return "\(key): [\(items.map(shown).joined(separator: ", "))]"
    case .text, .fields: return "\(key): \(shown(node))"
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
