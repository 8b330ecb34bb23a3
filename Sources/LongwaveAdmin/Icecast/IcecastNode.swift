import Wire

/// An element of Icecast's configuration that knows which parts have been used.
///
/// Whatever nobody takes is named in the end, so a setting that is not thought of here cannot be lost in silence.
final class IcecastNode {
  let name: String
  /// The names from the outermost element's children on: `limits/queue-size`.
  let path: String
  let line: Int
  let text: String
  let children: [IcecastNode]
  private let attributes: [String: String]
  private(set) var isUsed = false
  private var attributesTaken: Set<String> = []

  init(_ node: XMLNode, path: String = "") {
    (name, self.path, line, text) = (node.name, path, node.line, node.text)
    attributes = node.attributes
    children = node.children.map {
      IcecastNode($0, path: path.isEmpty ? $0.name : "\(path)/\($0.name)")
    }
  }

  func all(_ name: String) -> [IcecastNode] { children.filter { $0.name == name } }

  /// Returns the child that counts: of several, Icecast takes the last.
  func child(_ name: String) -> IcecastNode? { children.last { $0.name == name } }

  /// Returns the text of a child without taking it; nil where it is missing or empty.
  func look(_ name: String) -> String? {
    child(name).flatMap { $0.text.isEmpty ? nil : $0.text }
  }

  /// Uses the text of a child; nil where it is missing or empty.
  func value(_ name: String) -> String? { use(name) { $0 } }

  /// Uses a child whose text can be read; a child that cannot be read is named in the end.
  func use<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
    guard let child = child(name), !child.text.isEmpty, let value = read(child.text) else {
      return nil
    }
    child.use()
    return value
  }

  func attribute(_ name: String) -> String? {
    attributesTaken.insert(name)
    return attributes[name]
  }

  /// Returns an attribute without taking it.
  func look(attribute name: String) -> String? { attributes[name] }

  func use() { isUsed = true }

  /// Uses the element with all that is in it.
  func useAll() {
    use()
    attributesTaken.formUnion(attributes.keys)
    for child in children { child.useAll() }
  }

  /// The unused part of an element.
  struct Remainder {
    let path: String
    let line: Int
    let value: String
  }

  /// Returns the unused parts, in the order of the document.
  ///
  /// - Parameter named: Elements that are named elsewhere.
  func remainders(without named: Set<ObjectIdentifier> = []) -> [Remainder] {
    var found: [Remainder] = []
    let left = attributes.filter { !attributesTaken.contains($0.key) }
    var value = isUsed ? "" : text
    for (name, text) in left.sorted(by: { $0.key < $1.key }) {
      value += "\(value.isEmpty ? "" : " ")\(name)=\"\(text)\""
    }
    let isUntold = !isUsed && children.isEmpty && !IcecastAdvice.isSection(path)
    if !path.isEmpty, isUntold || !value.isEmpty {
      found.append(Remainder(path: path, line: line, value: value))
    }
    for child in children where !named.contains(ObjectIdentifier(child)) {
      found += child.remainders(without: named)
    }
    return found
  }
}

extension IcecastNode.Remainder {
  /// The line that names it, and what to do instead.
  var words: String {
    let shown = value.isEmpty ? "(empty)" : value
    return "Line \(line), \(path): \(shown): \(IcecastAdvice.advice(on: path))."
  }
}
