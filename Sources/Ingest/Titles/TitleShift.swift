import Timeshift
import Wire

/// Moves a station's titles in its audio if they are announced too early or too late.
///
/// Used by the station's appender only. Lengths are the audio's own, counted in packets. So a title is moved by the
/// same number of packets however the upstream's bytes arrived.
struct TitleShift {
  enum Place: Equatable {
    /// In front of the next packet.
    case next
    /// In front of a packet that is in the log already.
    case earlier(LogPoint)
    /// In front of a later packet; `begin` tells which.
    case later
  }

  struct Waiting: Equatable {
    var title: Title
    var isNews: Bool
    fileprivate var due: MediaTime
  }

  // The most waiting titles: at 60 s one every second.
  private static let waitingMax = 64
  // The most packets remembered: 60 s of packets of 2.5 ms. Among shorter packets a title moves back less far.
  static let startsMax = 24_576

  private let length: MediaTime
  private var waiting: [Waiting] = []
  /// The beginnings of the packets of the last `-length`.
  private(set) var starts: [LogPoint] = []
  /// The index of the first start within the length; those before it have been passed.
  private var first = 0

  init(seconds: Double) { length = MediaTime(seconds: seconds) }

  var isShifting: Bool { length != .zero || !waiting.isEmpty }

  /// Goes on for a station with other settings. Titles that wait by another length take effect at once.
  mutating func recall(_ previous: TitleShift) {
    let isSame = length == previous.length
    waiting = previous.waiting
    if !isSame { for index in waiting.indices { waiting[index].due = .zero } }
    if length < .zero { (starts, first) = (previous.starts, previous.first) }
  }

  /// Returns where a title belongs that is announced now. `next` is where the next packet goes.
  ///
  /// `newest` is the newest mark's position; the moved title must stand behind it.
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

  /// Returns the titles that take effect with the packet that begins at `point`.
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
    // Removes the passed half rarely rather than single ones often.
    if first > starts.count / 2 {
      starts.removeFirst(first)
      first = 0
    }
  }
}
