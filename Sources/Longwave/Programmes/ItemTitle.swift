import Library
import Programmes
import Wire

/// What people read of an item, by a pattern such as `{artist} - {title}`.
///
/// A field that is not known goes with the text beside it: of two texts between fields that are known, the first stays.
struct ItemTitle: Sendable {
  private enum Piece {
    case text(String)
    case field(Field)
  }

  private enum Field: String {
    case artist, title, album, year
  }

  private let pieces: [Piece]

  init(_ pattern: String) {
    var pieces: [Piece] = []
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        let field = Field(rawValue: String(rest[rest.index(after: open)..<close]))
      else {
        pieces.append(.text(String(rest[...open])))
        rest = rest[rest.index(after: open)...]
        continue
      }
      if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
      pieces.append(.field(field))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
    self.pieces = pieces
  }

  /// Returns the title of a file as an item of a programme.
  func title(of file: MusicFile, _ item: TitleItem) -> Title {
    let parts = TitleParts(artist: file.artist.isEmpty ? nil : file.artist, title: file.title)
    return Title(text: text(of: file), parts: parts, item: item)
  }

  func text(of file: MusicFile) -> String {
    let values = pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .field(.artist): file.artist
      case .field(.title): file.title
      case .field(.album): file.album
      case .field(.year): file.year.map(String.init) ?? ""
      }
    }
    var text = ""
    // What stands in front of the next field; nil behind one that is not known.
    var between: String? = ""
    var first: String?
    for (piece, value) in zip(pieces, values) {
      switch piece {
      case .text:
        between = between.map { $0 + value }
        first = first ?? value
      case .field where value.isEmpty:
        // The first text behind a field that is known stands in front of the next one that is.
        between = nil
      case .field:
        text += (between ?? (text.isEmpty ? "" : first ?? "")) + value
        (between, first) = ("", nil)
      }
    }
    let end = values.last ?? ""
    if let between { text += between } else if Self.closes(end, text) { text += end }
    return text.isEmpty ? file.title : text
  }

  /// Whether a text closes a bracket that is open in the text before.
  private static func closes(_ end: String, _ text: String) -> Bool {
    let brackets: [Character: Character] = [")": "(", "]": "["]
    guard let closing = end.first, let opening = brackets[closing] else { return false }
    return text.count { $0 == opening } > text.count { $0 == closing }
  }
}
