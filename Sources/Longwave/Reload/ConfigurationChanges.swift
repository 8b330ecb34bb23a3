import Wire

/// The changes that a reload would make now: its report, the file's mistakes, and the file's differences from the
/// running configuration.
package struct ConfigurationChanges: Sendable {
  /// Most lines that are told, and most bytes of each.
  private static let linesMax = 5000
  private static let lineBytesMax = 1000
  /// Most problems that are told.
  private static let problemsMax = 200

  var report = ReloadReport()
  var problems: [ConfigurationProblem] = []
  /// The values that differ, without secrets.
  private(set) var lines: [Line] = []
  private var areMore = false

  /// A key with its value, in a file where the other file has another value, or none.
  struct Line: Hashable, Sendable {
    /// `+` for the new file, `-` for the old one.
    var operation: String
    var text: String
    /// Line of the file, from 1.
    var number: Int
  }

  /// Tells which keys have other values in another file, without secrets. A file that is no YAML has no keys.
  ///
  /// Values are compared as they are written, so another secret is a difference.
  mutating func compare(_ old: String, _ new: String) {
    guard old != new, let old = ConfigurationKeys.values(in: old),
      let new = ConfigurationKeys.values(in: new)
    else { return }
    let known = (old: Self.byKey(old), new: Self.byKey(new))
    let secrets = Set((old + new).flatMap(\.secrets))
    let gone = old.filter { known.new[$0.key] == nil }.map { ("-", $0) }
    let others = new.flatMap { value -> [(String, KeyTree.Value)] in
      guard let before = known.old[value.key] else { return [("+", value)] }
      return before.node.isSame(as: value.node) ? [] : [("-", before), ("+", value)]
    }
    areMore = gone.count + others.count > Self.linesMax
    lines = (gone + others).prefix(Self.linesMax).map { operation, value in
      let text = LogText.line(value.text(without: secrets))
      return Line(operation: operation, text: text, number: value.line)
    }
  }

  private static func byKey(_ values: [KeyTree.Value]) -> [String: KeyTree.Value] {
    Dictionary(values.map { ($0.key, $0) }) { first, _ in first }
  }

  package var json: JSON {
    .object(
      report.json.members + [
        .init(key: "problems", value: .array(problems.prefix(Self.problemsMax).map(\.json))),
        .init(key: "lines", value: .array(lines.map(\.json))),
        .init(
          key: "truncated",
          value: .bool(
            areMore || problems.count > Self.problemsMax)),
      ])
  }

  /// The words for the lines' operations; a blank is of older versions, which told equal lines too.
  package static let operations = [" ", "+", "-"]

  fileprivate static func cut(_ text: String) -> String {
    String(decoding: UTF8Text.prefix(text, bytes: lineBytesMax), as: UTF8.self)
  }
}

extension ConfigurationChanges.Line {
  fileprivate var json: JSON {
    [
      "op": .string(operation), "text": .string(ConfigurationChanges.cut(text)),
      "line": JSON(number),
    ]
  }
}

extension ConfigurationProblem {
  fileprivate var json: JSON {
    [
      "line": JSON(line > 0 ? line : nil), "key": .string(key),
      "message": .string(Secrecy.withoutURL(message)),
    ]
  }
}
