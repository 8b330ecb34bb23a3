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

  /// What to do about one that `isEnd`.
  public static let cutAdvice = "it is cut off: take a whole copy"

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
      return XMLFault(endOf: bytes[...], inside: open.last, isCut: tokens.isCut)
    }
    guard let fault = found() else { return nil }
    self = fault
  }

  /// Where a document ends before its outermost element does; nil: it does not. Tags that do not fit one another are no
  /// fault: lists of people's have them.
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
        // What is not closed ends with what it is in; what closes nothing is passed over.
        guard counts[name, default: 0] > 0 else { continue }
        while let last = open.popLast() {
          counts[last.name, default: 0] -= 1
          if last.name == name { break }
        }
        if open.isEmpty { isOver = true }
      }
    }
    // Nothing of it is lost behind its end.
    if isOver, open.isEmpty { return nil }
    self.init(endOf: bytes, inside: open.last, isCut: tokens.isCut)
  }

  /// A document that has been read to its end; nil: all is closed there.
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
