import Timeshift
import Wire

/// Lists starts of a relay that were followed by its death within a minute: stored data may have caused the death, and
/// would again. Pure; `StartWatch` keeps the ledger in `DATA/starts`.
///
/// A start is written down before anything stored is read, and crossed out by an orderly stop or a minute of life.
/// Every end of the process counts, also one that it could not report (SIGKILL, no memory). A restart of the machine
/// does not count; the kernel's boot id shows it.
package struct StartLedger: Hashable, Sendable {
  package struct Start: Hashable, Sendable {
    var time: WallTime
    /// The kernel's boot id, from `/proc/sys/kernel/random/boot_id`.
    var boot: String
  }

  /// Starts that are not crossed out, oldest first.
  package private(set) var starts: [Start] = []
  /// When a relay was last known to have lived for a minute.
  private(set) var lived: WallTime?
  /// When a relay last ran, and whether the clock is doubted.
  var time = BelievedTime()
  /// The id of the running relay's first event, and later of the newest that is known; no earlier relay has told one as
  /// high. Ids begin at the time in microseconds.
  private(set) var eventID: UInt64 = 0
  /// What the running relay was started without.
  package private(set) var safeMode: SafeMode?

  /// Deaths in a row after which the next start is in safe mode.
  package static let deathsMax = 3
  /// Seconds after which a start counts as good.
  package static let life = 60.0
  /// Most starts that are kept; more would say nothing new.
  private static let startsMax = 16

  /// Writes a start down. Returns what it has to do without; nil when that is nothing.
  mutating func begin(at now: WallTime, boot: String) -> SafeMode? {
    starts.removeAll { $0.boot != boot }
    safeMode =
      starts.count < Self.deathsMax
      ? nil
      : SafeMode(
        deaths: starts.count, stationsSince: starts.count == Self.deathsMax ? lived : nil)
    starts = starts.suffix(Self.startsMax - 1) + [Start(time: now, boot: boot)]
    let told = eventID == 0 ? 0 : min(eventID, Self.eventIDMax) + Self.eventsUnknownMax
    eventID = max(Self.eventID(at: now), told)
    return safeMode
  }

  /// Events that a relay may have told since its ledger was last written, which it is once a minute.
  private static let eventsUnknownMax: UInt64 = 60_000_000
  /// Beyond every time that can be written.
  private static let eventIDMax: UInt64 = 1 << 60

  /// Returns the id that events have from this time on, unless others had a higher one.
  package static func eventID(at now: WallTime) -> UInt64 {
    min(UInt64(clamping: now.milliseconds).saturatingMultiply(1000), eventIDMax)
  }

  /// Notes the newest event.
  mutating func tell(_ newest: UInt64) { eventID = max(eventID, newest) }

  /// Notes that the relay has lived for a minute or more.
  mutating func live(at now: WallTime) {
    starts = []
    // Safe mode proves nothing, since the suspected data is left out: the next death may have the same cause.
    if safeMode == nil { lived = now }
  }

  /// Notes an orderly end. `hasStarted` is false when the relay could not start, which proves nothing about earlier
  /// starts.
  mutating func stop(hasStarted: Bool) {
    if hasStarted { starts = [] } else if !starts.isEmpty { starts.removeLast() }
    safeMode = nil
  }
}

/// What a relay is started without after it has died at each of its last starts.
///
/// Recordings do not go on, schedules are not followed, sessions are not known. Of the stations added by command, those
/// added or changed last are left out. Nothing is deleted.
package struct SafeMode: Hashable, Sendable {
  /// Number of deaths in a row.
  package var deaths: Int
  /// Stations added or changed since this time are left out, the newest one in any case. Nil when all are left out: the
  /// relay has never lived for a minute, or has died without the newer ones as well.
  package var stationsSince: WallTime?

  /// The safe mode in words that follow "started".
  package var text: String {
    "without recordings, schedules, sessions and the stations that were added last, since it has "
      + "died within a minute of each of its last \(deaths) starts"
  }
}

// MARK: As text

extension StartLedger {
  /// Reads the ledger line by line, and skips unknown lines.
  init(text: String) {
    var (seen, doubt): (WallTime?, BelievedTime.Doubt?) = (nil, nil)
    for line in text.split(separator: "\n").prefix(64) {
      let words = line.split(separator: " ").map(String.init)
      guard let word = words.first, words.count >= 2 else { continue }
      let time = try? WallTime(parsing: words[1])
      switch word {
      case "start":
        guard let time, words.count == 3 else { continue }
        starts.append(Start(time: time, boot: words[2]))
      case "lived": lived = time ?? lived
      case "seen": seen = time ?? seen
      case "event": eventID = UInt64(words[1]).map { min($0, Self.eventIDMax) } ?? eventID
      case "doubted":
        guard let time, words.count == 3,
          let seconds = Int(words[2], in: 0...Int(StartLedger.doubtMax))
        else { continue }
        doubt = BelievedTime.Doubt(wall: time, steady: MediaTime(seconds: Double(seconds)))
      case "without":
        safeMode = Int(words[1], in: 1...1000).map { SafeMode(deaths: $0, stationsSince: nil) }
      default: continue
      }
    }
    starts = starts.suffix(Self.startsMax)
    self.time = BelievedTime(seen: seen ?? lived, doubt: doubt)
  }

  /// Most seconds of doubt; a clock is doubted no longer.
  private static let doubtMax = 86_400

  var text: String {
    var lines = ["# Starts that were not followed by a minute of life or an orderly stop."]
    if let lived { lines.append("lived \(lived.rfc3339)") }
    if let seen = time.seen { lines.append("seen \(seen.rfc3339)") }
    if let doubt = time.doubt {
      lines.append("doubted \(doubt.wall.rfc3339) \(Int(bounded: doubt.steady.seconds))")
    }
    if eventID > 0 { lines.append("event \(eventID)") }
    if let safeMode { lines.append("without \(safeMode.deaths)") }
    lines += starts.map { "start \($0.time.rfc3339) \($0.boot)" }
    return lines.joined(separator: "\n") + "\n"
  }
}
