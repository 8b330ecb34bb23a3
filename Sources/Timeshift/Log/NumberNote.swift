import Wire

/// How far a station's log had come in programme time and in numbers, and when that was noted outside of the log.
///
/// A later log without that past goes on from there, so that numbers never go back.
public struct NumberNote: Hashable, Sendable {
  public var reached: NumberStart
  /// When it was noted, by the wall clock.
  public var wall: WallTime
  /// The same by the clock of that start of the machine.
  public var sinceBoot: MonotonicTime
  /// That start of the machine; nil if unknown.
  public var boot: BootID?
  /// Whether nothing came behind it: the log had ended.
  public var isFinal: Bool

  public init(_ reached: NumberStart, at now: Moment, isFinal: Bool, on boot: BootID? = .current) {
    self.init(reached, wall: now.wall, sinceBoot: now.sinceBoot, boot: boot, isFinal: isFinal)
  }

  public init(
    _ reached: NumberStart, wall: WallTime, sinceBoot: MonotonicTime, boot: BootID?, isFinal: Bool
  ) {
    (self.reached, self.wall, self.sinceBoot) = (reached, wall, sinceBoot)
    (self.boot, self.isFinal) = (boot, isFinal)
  }

  /// Seconds between two notes; so much may have come behind one, whatever a wall clock says.
  private static let pause = 60.0
  /// Pieces that a loss of power may take from the end of a folder: what was not synced, in the shortest cells.
  private static let lostMax: Int64 = 6
  /// Pieces of the cells at an end that a note and a folder may count differently.
  private static let slack: Int64 = 3

  /// Where a log goes on that does not have what the note is about.
  public func start(at now: Moment, on boot: BootID? = .current) -> NumberStart {
    if isFinal { return reached }
    let away = self.away(at: now, on: boot)
    // Titles may have cut each second. More numbers are left than a believed time away takes.
    let pieces = Int64(bounded: away.rounded(.up)) + 1
    return NumberStart(
      programme: reached.programme + MediaTime(seconds: away),
      number: reached.number.saturatingAdd(pieces), discontinuities: reached.discontinuities)
  }

  /// The number below which a log's past is too old to be what the note is about.
  public var least: Int64 { reached.number - (isFinal ? Self.slack : Self.lostMax) }

  /// Seconds since it was noted.
  private func away(at now: Moment, on boot: BootID?) -> Double {
    let then = BootTime(id: self.boot, time: sinceBoot)
    if boot != nil, let seconds = TimeAway.steady(since: then, at: now, on: boot) {
      return min(seconds, TimeAway.secondsMax)
    }
    return max(Self.pause, TimeAway.believed(now.wall.seconds(since: wall)) ?? 0)
  }
}

extension NumberStart {
  /// Numbers that are left to a log that goes on: a dozen years of six-second cells.
  private static let reserve: Int64 = 1 << 26
  /// Flicks of 51 years, so that cells of two seconds still have names for a dozen years.
  private static let programmes: Range<Int64> = 0..<1 << 60

  /// Makes one of values that were stored; nil if no log has come so far.
  public init?(programme: Int64, number: Int64, discontinuities: Int64) {
    let numbers = 0..<Int64(PieceName.numbersEnd) - Self.reserve
    guard Self.programmes.contains(programme), numbers.contains(number),
      numbers.contains(discontinuities)
    else { return nil }
    self.init(
      programme: MediaTime(stored: programme), number: number, discontinuities: discontinuities)
  }
}
