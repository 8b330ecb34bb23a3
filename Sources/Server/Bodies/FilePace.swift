import Timeshift

/// Delivery rule of a file: its burst goes as fast as the socket takes it, the rest as the file plays, by the rule that
/// paces listeners.
struct FilePace {
  private var pace: Pace
  /// Play point at which the burst began.
  private var burstBegan = MediaTime.zero
  /// Whether the socket has taken less than it was given: the play point waits then.
  var isStalled = false
  /// Whether the burst is over and the file goes as it plays. A client that took too little to hear the file has
  /// another burst.
  private(set) var isPaced = false

  init(burst: MediaTime, now: Int64) { pace = .placed(at: .zero, burst: burst, now: now) }

  /// Returns up to where the file may be sent now.
  ///
  /// - Parameters:
  ///   - cursor: media time that has been sent.
  ///   - isPrompt: whether all of the burst may go now; otherwise the file goes as it plays.
  mutating func owed(_ cursor: MediaTime, isPrompt: Bool, now: Int64) -> MediaTime {
    pace.advance(to: now, rate: 1)
    if isStalled, cursor < pace.playPoint {
      pace.wait(at: cursor)
      burstBegan = cursor
      isPaced = false
    }
    isStalled = false
    return isPrompt || isPaced ? pace.owed : owedWithoutBurst
  }

  /// As the file plays, and a quarter faster until the burst is there: a client that begins and breaks off gets next to
  /// nothing.
  private var owedWithoutBurst: MediaTime {
    min(pace.owed, pace.playPoint + (pace.playPoint - burstBegan).scaled(by: 0.25))
  }

  /// Notes that all is sent that was owed.
  mutating func caughtUp(isPrompt: Bool) { if isPrompt { isPaced = true } }

  /// Returns when to look again, monotonic nanoseconds.
  static func due(after now: Int64) -> Int64 { now + TickPlan.placedNanoseconds }
}

/// A body by which a client hears a file.
protocol HeardBody: Body {
  /// The file's path, as asked for.
  var path: String { get }
  /// Whether the file was heard up to its end.
  var isHeardToEnd: Bool { get }
}

extension HeardBody {
  /// Whether a file was heard to its end. A player that reads a file's last bytes for their tags has not heard the
  /// file. A listener hears 10 s up to the end, or all of a shorter file.
  func isHeard(toEnd reachesEnd: Bool, of length: MediaTime) -> Bool {
    reachesEnd && isOut && cursor >= min(MediaTime(seconds: 10), length)
  }
}
