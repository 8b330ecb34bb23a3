/// Why a document is not whole: it was cut, or its tags do not fit one another.
///
/// Less than a parser of the standard refuses: what such a one takes has no fault.
public struct XMLFault: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// Ends inside an element; of line `since`.
    case endsInside(String, since: Int)
    /// Ends inside a tag or a comment outside all elements.
    case endsInTag
    /// `name` is closed where `open` should be, which begins in line `since`.
    case closes(String, open: String, since: Int)
    case closesNothing(String)
    /// A second outermost element.
    case goesOn(String)
  }

  public var kind: Kind
  /// From 1.
  public var line: Int

  public var description: String {
    switch kind {
    case .endsInside(let name, let since): "ends inside <\(name)> of line \(since)"
    case .endsInTag: "ends inside a tag or a comment"
    case .closes(let name, let open, let since):
      "</\(name)> stands where <\(open)> of line \(since) should end"
    case .closesNothing(let name): "</\(name)> ends nothing"
    case .goesOn(let name): "<\(name)> stands behind the end of the document"
    }
  }

  public var isEnd: Bool {
    switch kind {
    case .endsInside, .endsInTag: true
    case .closes, .closesNothing, .goesOn: false
    }
  }

  /// The first fault of a document; nil: it has none.
  public init?(in bytes: [UInt8]) {
    /// The open elements, outermost first, and where they begin.
    var open: [(name: String, start: Int)] = []
    var isOver = false
    var tokens = XMLTokens(bytes[...])
    func line(of index: Int) -> Int { bytes[..<index].count { $0 == ASCII.lineFeed } + 1 }
    func found() -> XMLFault? {
      while let token = tokens.next() {
        if tokens.isCut { break }
        switch token {
        case .open(let name, _):
          if isOver { return XMLFault(.goesOn(name), line(of: tokens.start)) }
          open.append((name, tokens.start))
        case .text: break
        case .close(let name):
          guard let last = open.popLast() else {
            return XMLFault(.closesNothing(name), line(of: tokens.start))
          }
          guard last.name == name else {
            return XMLFault(
              .closes(name, open: last.name, since: line(of: last.start)), line(of: tokens.start))
          }
          isOver = open.isEmpty
        }
      }
      let last = line(of: bytes.lastIndex { $0 != ASCII.lineFeed } ?? 0)
      if let inner = open.last {
        return XMLFault(.endsInside(inner.name, since: line(of: inner.start)), last)
      }
      return tokens.isCut ? XMLFault(.endsInTag, last) : nil
    }
    guard let fault = found() else { return nil }
    self = fault
  }

  private init(_ kind: Kind, _ line: Int) { (self.kind, self.line) = (kind, line) }
}
