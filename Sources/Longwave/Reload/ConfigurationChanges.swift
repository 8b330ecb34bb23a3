import Wire

/// The changes that a reload would make now: its report, the file's mistakes, and the file's differences from the
/// running configuration.
package struct ConfigurationChanges: Sendable {
  /// Most lines that are told.
  private static let linesMax = 5000

  var report = ReloadReport()
  var problems: [ConfigurationProblem] = []
  /// The values that differ, without secrets.
  private(set) var lines: [Line] = []
  /// Whether differences are left out: there are too many, or a file is too long to be compared.
  var isCut = false

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
    guard old != new, let old = ConfigurationKeys.root(of: old),
      let new = ConfigurationKeys.root(of: new)
    else { return }
    let keys = ConfigurationKeys.tree
    let secrets = keys.secrets(in: old).union(keys.secrets(in: new))
    keys.walk(old, beside: new) { value, other in
      if other == nil { tell("-", value, without: secrets) }
    }
    keys.walk(new, beside: old) { value, before in
      if before?.node.isSame(as: value.node) == true { return }
      if let before { tell("-", before, without: secrets) }
      tell("+", value, without: secrets)
    }
  }

  private mutating func tell(
    _ operation: String, _ value: KeyTree.Value, without secrets: Set<String>
  ) {
    if lines.count == Self.linesMax {
      isCut = true
      return
    }
    lines.append(
      Line(
        operation: operation, text: value.text(without: secrets, naming: ConfigurationKeys.names),
        number: value.line))
  }

  package var json: JSON {
    .object(
      report.json.members + [
        .init(
          key: "problems",
          value: .array(problems.prefix(ConfigurationError.problemsMax).map(\.json))),
        .init(key: "lines", value: .array(lines.map(\.json))),
        .init(
          key: "truncated", value: .bool(isCut || problems.count > ConfigurationError.problemsMax)),
      ])
  }

  /// The words for the lines' operations; a blank is of older versions, which told equal lines too.
  package static let operations = [" ", "+", "-"]
}

extension ConfigurationChanges.Line {
  fileprivate var json: JSON {
    [
      "op": .string(operation), "text": .string(text), "line": JSON(number),
    ]
  }
}

extension ConfigurationProblem {
  fileprivate var json: JSON {
    [
      "line": JSON(line > 0 ? line : nil), "key": .string(key),
      "message": .string(message),
    ]
  }
}
