import Ingest
import Yams

/// A piece of a configuration, with every value still as written and the line of each.
///
/// Both YAML files and JSON bodies become this, so that one reader and one set of messages serve both.
package struct SettingNode {
  package enum Content {
    /// A key with nothing after it.
    case nothing
    case text(String)
    case list([SettingNode])
    case fields([Field])
  }

  package struct Field {
    package var key: String
    package var line: Int
    package var node: SettingNode
  }

  package var content: Content
  var line: Int

  /// The value that was meant: YAML reads a value that ends in a colon, such as `push:`, as a key with nothing after
  /// it.
  var value: SettingNode {
    guard case .fields(let fields) = content, fields.count == 1, let field = fields.first,
      case .nothing = field.node.content
    else { return self }
    return SettingNode(content: .text(field.key + ":"), line: line)
  }

  /// A section with this value for its one key, where a plain value is short for that; else the node itself.
  func inside(_ key: String) -> SettingNode {
    guard case .text = content else { return self }
    return SettingNode(content: .fields([Field(key: key, line: line, node: self)]), line: line)
  }

  /// Whether the value, or one of a list, is meant to be a sound input, well or badly written.
  var namesSoundInput: Bool {
    switch content {
    case .text(let text): SoundInput.isMeant(by: text)
    case .list(let items): items.contains(where: \.namesSoundInput)
    case .nothing, .fields: false
    }
  }

  /// The content in words for a message.
  var kind: String {
    switch content {
    case .nothing: "nothing"
    case .text: "a value"
    case .list: "a list"
    case .fields: "keys of its own"
    }
  }
}

extension SettingNode {
  init(yaml node: Node) {
    line = node.mark?.line ?? 1
    switch node {
    case .scalar(let scalar):
      let isEmpty = scalar.string.isEmpty && scalar.style == .plain
      content = isEmpty ? .nothing : .text(scalar.string)
    case .sequence(let sequence):
      content = .list(sequence.map(SettingNode.init(yaml:)))
    case .mapping(let mapping):
      content = .fields(
        mapping.map { key, value in
          Field(
            key: key.scalar?.string ?? "?", line: key.mark?.line ?? 1,
            node: SettingNode(yaml: value))
        })
    case .alias:
      // The composer replaces every alias by the anchored node, so none reaches this code.
      content = .nothing
    }
  }
}

extension SettingNode {
  /// Makes a node of a JSON value; keys become those of the file (`maxLag` is `max-lag`), `null` becomes nothing.
  package init(json value: JSON) {
    line = 0
    switch value {
    case .null: content = .nothing
    case .string(let text): content = .text(text)
    // As JSON text the number would be `null`.
    case .number(let number) where number.magnitude >= 9e15: content = .text("\(number)")
    case .bool, .integer, .number: content = .text(value.text)
    case .array(let items): content = .list(items.map(SettingNode.init(json:)))
    case .object(let members):
      content = .fields(
        members.map {
          Field(key: SettingKey.file($0.key), line: 0, node: SettingNode(json: $0.value))
        })
    }
  }
}
