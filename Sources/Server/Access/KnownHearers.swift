import Reactor
import Synchronization
import Timeshift
import Wire

/// The listeners whom a station's authority let in or refused. Requests for sound come all the time, and the web
/// service is not asked each time.
final class KnownHearers: Sendable {
  private struct Key: Hashable {
    var station: String
    var host: String
    var token: String?
    var secret: String?
    var agent: String?
  }

  private struct Entry {
    /// Another authority of the station has other answers.
    let authority: any ListenerAuthorizing
    /// When the ticket of who may listen ends, monotonic nanoseconds; nil where it does not say.
    let answer: Result<Int64?, HearingRefusal>
    /// Monotonic nanoseconds.
    let until: Int64
  }

  /// Seconds for which an answer counts.
  private static let admittedSeconds = 600.0
  private static let refusedSeconds = 10.0
  private static let entriesMax = 8192

  private let entries = Mutex<[Key: Entry]>([:])

  /// Returns what is known: a refusal, or for who may listen the seconds that are left of its ticket, nil where it does
  /// not say.
  func answer(
    _ authority: any ListenerAuthorizing, of station: String, to head: HTTPRequestHead,
    from client: Peer
  ) -> Result<Double?, HearingRefusal>? {
    let key = Self.key(station, head, client)
    let now = MonotonicTime.now().nanoseconds
    guard let entry = entries.withLock({ $0[key] }), entry.until > now,
      entry.authority as AnyObject === authority as AnyObject
    else { return nil }
    return entry.answer.map { end in end.map { Double($0.saturatingSubtract(now)) / 1e9 } }
  }

  func note(
    _ verdict: ListenerVerdict, by authority: any ListenerAuthorizing, of station: String,
    to head: HTTPRequestHead, from client: Peer
  ) {
    let now = MonotonicTime.now().nanoseconds
    func end(in seconds: Double) -> Int64 { now.saturatingAdd(Int64(nanosecondsIn: seconds)) }
    let (answer, seconds): (Result<Int64?, HearingRefusal>, Double)
    switch verdict {
    case .admitted(let ticket):
      answer = .success(ticket.timeMax.map(end))
      seconds = min(Self.admittedSeconds, ticket.timeMax ?? .infinity)
    // Another time it may be known.
    case .refused(429, _, _, _), .refused(503, _, _, _): return
    case .refused(let status, let code, let message, let fields):
      answer = .failure(
        HearingRefusal(status: status, code: code, message: message, fields: fields))
      seconds = Self.refusedSeconds
    }
    let entry = Entry(authority: authority, answer: answer, until: end(in: seconds))
    let key = Self.key(station, head, client)
    entries.withLock { entries in
      if entries.count >= Self.entriesMax {
        entries = entries.filter { $0.value.until > now }
        if entries.count >= Self.entriesMax { entries = [:] }
      }
      entries[key] = entry
    }
  }

  private static func key(_ station: String, _ head: HTTPRequestHead, _ client: Peer) -> Key {
    Key(
      station: station, host: client.host, token: head.query["token"],
      secret: head.fields["Authorization"], agent: head.fields["User-Agent"])
  }
}
