import Wire
extension RecordingRule {
  /// Reads `record:` of a station: one entry or a list, each with keys or in short, as `weekdays 18:00-19:30`.
  static func read(_ station: SettingReader) -> [RecordingRule] {
    guard let field = station.field("record") else { return [] }
    let items: [SettingNode] =
      switch field.node.content {
      case .nothing: []
      case .list(let items): items
      case .text, .fields: [field.node]
      }
    return items.enumerated().compactMap { index, item in
      let path = station.full("record[\(index)]")
      guard case .text(let text) = item.content else { return read(item, path, station.problems) }
      do throws(InvalidValue) {
        return try short(text)
      } catch {
        station.problems.add(error, of: text, key: path, line: item.line)
        return nil
      }
    }
  }

  /// How an entry in short is shown.
  static let shown = Showing { Secrecy.none.shown($0, isValid: true) }

  private static func short(_ text: String) throws(InvalidValue) -> RecordingRule {
    let parts = text.split(separator: " ")
    let times = (parts.last ?? "").split(separator: "-").map(ClockText.parse)
    guard (1...2).contains(parts.count), times.count == 2, let from = times[0], let to = times[1]
    else {
      throw InvalidValue(
        quoting: text,
        "is no entry of a schedule; write days and times, such as weekdays 18:00-19:30")
    }
    var rule = RecordingRule(from: from, to: to)
    if parts.count == 2 {
      var days: Set<Weekday> = []
      for word in parts[0].split(separator: ",") {
        days.formUnion(try ValueRule<Set<Weekday>>.days.parse(String(word)))
      }
      rule.times.days = days
    }
    return rule
  }

  private static func read(
    _ node: SettingNode, _ path: String, _ problems: SettingReader.Problems
  ) -> RecordingRule? {
    let reader = SettingReader(node, path: path, known: rows.names(), problems: problems)
    guard case .fields = node.content else {
      if case .nothing = node.content {
        problems.add("is empty; write from: and to:", key: path, line: node.line)
      }
      return nil
    }
    var rule = RecordingRule(from: 0, to: 0)
    rows.read(reader, into: &rule)
    return rule
  }
}

extension RecordingRule {
  static let rows = ownRows + keepRows

  /// Keys that identify the rule; values left out are not written.
  static let ownRows: [KeyRow<Self>] =
    WeeklyTimes.rows(missing: "write a time of day, such as 18:00").map { $0.within(\.times) }
    + wayRows

  /// Keys of a show's `record:`; its times are the show's. Everybody hears its files, so it continues none: an older file
  /// of that name may be another station's.
  static let showRows = (wayRows + keepRows).filter { $0.name != "append" }

  /// Keys for how it is written.
  private static let wayRows: [KeyRow<Self>] = [
    KeyRow(
      name: "name", schema: Schema.known(Schema.text), read: { $1.readName($0) },
      json: { JSON($0.name) }, shown: ValueRule<String>.recordingName().shown),
    KeyRow("split", \.splits, .flag, writing: { $0 ? true.json : .null }),
    KeyRow(
      "overlap", \.overlap, .duration(ConfigurationLimits.overlap),
      writing: { $0 > 0 ? $0.json : .null }
    ).checked { reader, rule in
      guard rule.overlap > 0, !rule.splits else { return }
      reader.report("is for files split by title; write split: true too", key: "overlap")
    },
    KeyRow("append", \.appends, .flag, writing: { $0 ? true.json : .null }),
    KeyRow(
      "max-size", \.bytesMax, .recordingSize,
      writing: { SizeText.format(UInt64($0)).json }),
  ]

  /// Keys for how long recordings are kept: those of a rule, and recordings by command.
  static let keepRows: [KeyRow<Self>] = [
    KeyRow("keep", \.keep.seconds, .duration(ConfigurationLimits.keep)),
    KeyRow("keep-count", \.keep.count, .integer(ConfigurationLimits.keepCount)),
  ]

  /// The shape of `record`: a flag, or one or several entries, in short or with keys.
  static let schema: JSON = {
    let rule = rows.schema()
    return Schema.either(
      Schema.text, rule, Schema.list(Schema.either(Schema.text, rule)), Schema.flag,
      ["type": "null"])
  }()

  private mutating func readName(_ reader: SettingReader) {
    reader.read(
      "name", into: &name, .recordingName(mayBeOld: reader.problems.takesOldNames))
  }
}

extension ValueRule where Value == String {
  /// The rule for the pattern by which a recording's files are named.
  ///
  /// - Parameter mayBeOld: whether unknown fields stand for themselves, as in older versions.
  package static func recordingName(mayBeOld: Bool = false) -> ValueRule {
    let text = ValueRule.text(wanted: "a pattern for file names")
    return ValueRule(wanted: text.wanted) { pattern throws(InvalidValue) in
      let pattern = try text.parse(pattern)
      if !mayBeOld, let problem = RecordingName.problem(in: pattern) {
        throw InvalidValue(problem)
      }
      return pattern
    }
  }
}

extension ValueRule where Value == Int64 {
  /// The rule for the bytes of a recording.
  package static var recordingSize: ValueRule {
    let size = ValueRule<UInt64>.size(ConfigurationLimits.recordingSize)
    return ValueRule(wanted: size.wanted, schema: size.schema) { text throws(InvalidValue) in
      Int64(try size.parse(text))
    }
  }
}
