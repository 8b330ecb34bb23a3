import Media
import Timeshift
import Wire

/// The body of an answer that is a file, or a part of one. Nothing of the file itself is held, whatever its length.
final class FileBody: HeardBody {
  private let files: FileLibrary
  private let file: MediaFile
  private let hearing: OpenFiles.Hearing
  private let customer: AddressBlock?
  let path: String
  /// Whether the answer goes to the file's end.
  private let reachesEnd: Bool
  private let facts: MediaFacts
  private var index: MediaIndex?
  private let region: MediaRegion?
  private let repeats: Bool

  private var pieces: ArraySlice<RangedReply.Piece>
  /// Bytes of the first piece that have been sent.
  private var sent = 0
  /// Media time of all pieces before the first one.
  private var played = MediaTime.zero
  private var pace: FilePace
  private var fetch: FileFetch?
  /// Whether the file's packets are being counted.
  private var isCounting = false
  /// Time when the packets may be asked for (again), monotonic nanoseconds.
  private var countsAgainAt: Int64 = 0
  private static let countNanoseconds: Int64 = 30_000_000_000

  /// - Parameter customer: the address that hears the file.
  init(
    _ found: FoundFile, _ pieces: [RangedReply.Piece], from files: FileLibrary,
    for customer: AddressBlock?, burst: MediaTime, now: Int64
  ) {
    self.files = files
    self.customer = customer
    file = found.file
    hearing = found.hearing
    path = found.request.path
    facts = found.facts
    index = found.index
    region = found.region
    repeats = found.request.span?.repeats == true
    pace = FilePace(burst: burst, now: now)
    self.pieces = pieces.filter { $0.count > 0 }[...]
    reachesEnd = Self.reachesEnd(found, pieces)
  }

  private static func reachesEnd(_ found: FoundFile, _ pieces: [RangedReply.Piece]) -> Bool {
    if let span = found.request.span {
      if span.repeats { return false }
      if let region = found.region, let index = found.index, region.range.upperBound < index.end {
        return false
      }
    }
    guard case .part(let last)? = pieces.last else { return false }
    return last.upperBound == found.wholeLength
  }

  /// Media time that has been sent.
  var cursor: MediaTime { played + within }

  /// Media time of what has been sent of the first piece.
  private var within: MediaTime {
    guard case .part(let range)? = pieces.first else { return .zero }
    return media(at: range.lowerBound + sent) - media(at: range.lowerBound)
  }

  var isOut: Bool { pieces.isEmpty }

  var isHeardToEnd: Bool {
    isHeard(toEnd: reachesEnd, of: index?.duration ?? facts.media(at: file.bytes))
  }

  // MARK: Places

  /// Returns a place of the body as an offset in the file; made frames may stand in front.
  private func fileOffset(_ place: Int) -> UInt64 {
    guard let region else { return UInt64(place) }
    return region.range.lowerBound + UInt64(max(0, place - region.leadIn.count))
  }

  private func media(at place: Int) -> MediaTime {
    index?.media(at: fileOffset(place)) ?? facts.media(at: fileOffset(place))
  }

  /// Returns the place up to which audio until `media` reaches, in a piece that ends at `end`.
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
  /// Bytes brought into the page cache at once: the piece that is wanted, and three more.
  private static let fetchBytes = 4 * Sendings.pieceBytes

  func wantsShare(now: Int64) -> Bool { !pace.isPaced }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    let owed = pace.owed(cursor, isPrompt: isPrompt, now: now)
    switch pieces.first {
    case nil: return .out
    case .text(let bytes): return .bytes(scratch.holding(bytes[sent...].prefix(limit)))
    case .part(let range):
      let place = range.lowerBound + sent
      guard let end = end(of: range, upTo: owed, atMost: place.saturatingAdd(limit)) else {
        pace.caughtUp(isPrompt: isPrompt)
        return .wait(until: FilePace.due(after: now))
      }
      if let region, place < region.leadIn.count {
        return .bytes(scratch.holding(region.leadIn[place..<min(end, region.leadIn.count)]))
      }
      let offset = fileOffset(place)
      return present(offset..<offset + UInt64(end - place), now: now)
    }
  }

  /// Returns the end of what may be sent now of the first piece; nil when nothing may.
  private func end(of range: Range<Int>, upTo owed: MediaTime, atMost most: Int) -> Int? {
    let place = range.lowerBound + sent
    let owed = owed - played + media(at: range.lowerBound)
    let end = min(self.place(at: owed, end: range.upperBound), most)
    guard end > place else { return nil }
    // Otherwise a socket that takes everything would be sent what it is owed some bytes at a time.
    if end < range.upperBound, end < most, media(at: end) - media(at: place) < Self.least {
      return nil
    }
    return end
  }

  /// Returns the step that sends a range, or waits while bytes are fetched that are not in the page cache.
  private func present(_ range: Range<UInt64>, now: Int64) -> BodyStep {
    if let fetch {
      switch fetch.state {
      case .waiting: return .wait(until: now)
      case .failed: return .lost
      case .done: break
      }
    }
    let step = BodyStep.file(
      descriptor: file.descriptor, at: range.lowerBound, count: range.count)
    let ends = [range.lowerBound, range.upperBound - 1].map { file.presence(at: $0) }
    if ends.allSatisfy({ $0 == .present }) { return step }
    if !ends.contains(.absent), let fetch, fetch.range.contains(range.lowerBound),
      fetch.range.upperBound >= range.upperBound
    {
      return step
    }
    let wanted = FileFetch(
      file, range.lowerBound..<range.lowerBound + UInt64(Self.fetchBytes))
    fetch = wanted
    files.fetch(wanted)
    return .wait(until: now)
  }

  func took(_ count: Int, isAll: Bool, now: Int64) {
    pace.isStalled = !isAll
    sent += count
    guard let first = pieces.first, sent == first.count else { return }
    played += within
    if !repeats { pieces.removeFirst() }
    sent = 0
  }

  // MARK: Packets

  /// Has the packets counted for a client that is sent no more than plays. Until then a guess does, and for a client
  /// that stops early nothing has been read.
  func nextErrand(now: Int64) -> (@Sendable () async -> FileLibrary.IndexAnswer)? {
    guard pace.isPaced, index == nil, !isCounting, countsAgainAt <= now else { return nil }
    isCounting = true
    countsAgainAt = now + Self.countNanoseconds
    let (files, file, customer) = (files, file, customer)
    return { await files.index(of: file, for: customer) }
  }

  /// Takes the counted packets: what is owed is known exactly from now on.
  func learn(_ news: FileLibrary.IndexAnswer) {
    isCounting = false
    guard case .index(let index) = news else { return }
    let before = within
    self.index = index
    played += before - within
  }
}
