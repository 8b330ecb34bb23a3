import Reactor
import Synchronization
import Timeshift
import Wire

/// Who was let in to a station by its authority, and who was not: what is made of samples is asked for all the time,
/// and a web service is not asked each time.
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
    /// Nil: it may listen.
    let refusal: HearingRefusal?
    /// Monotonic nanoseconds.
    let until: Int64
  }

  /// Seconds for which an answer counts.
  private static let admittedSeconds = 600.0
  private static let refusedSeconds = 10.0
  private static let entriesMax = 8192

  private let entries = Mutex<[Key: Entry]>([:])

  /// Returns what is known: a refusal, or nil for who may listen.
  func answer(
    _ authority: any ListenerAuthorizing, of station: String, to head: HTTPRequestHead,
    from client: Peer
  ) -> HearingRefusal?? {
    let key = Self.key(station, head, client)
    let now = MonotonicTime.now().nanoseconds
    guard let entry = entries.withLock({ $0[key] }), entry.until > now,
      entry.authority as AnyObject === authority as AnyObject
    else { return nil }
    return .some(entry.refusal)
  }

  func note(
    _ verdict: ListenerVerdict, by authority: any ListenerAuthorizing, of station: String,
    to head: HTTPRequestHead, from client: Peer
  ) {
    var (refusal, seconds): (HearingRefusal?, Double)
    switch verdict {
    case .admitted(let ticket):
      (refusal, seconds) = (nil, min(Self.admittedSeconds, ticket.timeMax ?? .infinity))
    // Another time it may be known.
    case .refused(429, _, _, _), .refused(503, _, _, _): return
    case .refused(let status, let code, let message, let fields):
      refusal = HearingRefusal(status: status, code: code, message: message, fields: fields)
      seconds = Self.refusedSeconds
    }
    let now = MonotonicTime.now().nanoseconds
    let entry = Entry(
      authority: authority, refusal: refusal,
      until: now.saturatingAdd(Int64(nanosecondsIn: seconds)))
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
