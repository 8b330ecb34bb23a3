import Logging
import Synchronization
import Timeshift

/// Writes one line for people per notable event. Repeated troubles are counted, not repeated.
final class LogBook: Sendable {
  private let logger: Logger
  /// Troubles, by station.
  private let troubles = Mutex<[String: Troubles]>([:])

  init(logger: Logger) { self.logger = logger }

  /// Logs something notable that is no event.
  func note(_ text: String, station: String) {
    logger.notice("\(station): \(text)", metadata: [LogMessage.stationKey: "\(station)"])
  }

  /// Logs what a station's program wrote on standard error.
  func said(_ line: String, station: String) {
    logger.debug(
      "\(station): its program says: \(line)", metadata: [LogMessage.stationKey: "\(station)"])
  }

  func write(_ event: RelayEvent) {
    // Listeners come by the thousand: no text is made for lines that nobody reads.
    guard logger.logLevel <= .debug || !event.isDetail, let line = LogLine(event) else { return }
    let station = event.station ?? ""
    let shown = troubles.withLock { all -> [String] in
      var own = all[station] ?? Troubles()
      defer { all[station] = event.kind == .stopped ? nil : own }
      return own.shown(line)
    }
    for text in shown {
      var metadata: Logger.Metadata = [LogMessage.eventKey: "\(event.kind.rawValue)"]
      metadata[LogMessage.stationKey] = event.station.map { "\($0)" }
      let text = station.isEmpty ? text : "\(station): \(text)"
      logger.log(level: line.level, "\(text)", metadata: metadata)
    }
  }
}

/// How often each trouble of a station has come since the station was last well, and how often it was well only
/// briefly.
struct Troubles {
  private var repeats: [String: Int] = [:]
  private var order: [String] = []
  /// When the station was last reported well.
  private var wellAt: WallTime?
  /// Times in a row that the station was well for less than `wellSeconds`.
  private var returns = 0

  /// Seconds that a station has to be well before its next trouble counts as a new one.
  private static let wellSeconds = 60.0
  /// Number of returns that are logged in full.
  private static let returnsMax = 10

  /// Highest number of different troubles. A station with several URLs has several in turn; more count as one great
  /// trouble.
  static let countMax = 16

  var isEmpty: Bool { order.isEmpty }

  /// Returns the texts to log for a line.
  mutating func shown(_ line: LogLine) -> [String] {
    if line.isTrouble {
      let begins = order.isEmpty && begin(at: line.time)
      let shown = shownTrouble(line.text)
      if returns < Self.returnsMax || line.level == .error || isLong(line.text) { return shown }
      // A trouble that comes and goes all the time is logged like a repeated one.
      return begins && Self.isTold(returns)
        ? ["\(line.text) (comes and goes, \(returns) times)"] : []
    }
    guard line.endsTrouble else { return [line.text] }
    let counted = order.filter { repeats[$0, default: 0] > 0 }.map(counted)
    forgetTroubles()
    wellAt = line.time
    return returns < Self.returnsMax ? counted + [line.text] : []
  }

  /// Counts a trouble that begins. Always true.
  private mutating func begin(at time: WallTime) -> Bool {
    let well = wellAt.map { time.seconds - $0.seconds } ?? .infinity
    returns = well < Self.wellSeconds ? returns + 1 : 0
    return true
  }

  /// Whether a trouble lasts, among those that come and go.
  private func isLong(_ text: String) -> Bool { repeats[text, default: 0] >= 100 }

  private mutating func forgetTroubles() { (repeats, order) = ([:], []) }

  private mutating func shownTrouble(_ text: String) -> [String] {
    guard let count = repeats[text] else {
      if order.count == Self.countMax { forgetTroubles() }
      repeats[text] = 0
      order.append(text)
      return [text]
    }
    repeats[text] = count + 1
    // 10, 100, 1,000: an upstream away for a month is not forgotten, and fills no disk.
    return Self.isTold(count + 1) ? [counted(text)] : []
  }

  private static func isTold(_ count: Int) -> Bool {
    [10, 100, 1000, 10_000, 100_000, 1_000_000].contains(count)
  }

  private func counted(_ text: String) -> String {
    let count = repeats[text, default: 0]
    return "\(text) (\(count) more \(count == 1 ? "time" : "times"))"
  }
}

/// An event as a line of text.
struct LogLine: Hashable {
  var level: Logger.Level
  var text: String
  var time: WallTime
  /// Whether the line may come again and again while something is wrong.
  var isTrouble = false
  /// Whether the line says that a trouble is over.
  var endsTrouble = false

  /// Makes the line of an event; nil for events that the log leaves out.
  init?(_ event: RelayEvent) {
    time = event.time
    switch event.kind.row.log {
    case .none: return nil
    case .whole: (level, text) = (.debug, event.withoutSecrets.json(identified: true).text)
    case .line(let line):
      switch line(event) {
      case .note(let said): (level, text) = (.info, said)
      case .detail(let said): (level, text) = (.debug, said)
      case .trouble(let said): (level, text, isTrouble) = (.warning, said, true)
      case .failure(let said): (level, text, isTrouble) = (.error, said, true)
      case .recovery(let said): (level, text, endsTrouble) = (.info, said, true)
      }
    }
    if event["of"] == "metadata" {
      let reason = [event["status"], event["reason"]].first { !$0.isEmpty } ?? "not found"
      text = "no titles from its metadata page: \(reason) (\(event["url"]))"
    }
  }
}

extension RelayEvent {
  /// Whether the event matters only to a search for faults.
  fileprivate var isDetail: Bool {
    if case .whole = kind.row.log { true } else { false }
  }

  /// The event without secrets: sessions' tokens, and URLs with their queries. Address and player stay.
  fileprivate var withoutSecrets: RelayEvent {
    var event = self
    event.identity.removeAll { !["address", "player"].contains($0.key) }
    return event
  }
}
