import Glibc
import Timeshift
import Wire

/// How a recording's files are named: a pattern with strftime's fields and `{station}`, `{show}`, `{artist}`,
/// `{title}`, `{number}`. The name made from it stays in its folder.
package struct RecordingName: Hashable, Sendable {
  var pattern: String
  var station: String
  /// The show that is recorded; nil for none.
  var show: String?

  package init(pattern: String, station: String, show: String? = nil) {
    (self.pattern, self.station, self.show) = (pattern, station, show)
  }

  /// Bytes of a name, so that the ending and a number still fit into what file systems accept (255).
  static let bytesMax = 200

  package static func standard(splits: Bool, ofShow: Bool = false) -> String {
    let whose = ofShow ? "{station} {show}" : "{station}"
    return whose + (splits ? " {number} {artist} - {title}" : " %Y-%m-%d %H-%M-%S")
  }

  /// Fields that may stand in braces, in the order in which people are shown them.
  private static let fields = ["station", "show", "artist", "title", "number"]

  /// Returns what is wrong with a pattern, an unknown field; nil when nothing is.
  ///
  /// A field begins with a letter; other braces are plain text, as in `{%Y}`.
  static func problem(in pattern: String) -> String? {
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{") {
      rest = rest[open...].dropFirst()
      guard let end = rest.firstIndex(where: { $0 == "{" || $0 == "}" }), rest[end] == "}",
        rest.first(where: { $0 != " " })?.isLetter == true
      else { continue }
      let name = String(rest[..<end])
      if fields.contains(name) { continue }
      let known = fields.dropLast().map { "{\($0)}" }.joined(separator: ", ")
      let meant = KeySuggestion.nearest(to: name.lowercased(), among: fields)
      return "has {\(name)}, which is unknown; "
        + (meant.map { "did you mean {\($0)}? There are \(known) and {\(fields.last ?? "")}" }
          ?? "write \(known) or {\(fields.last ?? "")}")
    }
    return nil
  }

  /// Returns the name of a file, without its ending.
  ///
  /// - Parameters:
  ///   - number: the file's number in its recording, from 1.
  ///   - local: splits a time into its parts, in the zone of the name.
  package func text(
    at time: WallTime, title: Title?, number: Int, local: (time_t) -> tm = RecordingName.local
  ) -> String {
    let artist = title?.parts?.artist ?? ""
    // A dash behind an unknown artist says nothing.
    var text = artist.isEmpty ? pattern.replacing("{artist} - ", with: "") : pattern
    text = Self.format(text, local(time_t(time.unixSeconds)))
    let digits = String(number)
    let fields = [
      "{station}": station, "{show}": show ?? "", "{artist}": artist,
      "{title}": title?.parts?.title ?? title?.text ?? "",
      "{number}": String(repeating: "0", count: max(0, 3 - digits.count)) + digits,
    ]
    return Self.safe(Self.filled(text, fields))
  }

  /// Fills in each field once, so that braces in a title stay part of the title.
  private static func filled(_ text: String, _ fields: [String: String]) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      if let field = fields.first(where: { rest.hasPrefix($0.key) }) {
        result += field.value
        rest = rest.dropFirst(field.key.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  private static func format(_ pattern: String, _ time: tm) -> String {
    guard pattern.contains("%") else { return pattern }
    var time = time
    var buffer = [CChar](repeating: 0, count: 2048)
    let count = strftime(&buffer, buffer.count, pattern, &time)
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package static func local(_ time: time_t) -> tm {
    var (time, parts) = (time, tm())
    localtime_r(&time, &parts)
    return parts
  }

  /// Returns `text` as one file name of at most `bytesMax` bytes, not empty. The name has no slash, control character
  /// or change of direction, no dot or blank in front, and no blank at the end.
  static func safe(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      // Joiners, which emoji and the scripts of India and Iran need.
      case .format where scalar.value == 0x200C || scalar.value == 0x200D: scalars.append(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: continue
      default: scalars.append(scalar == "/" || scalar == "\\" ? "-" : scalar)
      }
    }
    let words = String(scalars).split(separator: " ").joined(separator: " ")
    var name = UTF8Cut.prefix(String(words.drop { $0 == "." || $0 == " " }), bytes: bytesMax)
    while name.hasSuffix(" ") { name.removeLast() }
    return name.isEmpty ? "recording" : name
  }
}

extension ZoneOffsets {
  /// Returns the parts of a time, without the zone's short name, which is not known.
  package func local(_ time: time_t) -> tm {
    let offset = offset(at: Int64(time))
    var (moved, parts) = (time + offset, tm())
    gmtime_r(&moved, &parts)
    (parts.tm_gmtoff, parts.tm_zone) = (offset, nil)
    return parts
  }
}
