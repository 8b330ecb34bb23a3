/// The reason why a document is not whole: it was cut off, or its tags do not match.
///
/// The check is laxer than a standard parser: a document that a standard parser accepts has no fault.
public struct XMLFault: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The document ends inside an element that begins in line `since`.
    case endsInside(String, since: Int)
    /// The document ends inside a tag or a comment outside all elements.
    case endsInTag
    /// The first name is closed where `open`, which begins in line `since`, should be closed.
    case closes(String, open: String, since: Int)
    case closesNothing(String)
    /// A second outermost element begins.
    case goesOn(String)
  }

  public var kind: Kind
  /// The line of the fault, from 1.
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

  /// The advice for a fault with `isEnd`.
  public static let cutAdvice = "it is cut off: take a whole copy"

  /// Finds the first fault of a document; nil for a whole document.
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
      return XMLFault(endOf: bytes[...], inside: open.last, isCut: tokens.isCut)
    }
    guard let fault = found() else { return nil }
    self = fault
  }

  /// Finds the place where a document ends before its outermost element does; nil if it does not. Tags that do not
  /// match are no fault here, since hand-written lists have them.
  public init?(cutting bytes: ArraySlice<UInt8>) {
    /// The open elements, outermost first, and how many there are of each name.
    var open: [(name: String, start: Int)] = []
    var counts: [String: Int] = [:]
    var isOver = false
    var tokens = XMLTokens(bytes)
    while let token = tokens.next(), !tokens.isCut {
      switch token {
      case .open(let name, _):
        open.append((name, tokens.start))
        counts[name, default: 0] += 1
      case .text: break
      case .close(let name):
        // An unclosed element ends with its parent; a stray closing tag is skipped.
        guard counts[name, default: 0] > 0 else { continue }
        while let last = open.popLast() {
          counts[last.name, default: 0] -= 1
          if last.name == name { break }
        }
        if open.isEmpty { isOver = true }
      }
    }
    // After the document's end nothing of it can be lost.
    if isOver, open.isEmpty { return nil }
    self.init(endOf: bytes, inside: open.last, isCut: tokens.isCut)
  }

  /// Judges a document that has been read to its end; nil if all elements are closed there.
  private init?(
    endOf bytes: ArraySlice<UInt8>, inside open: (name: String, start: Int)?, isCut: Bool
  ) {
    func line(of index: Int) -> Int { bytes[..<index].count { $0 == ASCII.lineFeed } + 1 }
    guard open != nil || isCut else { return nil }
    let last = line(of: bytes.lastIndex { $0 != ASCII.lineFeed } ?? bytes.startIndex)
    self.init(open.map { .endsInside($0.name, since: line(of: $0.start)) } ?? .endsInTag, last)
  }

  private init(_ kind: Kind, _ line: Int) { (self.kind, self.line) = (kind, line) }
}
