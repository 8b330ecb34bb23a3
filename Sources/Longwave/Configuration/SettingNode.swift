import Yams

/// A piece of a configuration with every value still as written, and the line it stands on.
///
/// Both YAML files and JSON bodies become this, so that one reader and one set of messages serve both.
struct SettingNode {
  enum Content {
    /// A key with nothing after it.
    case nothing
    case text(String)
    case list([SettingNode])
    case fields([Field])
  }

  struct Field {
    var key: String
    var line: Int
    var node: SettingNode
  }

  var content: Content
  var line: Int

  /// The value that was meant: YAML reads one that ends in a colon, such as `push:`, as a key with nothing after it.
  var value: SettingNode {
    guard case .fields(let fields) = content, fields.count == 1, let field = fields.first,
      case .nothing = field.node.content
    else { return self }
    return SettingNode(content: .text(field.key + ":"), line: line)
  }

  /// What stands there, in words for a message.
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
      // The composer has put the anchored node in its place; a bare alias never comes out of it.
      content = .nothing
    }
  }
}

extension SettingNode {
  /// A JSON value; keys become those of the file (`maxLag` is `max-lag`), `null` is nothing.
  init(json value: JSON) {
    line = 0
    switch value {
    case .null: content = .nothing
    case .string(let text): content = .text(text)
    // As JSON it would be `null`.
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

/// The two spellings of a key: `max-lag` in files, `maxLag` in JSON.
enum SettingKey {
  static func file(_ json: String) -> String {
    var name = ""
    for character in json {
      if character.isUppercase { name += "-" }
      name += character.lowercased()
    }
    return name
  }

  static func json(_ file: String) -> String {
    let words = file.split(separator: "-")
    return words.dropFirst().reduce(String(words.first ?? "")) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }
}
