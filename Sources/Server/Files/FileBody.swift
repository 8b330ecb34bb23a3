import Glibc
import Media
import Timeshift
import Wire

/// The body of an answer that is a file: what is owed of it, by the rule that paces listeners, and what comes next. Of
/// the file itself nothing is held, whatever its length.
final class FileBody {
  /// What a turn comes to.
  enum Step {
    case bytes([UInt8])
    /// Bytes of the file, in the page cache.
    case file(at: UInt64, count: Int)
    /// Nothing is owed yet.
    case ahead
    /// It is being fetched.
    case loading
    /// It cannot be read any more.
    case lost
    case out
  }

  let file: MediaFile
  private let hearing: OpenFiles.Hearing
  /// The file's path, as asked for.
  let path: String
  /// How long the file lasts, as far as is known.
  fileprivate var media: MediaTime { index?.duration ?? facts.media(at: file.bytes) }
  /// Whether the answer goes to the file's end.
  let reachesEnd: Bool
  private let facts: MediaFacts
  private var index: MediaIndex?
  private let region: MediaRegion?
  private let repeats: Bool

  private var pieces: ArraySlice<RangedReply.Piece>
  /// Of the first piece.
  private var sent = 0
  /// What all pieces before the first one last.
  private var played = MediaTime.zero
  private var pace: Pace
  /// Where the play point was when its burst began.
  private var burstBegan = MediaTime.zero
  private var fetch: FileFetch?

  // In Ogg, where times are asked for:
  private(set) var maker: MediaPages?
  private var chunks: ArraySlice<MediaPages.Chunk> = []
  private var isMaking = false
  private var isMade = true

  /// Whether the socket has taken less than it was given: the play point waits then.
  var isStalled = false
  /// Whether it has had its burst and goes as it plays. Whoever took too little to hear it has another burst.
  private(set) var isPaced = false
  /// When it is looked at again, monotonic nanoseconds.
  var due: Int64 = 0
  var reading: SlowReading

  init(_ found: FoundFile, _ pieces: [RangedReply.Piece], burst: MediaTime, now: Int64) {
    file = found.file
    hearing = found.hearing
    reading = SlowReading(now: now)
    path = found.request.path
    facts = found.facts
    index = found.index
    region = found.region
    repeats = found.request.span?.repeats == true && found.pages == nil
    maker = found.pages
    isMade = found.pages == nil
    pace = .placed(at: .zero, burst: burst, now: now)
    self.pieces = pieces.filter { $0.count > 0 }[...]
    reachesEnd = Self.reachesEnd(found, pieces)
  }

  private static func reachesEnd(_ found: FoundFile, _ pieces: [RangedReply.Piece]) -> Bool {
    if let span = found.request.span {
      if span.repeats { return false }
      if found.pages != nil { return span.to.map { $0 >= found.index?.duration ?? .zero } ?? true }
      if let region = found.region, let index = found.index, region.range.upperBound < index.end {
        return false
      }
    }
    guard case .part(let last)? = pieces.last else { return false }
    return last.upperBound == found.wholeLength
  }

  /// Media time that has been sent.
  var cursor: MediaTime { played + within }

  /// What of the first piece has been sent lasts.
  private var within: MediaTime {
    guard case .part(let range)? = pieces.first else { return .zero }
    return media(at: range.lowerBound + sent) - media(at: range.lowerBound)
  }

  var needsIndex: Bool { index == nil }

  /// The packets are counted: what is owed is known exactly from now on.
  func use(_ index: MediaIndex) {
    let before = within
    self.index = index
    played += before - within
  }

  fileprivate var isOut: Bool { pieces.isEmpty && chunks.isEmpty && isMade }

  // MARK: Places

  /// In the body as a whole, where made frames may stand in front.
  private func fileOffset(_ place: Int) -> UInt64 {
    guard let region else { return UInt64(place) }
    return region.range.lowerBound + UInt64(max(0, place - region.leadIn.count))
  }

  private func media(at place: Int) -> MediaTime {
    index?.media(at: fileOffset(place)) ?? facts.media(at: fileOffset(place))
  }

  /// Up to where what lasts until `media` reaches, in a piece that ends at `end`.
  private func place(at media: MediaTime, end: Int) -> Int {
    let offset = index?.offset(at: media) ?? facts.offset(at: media)
    let first = region?.range.lowerBound ?? 0
    guard offset > first else { return 0 }
    let place = Int(clamping: offset - first)
    return min(
      end,
      place.addingReportingOverflow(region?.leadIn.count ?? 0).overflow
        ? end : place + (region?.leadIn.count ?? 0))
  }

  // MARK: Turns

  private static let least = MediaTime(seconds: 0.25)

  /// What comes next, at most `limit` bytes of it.
  ///
  /// - Parameter isPrompt: whether it may have all of its burst now; else it goes as it plays.
  func next(limit: Int, isPrompt: Bool, now: Int64) -> Step {
    pace.advance(to: now, rate: 1)
    if isStalled, cursor < pace.playPoint {
      pace.wait(at: cursor)
      burstBegan = cursor
      isPaced = false
    }
    isStalled = false
    if isPrompt || isPaced {
      let step = nextStep(limit: limit, upTo: pace.owed)
      if case .ahead = step { isPaced = true }
      return step
    }
    return nextStep(limit: limit, upTo: owedWithoutBurst)
  }

  /// As it plays, and a quarter faster until the burst is there: whoever begins and breaks off gets next to nothing.
  private var owedWithoutBurst: MediaTime {
    min(pace.owed, pace.playPoint + (pace.playPoint - burstBegan).scaled(by: 0.25))
  }

  private func nextStep(limit: Int, upTo owed: MediaTime) -> Step {
    if !isMade || !chunks.isEmpty { return nextChunk(limit: limit, upTo: owed) }
    switch pieces.first {
    case nil: return .out
    case .text(let bytes): return .bytes(Array(bytes[sent...].prefix(limit)))
    case .part(let range): return nextPart(range, limit: limit, upTo: owed)
    }
  }

  private func nextPart(_ range: Range<Int>, limit: Int, upTo owed: MediaTime) -> Step {
    let place = range.lowerBound + sent
    let owed = owed - played + media(at: range.lowerBound)
    let most = place.saturatingAdd(limit)
    let end = min(self.place(at: owed, end: range.upperBound), most)
    guard end > place else { return .ahead }
    // Else a socket that takes everything would be sent what it is owed some bytes at a time.
    if end < range.upperBound, end < most, media(at: end) - media(at: place) < Self.least {
      return .ahead
    }
    if let region, place < region.leadIn.count {
      return .bytes(Array(region.leadIn[place..<min(end, region.leadIn.count)]))
    }
    let offset = fileOffset(place)
    return isPresent(offset..<offset + UInt64(end - place))
  }

  private func isPresent(_ range: Range<UInt64>) -> Step {
    if let fetch {
      switch fetch.state {
      case .waiting: return .loading
      case .failed: return .lost
      case .done: break
      }
    }
    let step = Step.file(at: range.lowerBound, count: range.count)
    let ends = [range.lowerBound, range.upperBound - 1].map { file.presence(at: $0) }
    if ends.allSatisfy({ $0 == .present }) { return step }
    if !ends.contains(.absent), let fetch, fetch.range.contains(range.lowerBound),
      fetch.range.upperBound >= range.upperBound
    {
      return step
    }
    fetch = FileFetch(file, range.lowerBound..<range.lowerBound + UInt64(LoopServer.fetchBytes))
    return .loading
  }

  /// A piece that is to be fetched and is not yet; asked for once.
  func takeFetch() -> FileFetch? {
    guard let fetch, fetch.state == .waiting, asked !== fetch else { return nil }
    asked = fetch
    return fetch
  }

  private var asked: FileFetch?

  /// The socket has taken so much of it.
  func took(_ count: Int) {
    sent += count
    if let chunk = chunks.first {
      if sent < chunk.bytes.count { return }
      played += chunk.length
      chunks.removeFirst()
      sent = 0
      return
    }
    guard let first = pieces.first, sent == first.count else { return }
    played += within
    if !repeats { pieces.removeFirst() }
    sent = 0
  }

  // MARK: Ogg

  private func nextChunk(limit: Int, upTo owed: MediaTime) -> Step {
    guard let chunk = chunks.first else { return isMade ? .out : .loading }
    // A chunk that begins within what is owed goes out whole.
    guard sent > 0 || played <= owed else { return .ahead }
    return .bytes(Array(chunk.bytes[sent...].prefix(limit)))
  }

  /// Whoever makes the next chunk, lent out: at most two are ahead.
  func lendMaker() -> MediaPages? {
    guard !isMade, !isMaking, chunks.count < 2 else { return nil }
    isMaking = true
    return maker
  }

  /// It could not be made now.
  func giveBack(_ maker: MediaPages) {
    self.maker = maker
    isMaking = false
  }

  /// - Parameter chunk: nil: that was all.
  func take(_ chunk: MediaPages.Chunk?, from maker: MediaPages) {
    self.maker = maker
    isMaking = false
    if let chunk { chunks.append(chunk) } else { isMade = true }
  }
}

extension FileBody {
  /// A player that looks at a file's last bytes for their tags has not heard it: 10 s up to the end, or all of a shorter
  /// one, are a listener's.
  var isHeardToEnd: Bool {
    let enough = min(MediaTime(seconds: 10), media)
    return reachesEnd && isOut && cursor >= enough
  }
}
