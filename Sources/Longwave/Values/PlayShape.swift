import Library
import Programmes
import Settings
import Timeshift
import Wire

extension Play: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("station", \.key.station), Shape("item", \.key.item), Shape("kind", \.kind),
    Shape("track") { $0.track?.description }, Shape("title", \.title), Shape("artist", \.artist),
    Shape("album", \.album), Shape("at", \.at), Shape("seconds", \.seconds),
    Shape("whole") { $0.isWhole ?? false }, Shape("why") { $0.why.flatMap(Planned.Why.init) },
    Shape("listeners", \.listeners), Shape("listenerSeconds", \.listenerSeconds),
    Shape("isrc", \.isrc), Shape("label", \.label),
  ]
}

/// Plays as lines of a table (RFC 4180): a head, and a line for each, with the columns of their JSON.
package enum PlayCSV {
  package static let mediaType = "text/csv; charset=utf-8"

  package static let head = line(Play.shape.map(\.name))

  package static func lines(_ plays: [Play]) -> [UInt8] {
    var bytes: [UInt8] = []
    for play in plays { bytes += line(Play.shape.map { cell($0.json(play)) }).utf8 }
    return bytes
  }

  /// Nothing for what is not known.
  private static func cell(_ value: JSON) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    default: value.text
    }
  }

  /// Writes cells as a line: in quotes where they have what divides cells or lines.
  static func line(_ cells: [String]) -> String {
    cells.map { cell in
      let isPlain = cell.utf8.allSatisfy { byte in
        byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte >= 0x20
      }
      return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }.joined(separator: ",") + "\r\n"
  }
}
