import Wire

/// An element of an XML document to be written.
struct XMLElement {
  var name: String
  var attributes: KeyValuePairs<String, String>
  var children: [XMLElement]
  var text: String?

  init(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
    _ children: [XMLElement] = []
  ) {
    self.name = name
    self.attributes = attributes
    self.children = children
  }

  init(_ name: String, text: String) {
    self.init(name)
    self.text = text
  }

  init(_ name: String, _ number: some BinaryInteger) { self.init(name, text: String(number)) }

  /// The element as a whole document.
  var document: String { "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + written + "\n" }

  /// The element without what stands before a document.
  var written: String {
    let attributes = attributes.map { " \($0.key)=\"\(XMLText.escaped($0.value))\"" }.joined()
    let inside = XMLText.escaped(text ?? "") + children.map(\.written).joined()
    return inside.isEmpty
      ? "<\(name)\(attributes)/>" : "<\(name)\(attributes)>\(inside)</\(name)>"
  }
}
