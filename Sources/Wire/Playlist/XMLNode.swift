/// An XML document as a tree, built from `XMLTokens`; for configurations.
public struct XMLNode: Hashable, Sendable {
  /// The element's name in lower case, without its prefix.
  public var name: String
  public var attributes: [String: String] = [:]
  /// All text directly inside the element, without blanks at its ends.
  public var text = ""
  public var children: [XMLNode] = []
  /// The line where the element begins, from 1; 0 for an element that no document has.
  public var line = 0

  /// The deepest nesting of elements; no hand-written document is deeper.
  private static let depthMax = 64

  public init(name: String) { self.name = name }

  /// Reads the document's outermost element; nil without any, and for a document nested too deeply. Unclosed elements
  /// end with the document; `XMLFault` reports them.
  ///
  /// `text` decodes the bytes of texts and attributes, whatever charset they are in.
  public init?(_ bytes: [UInt8], text: ([UInt8]) -> String = { Charset.decode($0) }) {
    /// The open elements, outermost first, inside one that holds the document.
    var open = [XMLNode(name: "")]
    func close() {
      let node = open.removeLast()
      open[open.count - 1].children.append(node)
    }
    var tokens = XMLTokens(bytes[...])
    var (line, counted) = (1, bytes.startIndex)
    while let token = tokens.next() {
      switch token {
      case .open(let name, let attributes):
        guard open.count < Self.depthMax else { return nil }
        var node = XMLNode(name: name)
        node.attributes = attributes.mapValues { text($0) }
        line += bytes[counted..<tokens.start].count { $0 == ASCII.lineFeed }
        counted = tokens.start
        node.line = line
        open.append(node)
      case .text(let bytes): open[open.count - 1].text += text(bytes)
      case .close(let name):
        guard open.dropFirst().contains(where: { $0.name == name }) else { continue }
        while open.last?.name != name { close() }
        close()
      }
    }
    while open.count > 1 { close() }
    guard let root = open[0].children.first else { return nil }
    self = root
  }

  public func all(_ name: String) -> [XMLNode] { children.filter { $0.name == name } }

  /// Returns the first child element of that name.
  public func child(_ name: String) -> XMLNode? { children.first { $0.name == name } }

  /// Returns the text of the first child element of that name; nil where it is missing or empty.
  public func value(_ name: String) -> String? {
    child(name).flatMap { $0.text.isEmpty ? nil : $0.text }
  }
}
