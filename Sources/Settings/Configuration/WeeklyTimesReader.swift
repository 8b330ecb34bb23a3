import Wire

// Hours of the week: those of recordings, and of what a programme plays.
extension WeeklyTimes {
  /// The keys for days and times of day.
  ///
  /// - Parameter missing: the hint where a time is not given; nil where it may be left out.
  static func rows(missing: String? = nil) -> [KeyRow<WeeklyTimes>] {
    [
      KeyRow(
        name: "days", schema: Schema.severalTexts, read: { $1.readDays($0) },
        json: { .list($0.dayWords.map(\.json)) }, shown: ValueRule<Set<Weekday>>.days.shown),
      KeyRow(
        "from", \.from, .timeOfDay, missing: missing, writing: { ClockText.format($0).json }),
      KeyRow("to", \.to, .timeOfDay, missing: missing, writing: { ClockText.format($0).json }),
    ]
  }

  /// The days in the order of the week.
  package var dayWords: [String] { Weekday.allCases.filter(days.contains).map(\.rawValue) }

  private mutating func readDays(_ reader: SettingReader) {
    var given: [Set<Weekday>] = []
    reader.readList("days", into: &given, .days)
    if !given.isEmpty { days = given.reduce([]) { $0.union($1) } }
    if case .list(let items)? = reader.node("days")?.content, items.isEmpty {
      reader.report("has none; write some, or leave it out for daily", key: "days")
    }
  }
}

extension ValueRule where Value == Int {
  /// The rule for a time of day, in seconds after midnight.
  fileprivate static var timeOfDay: ValueRule {
    let wanted = "a time of day, such as 18:00"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard let seconds = ClockText.parse(text) else {
        throw InvalidValue(quoting: text, "is not \(wanted)")
      }
      return seconds
    }
  }
}

extension ValueRule where Value == Set<Weekday> {
  private static var words: [String: Value] {
    [
      "daily": Set(Weekday.allCases), "weekends": [.sat, .sun],
      "weekdays": [.mon, .tue, .wed, .thu, .fri],
    ]
  }

  /// Returns the day of a name: of its first three letters, or whole.
  private static func named(_ name: some StringProtocol) -> Weekday? {
    Weekday.allCases.first { [$0.rawValue, $0.name].contains(name.lowercased()) }
  }

  /// The rule for days: one day, several in a row, or a word for some.
  static var days: ValueRule {
    let known = Weekday.allCases.flatMap { [$0.rawValue, $0.name] } + words.keys.sorted()
    let wanted = "mon to sun, mon-fri, daily, weekdays or weekends"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      if let days = words[text.lowercased()] { return days }
      let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { named($0) }
      guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil else {
        let meant = KeySuggestion.nearest(to: text, among: known)
        throw InvalidValue(
          quoting: text,
          "is no day; " + (meant.map { "did you mean \($0)?" } ?? "write \(wanted)"))
      }
      var (days, day): (Value, Int) = ([last], Weekday.allCases.firstIndex(of: first)!)
      // From Friday to Monday is several days in a row, too.
      while Weekday.allCases[day] != last {
        days.insert(Weekday.allCases[day])
        day = (day + 1) % 7
      }
      return days
    }
  }
}

extension Weekday {
  /// The name in English, in small letters.
  fileprivate var name: String {
    switch self {
    case .mon: "monday"
    case .tue: "tuesday"
    case .wed: "wednesday"
    case .thu: "thursday"
    case .fri: "friday"
    case .sat: "saturday"
    case .sun: "sunday"
    }
  }
}
