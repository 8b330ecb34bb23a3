import Glibc
import Timeshift
import Wire

/// How a recording's files are named: a pattern with strftime's fields and `{station}`, `{artist}`, `{title}`,
/// `{number}`, made into a name that stays in its folder.
struct RecordingName: Hashable, Sendable {
  var pattern: String
  var station: String

  /// Bytes, so that the ending and a number still fit into what file systems take (255).
  static let bytesMax = 200

  static func standard(splits: Bool) -> String {
    splits ? "{station} {number} {artist} - {title}" : "{station} %Y-%m-%d %H-%M-%S"
  }

  /// What may stand in braces, in the order in which people are shown it.
  private static let fields = ["station", "artist", "title", "number"]

  /// What is wrong with a pattern: a field that nobody knows. nil: nothing.
  ///
  /// A field begins with a letter; other braces are braces, as in `{%Y}`.
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

  /// Without an ending.
  ///
  /// - Parameters:
  ///   - number: of the file in its recording, from 1.
  ///   - local: takes a time apart in the zone the name is in.
  func text(
    at time: WallTime, title: Title?, number: Int, local: (time_t) -> tm = RecordingName.local
  ) -> String {
    let artist = title?.parts?.artist ?? ""
    // A dash behind an artist nobody knows says nothing.
    var text = artist.isEmpty ? pattern.replacing("{artist} - ", with: "") : pattern
    text = Self.format(text, local(time_t(time.unixSeconds)))
    let digits = String(number)
    let fields = [
      "{station}": station, "{artist}": artist,
      "{title}": title?.parts?.title ?? title?.text ?? "",
      "{number}": String(repeating: "0", count: max(0, 3 - digits.count)) + digits,
    ]
    return Self.safe(Self.filled(text, fields))
  }

  /// Each field once, so that a title with braces in it is a title.
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

  static func local(_ time: time_t) -> tm {
    var (time, parts) = (time, tm())
    localtime_r(&time, &parts)
    return parts
  }

  /// One name, whatever stands in it: no slash, no control character or change of direction, no dot or blank in
  /// front, no blank at the end, not empty, at most `bytesMax`.
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
  /// A time taken apart, without the zone's short name, which is not known.
  func local(_ time: time_t) -> tm {
    let offset = offset(at: Int64(time))
    var (moved, parts) = (time + offset, tm())
    gmtime_r(&moved, &parts)
    (parts.tm_gmtoff, parts.tm_zone) = (offset, nil)
    return parts
  }
}
