/// A player as real ones are: it follows a list from some segments behind its end, and loads each segment once.
///
/// It knows no socket and no clock: its crowd tells it what has come and when.
struct HLSFollower {
  enum Step {
    case list(String)
    case segment(String)
    /// Nothing until then, in monotonic nanoseconds.
    case rest(until: Int64)
  }

  /// Players begin so many segments' lengths behind the end (RFC 8216, section 6.3.3).
  private static let behind = 3.0

  /// Whether its lists are waited for; else it asks again after each segment's length.
  let waits: Bool
  /// What it tells of itself; nil: nothing.
  private let sid: String?
  /// The multivariant playlist, until that has named the other.
  private var list: String
  private var isLive = true
  /// The number of the segment that comes next.
  private(set) var next: UInt64?
  private var wanted: ArraySlice<HLSList.Segment> = []
  /// When it may ask for the list again.
  private var listAt: Int64 = 0
  /// Until when what it has lasts; nil before it plays.
  private var playsUntil: Int64?
  private(set) var stalls = 0

  /// - Parameter live: The path of the multivariant playlist.
  init(live: String, waits: Bool, sid: String?) {
    (list, self.waits, self.sid) = (live, waits, sid)
  }

  func step(at now: Int64) -> Step {
    if let segment = wanted.first { return .segment(told(folder + segment.address)) }
    if isLive { return .list(told(list)) }
    guard let next, waits else { return now < listAt ? .rest(until: listAt) : .list(told(list)) }
    return .list(told("\(list)?_HLS_msn=\(next)&_HLS_skip=v2"))
  }

  /// Takes in a list.
  ///
  /// - Parameter asked: When it asked for it.
  /// - Returns: What is wrong with it, in words; nil if nothing is.
  mutating func take(list body: [UInt8], asked: Int64) -> String? {
    if isLive { return take(live: body) }
    guard let taken = HLSList(body) else { return "a list without segments" }
    guard let before = next else {
      wanted = taken.last(seconds: Self.behind * taken.target)
      next = taken.next
      listAt = asked + Int64(taken.target * 1e9)
      return nil
    }
    if taken.next < before { return "a list that went back" }
    if waits, taken.next == before { return "a list that was not newer" }
    // A list that has not changed is asked for again after half the time (section 6.3.4).
    listAt = asked + Int64(taken.target * (taken.next > before ? 1e9 : 0.5e9))
    let new = taken.segments.drop { $0.number < before }
    if let first = new.first, first.number > before { return "a list that left out a segment" }
    wanted = new
    next = taken.next
    return nil
  }

  private mutating func take(live body: [UInt8]) -> String? {
    let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first(where: { !$0.hasPrefix("#") }) else {
      return "a list without variants"
    }
    list = folder + first
    isLive = false
    return nil
  }

  /// Takes in the segment that it asked for.
  mutating func takeSegment(at now: Int64) {
    guard let segment = wanted.popFirst() else { return }
    let length = Int64(segment.seconds * 1e9)
    if let end = playsUntil, end < now { stalls += 1 }
    playsUntil = max(playsUntil ?? now, now) + length
  }

  private var folder: String { String(list[...(list.lastIndex(of: "/") ?? list.startIndex)]) }

  private func told(_ path: String) -> String {
    guard let sid else { return path }
    return "\(path)\(path.contains("?") ? "&" : "?")CMCD=sid%3D%22\(sid)%22"
  }
}
