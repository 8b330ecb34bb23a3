import Wire
extension RecordingRule {
  /// `record:` of a station: entries in keys, or in short as `weekdays 18:00-19:30`; one, or a list.
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
        station.problems.add(error.message, key: path, line: item.line)
        return nil
      }
    }
  }

  private static func short(_ text: String) throws(InvalidValue) -> RecordingRule {
    let parts = text.split(separator: " ")
    let times = (parts.last ?? "").split(separator: "-").map(ClockText.parse)
    guard (1...2).contains(parts.count), times.count == 2, let from = times[0], let to = times[1]
    else {
      throw InvalidValue(
        "\"\(text)\" is no entry of a schedule; write days and times, such as weekdays 18:00-19:30")
    }
    var rule = RecordingRule(from: from, to: to)
    if parts.count == 2 {
      var days: Set<Day> = []
      for word in parts[0].split(separator: ",") {
        days.formUnion(try ValueRule<Set<Day>>.days.parse(String(word)))
      }
      rule.days = days
    }
    return rule
  }

  private static func read(
    _ node: SettingNode, _ path: String, _ problems: SettingReader.Problems
  ) -> RecordingRule? {
    let reader = SettingReader(
      node, path: path, known: ConfigurationKeys.record, problems: problems)
    guard case .fields = node.content else {
      if case .nothing = node.content {
        problems.add("is empty; write from: and to:", key: path, line: node.line)
      }
      return nil
    }
    var (from, to): (Int?, Int?)
    reader.read("from", into: &from, .timeOfDay)
    reader.read("to", into: &to, .timeOfDay)
    for key in ["from", "to"] where reader.field(key) == nil {
      reader.report("is missing; write a time of day, such as 18:00", key: key)
    }
    var rule = RecordingRule(from: from ?? 0, to: to ?? 0)
    var days: [Set<Day>] = []
    reader.readList("days", into: &days, .days)
    if !days.isEmpty { rule.days = days.reduce([]) { $0.union($1) } }
    if case .list(let items)? = reader.node("days")?.content, items.isEmpty {
      reader.report("has none; write some, or leave it out for daily", key: "days")
    }
    reader.read("name", into: &rule.name, .recordingName(mayBeOld: problems.takesOldNames))
    reader.read("split", into: &rule.splits, .flag)
    reader.read("overlap", into: &rule.overlap, .duration(ConfigurationLimits.overlap))
    if rule.overlap > 0, !rule.splits {
      reader.report("is for files split by title; write split: true too", key: "overlap")
    }
    reader.read("append", into: &rule.appends, .flag)
    reader.read("max-size", into: &rule.bytesMax, .recordingSize)
    rule.keep.read(reader)
    return from == nil || to == nil ? nil : rule
  }
}

extension RecordingKeep {
  mutating func read(_ reader: SettingReader) {
    reader.read("keep", into: &seconds, .duration(ConfigurationLimits.keep))
    reader.read("keep-count", into: &count, .integer(ConfigurationLimits.keepCount))
  }
}

extension ValueRule where Value == String {
  /// How a recording's files are named.
  ///
  /// - Parameter mayBeOld: fields that nobody knows stand for themselves, as they did in older versions.
  static func recordingName(mayBeOld: Bool = false) -> ValueRule {
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
  /// Bytes of a recording.
  static var recordingSize: ValueRule {
    let size = ValueRule<UInt64>.size(ConfigurationLimits.recordingSize)
    return ValueRule(wanted: size.wanted) { text throws(InvalidValue) in
      Int64(try size.parse(text))
    }
  }
}

extension ValueRule where Value == Int {
  /// Seconds after midnight.
  fileprivate static var timeOfDay: ValueRule {
    let wanted = "a time of day, such as 18:00"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard let seconds = ClockText.parse(text) else {
        throw InvalidValue("\"\(text)\" is not \(wanted)")
      }
      return seconds
    }
  }
}

extension ValueRule where Value == Set<RecordingRule.Day> {
  private static var words: [String: Value] {
    [
      "daily": Set(RecordingRule.Day.allCases), "weekends": [.sat, .sun],
      "weekdays": [.mon, .tue, .wed, .thu, .fri],
    ]
  }

  /// A day, a few of them in a row, or a word for some.
  fileprivate static var days: ValueRule {
    let known = RecordingRule.Day.allCases.map(\.rawValue) + words.keys.sorted()
    let wanted = "mon to sun, mon-fri, daily, weekdays or weekends"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      if let days = words[text] { return days }
      let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        .map { RecordingRule.Day(rawValue: String($0)) }
      guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil else {
        let meant = KeySuggestion.nearest(to: text, among: known)
        throw InvalidValue(
          meant.map { "\"\(text)\" is no day; did you mean \($0)?" }
            ?? "\"\(text)\" is no day; write \(wanted)")
      }
      var (days, day): (Value, Int) = ([last], RecordingRule.Day.allCases.firstIndex(of: first)!)
      // From Friday to Monday is a row, too.
      while RecordingRule.Day.allCases[day] != last {
        days.insert(RecordingRule.Day.allCases[day])
        day = (day + 1) % 7
      }
      return days
    }
  }
}
