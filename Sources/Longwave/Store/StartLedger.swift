import Timeshift
import Wire

/// Which starts of a relay were followed by its death within a minute: what is stored may have brought it about, and
/// would again. Pure; `StartWatch` keeps it in `DATA/starts`.
///
/// A start is put down before anything stored is read, and crossed out by an orderly stop or a minute of life. Whatever
/// ended the process counts, also what it could not have told of (SIGKILL, no memory); but a restart of the machine does
/// not, which is known by the kernel's boot id.
struct StartLedger: Hashable, Sendable {
  struct Start: Hashable, Sendable {
    var time: WallTime
    /// The kernel's, of `/proc/sys/kernel/random/boot_id`.
    var boot: String
  }

  /// Not crossed out, oldest first.
  private(set) var starts: [Start] = []
  /// When a relay was last known to have lived for a minute.
  private(set) var lived: WallTime?
  /// When a relay last ran, and whether the clock is doubted.
  var time = BelievedTime()
  /// What the relay that runs now was started without.
  private(set) var safeMode: SafeMode?

  /// So many deaths in a row, and the next start is one with less.
  static let deathsMax = 3
  /// Seconds after which a start has gone well.
  static let life = 60.0
  /// More says nothing new.
  private static let startsMax = 16

  /// Puts a start down. Returns what it is to be without; nil: nothing.
  mutating func begin(at now: WallTime, boot: String) -> SafeMode? {
    starts.removeAll { $0.boot != boot }
    safeMode =
      starts.count < Self.deathsMax
      ? nil
      : SafeMode(
        deaths: starts.count, stationsSince: starts.count == Self.deathsMax ? lived : nil)
    starts = starts.suffix(Self.startsMax - 1) + [Start(time: now, boot: boot)]
    return safeMode
  }

  /// The relay lives, for a minute or more now.
  mutating func live(at now: WallTime) {
    starts = []
    // Without what is suspected nothing is proven: the next death may have the same cause.
    if safeMode == nil { lived = now }
  }

  /// The relay ends as it should. `hasStarted`: it ran; else it could not start, which proves nothing of those before.
  mutating func stop(hasStarted: Bool) {
    if hasStarted { starts = [] } else if !starts.isEmpty { starts.removeLast() }
    safeMode = nil
  }
}

/// What a relay is started without after it has died at each of its last starts.
///
/// Recordings do not go on, schedules are not followed, sessions are not known. Of the stations that were added by
/// command those are left out that were added or changed last. Nothing of it is deleted.
public struct SafeMode: Hashable, Sendable {
  /// How often it has died in a row.
  public var deaths: Int
  /// Stations that were added or changed since are left out, the newest in any case; nil: all, since the relay has never
  /// lived for a minute, or has died without those as well.
  var stationsSince: WallTime?

  /// In words that follow "started".
  var text: String {
    "without recordings, schedules, sessions and the stations that were added last, since it has "
      + "died within a minute of each of its last \(deaths) starts"
  }
}

// MARK: As text

extension StartLedger {
  /// A line each; what is no line of ours is passed over.
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

  /// Seconds; more is not doubted any more.
  private static let doubtMax = 86_400

  var text: String {
    var lines = ["# Starts that were not followed by a minute of life or an orderly stop."]
    if let lived { lines.append("lived \(lived.rfc3339)") }
    if let seen = time.seen { lines.append("seen \(seen.rfc3339)") }
    if let doubt = time.doubt {
      lines.append("doubted \(doubt.wall.rfc3339) \(Int(bounded: doubt.steady.seconds))")
    }
    if let safeMode { lines.append("without \(safeMode.deaths)") }
    lines += starts.map { "start \($0.time.rfc3339) \($0.boot)" }
    return lines.joined(separator: "\n") + "\n"
  }
}
