import Wire

/// What a reload would do now: its report, what is wrong with the file, and how the file differs from what runs.
package struct ConfigurationChanges: Sendable {
  /// Most lines that are told of a difference, and most bytes of each.
  private static let linesMax = 5000
  private static let lineBytesMax = 1000
  /// Most problems that are told.
  private static let problemsMax = 200

  var report = ReloadReport()
  var problems: [ConfigurationProblem] = []
  /// The lines that are told, masked.
  private(set) var lines: [LineDiff.Line] = []
  private var areMore = false

  /// Tells how a configuration's text differs from another one, without secrets. Takes long for long texts.
  ///
  /// - Parameter secrets: words that are hidden wherever they stand.
  mutating func compare(_ old: String, _ new: String, secrets: Set<Substring>) {
    if old == new { return }
    let (old, new) = (LineDiff.split(old), LineDiff.split(new))
    // Compared as they are, so that another secret is a difference.
    let differences = LineDiff.lines(from: old, to: new)
    let told = differences.prefix(Self.linesMax)
    areMore = differences.count > told.count
    let (removed, others) = (
      told.filter { $0.operation == .removed }, told.filter { $0.operation != .removed }
    )
    let masked = (
      old: MaskedText.masked(old, known: secrets, only: Set(removed.map { $0.number - 1 })),
      new: MaskedText.masked(new, known: secrets, only: Set(others.map { $0.number - 1 }))
    )
    lines = told.map { line in
      var line = line
      line.text = (line.operation == .removed ? masked.old : masked.new)[line.number - 1] ?? ""
      return line
    }
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

  /// The words for the lines' operations.
  package static let operations = LineDiff.Operation.allCases.map(\.rawValue)

  fileprivate static func cut(_ text: String) -> String {
    String(decoding: UTF8Text.prefix(text, bytes: lineBytesMax), as: UTF8.self)
  }
}

extension LineDiff.Line {
  fileprivate var json: JSON {
    [
      "op": .string(operation.rawValue), "text": .string(ConfigurationChanges.cut(text)),
      "line": JSON(number),
    ]
  }
}

extension ConfigurationProblem {
  fileprivate var json: JSON {
    [
      "line": JSON(line > 0 ? line : nil), "key": .string(key),
      "message": .string(MaskedText.withoutPasswords(message[...])),
    ]
  }
}

extension Configuration {
  /// Tokens and passwords of its own; those in URLs are known by their place.
  var secrets: Set<Substring> {
    var secrets: Set<Substring> = [admin.token[...]]
    secrets.formUnion(webhooks.compactMap { $0.secret?[...] })
    for station in stations {
      if let password = station.sourcePassword { secrets.insert(password[...]) }
      secrets.formUnion((station.auth?.tokens ?? []).map { $0[...] })
    }
    secrets.remove("")
    return secrets
  }
}
