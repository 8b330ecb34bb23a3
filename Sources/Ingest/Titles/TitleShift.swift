import Timeshift
import Wire

/// Where a station's titles belong in its audio when they are announced too early or too late.
///
/// Used by the station's appender only. Lengths are the audio's own, counted in packets, so that a title is moved by
/// the same number of packets however the upstream's bytes came.
struct TitleShift {
  enum Place: Equatable {
    /// In front of the next packet.
    case next
    /// In front of a packet that is in the log already.
    case earlier(LogPoint)
    /// `begin` tells when.
    case later
  }

  struct Waiting: Equatable {
    var title: Title
    var isNews: Bool
    fileprivate var due: MediaTime
  }

  // At 60 s a title every second.
  private static let waitingMax = 64
  // 60 s of packets of 2.5 ms. Of shorter ones a title goes back less far.
  static let startsMax = 24_576

  private let length: MediaTime
  private var waiting: [Waiting] = []
  /// Where the packets of the last `-length` begin.
  private(set) var starts: [LogPoint] = []
  /// Those before have been passed.
  private var first = 0

  init(seconds: Double) { length = MediaTime(seconds: seconds) }

  var isShifting: Bool { length != .zero || !waiting.isEmpty }

  /// Goes on for a station with other settings: what still waits by another length takes effect at once.
  mutating func recall(_ previous: TitleShift) {
    let isSame = length == previous.length
    waiting = previous.waiting
    if !isSame { for index in waiting.indices { waiting[index].due = .zero } }
    if length < .zero { (starts, first) = (previous.starts, previous.first) }
  }

  /// Where a title belongs that is announced now; `next` is where the next packet goes, `newest` where the newest
  /// mark stands, which stays the newest but for this one.
  mutating func place(
    _ title: Title, isNews: Bool, before next: LogPoint, newest: UInt64?
  ) -> Place {
    if length > .zero {
      waiting.append(Waiting(title: title, isNews: isNews, due: next.media + length))
      if waiting.count > Self.waitingMax { waiting.removeFirst() }
      return .later
    }
    waiting.removeAll()
    let wanted = next.media + length
    let point = starts[first...].first { point in
      point.media >= wanted && newest.map { $0 < point.position } ?? true
    }
    return point.map(Place.earlier) ?? .next
  }

  /// The titles that take effect with the packet that begins at `point`.
  mutating func begin(packetAt point: LogPoint) -> [Waiting] {
    if length < .zero { remember(point) }
    let due = waiting.prefix { $0.due <= point.media }
    waiting.removeFirst(due.count)
    return Array(due)
  }

  private mutating func remember(_ point: LogPoint) {
    starts.append(point)
    while starts[first].media < point.media + length || starts.count - first > Self.startsMax {
      first += 1
    }
    // Halved seldom rather than shortened often.
    if first > starts.count / 2 {
      starts.removeFirst(first)
      first = 0
    }
  }
}
