import Wire

/// Whether what plays ends at its border (soft), or is cut at the moment (hard).
public enum Onset: String, Hashable, Sendable, CaseIterable {
  case soft, hard
}

/// A minute of the local clock: of every hour, or of one hour of the day.
public struct MinuteMark: Hashable, Sendable {
  /// nil: every hour.
  public var hour: Int?
  public var minute: Int

  public init?(hour: Int?, minute: Int) {
    guard (0..<60).contains(minute), hour.map((0..<24).contains) ?? true else { return nil }
    (self.hour, self.minute) = (hour, minute)
  }

  /// Reads `:MM` or `HH:MM`.
  public init(_ text: String) throws(ProgrammeProblem) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    func number(_ part: Substring, below end: Int) -> Int? {
      guard (1...2).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) })
      else { return nil }
      return Int(part, in: 0...end - 1)
    }
    guard parts.count == 2, parts[1].utf8.count == 2, let minute = number(parts[1], below: 60)
    else { throw .minute(text) }
    self.minute = minute
    if !parts[0].isEmpty {
      guard let hour = number(parts[0], below: 24) else { throw .minute(text) }
      self.hour = hour
    }
  }

  /// The mark as people write it.
  public var text: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return (hour.map(two) ?? "") + ":" + two(minute)
  }
}

/// A jingle, the news: what is played between tracks, and counts as none.
public struct InsertRule: Hashable, Sendable {
  public enum Timing: Hashable, Sendable {
    /// At the first border behind so many tracks.
    case everyTracks(Int)
    /// At the first border so many seconds after the last one.
    case every(seconds: Int)
    case at([MinuteMark], Onset)
  }

  public var source: Source
  public var timing: Timing
  /// Hours in which there are inserts of this rule: from `from` up to, and without, `to`. nil: always.
  public var times: WeeklyTimes?
  /// Seconds after its moment within which an insert begins, or is missed.
  public var within: Int
  /// A remote insert is asked for anew so many seconds before it is due; nil: as other remote files.
  public var refresh: Int?
  /// Whether its title is shown; nil: if it is 30 s long or longer.
  public var showsTitle: Bool?

  public static let tracks = 1...1000
  public static let intervals = 60...86_400
  public static let marksMax = 48
  public static let withins = 1...3600
  public static let withinStandard = 300
  public static let refreshes = 60...86_400
  /// Seconds from which on an insert's title is shown where nothing is said.
  public static let titleShownFrom = 30.0

  public init(
    _ source: Source, _ timing: Timing, times: WeeklyTimes? = nil,
    within: Int = InsertRule.withinStandard, refresh: Int? = nil, showsTitle: Bool? = nil
  ) {
    (self.source, self.timing, self.times) = (source, timing, times)
    (self.within, self.refresh, self.showsTitle) = (within, refresh, showsTitle)
  }

  /// The rule in short, as people are told: `every 4 tracks`, `every 20m`, `at :00, :30`.
  public var text: String {
    switch timing {
    case .everyTracks(1): "every track"
    case .everyTracks(let count): "every \(count) tracks"
    case .every(let seconds): "every " + DurationText.format(Double(seconds))
    case .at(let marks, _): "at " + marks.map(\.text).joined(separator: ", ")
    }
  }

  var onset: Onset? { if case .at(_, let onset) = timing { onset } else { nil } }
}
