import TestSupport
import Timeshift
import Wire

/// What a log has said of itself, over all its lives: which frame stands where, and when it was on air.
///
/// It reads along at the edge. Between two marks frames are a run of the programme, without one missing or twice; over a
/// mark the programme goes on, and nothing is heard again.
final class Ledger {
  struct Entry {
    var position: UInt64
    var media: MediaTime
    var content: UInt64
    var encoding: Encoding
    /// Its place in the programme; nil: more than one is possible.
    var index: Int?
    var end: UInt64 { position + UInt64(encoding.frameBytes) }
  }

  struct Frame: Hashable {
    var encoding: Encoding
    var content: UInt64
  }

  let programme: SimulatedProgramme
  /// Where packets stood that a crash took from the log.
  private var lost: [Frame: Set<UInt64>] = [:]
  private(set) var entries: [Entry] = []
  private var places: [Int] = []
  private var isBehindHole = false
  /// What is wrong if the run goes on: of so few packets as prove nothing, nobody can tell that they were heard.
  private var suspicion: (violation: Violation, left: Double)?
  /// Of Ogg: where the newest page is in the log's stream.
  private var page: OggPage?
  private(set) var edge: UInt64 = 0
  /// Another encoding may say again what was heard, for so long; of a burst that comes hardly faster than it plays
  /// nobody can tell how long it is.
  private let overlapAllowed: Double
  /// The same of no other but another encoding.
  private let otherAllowed: Double

  init(
    _ programme: SimulatedProgramme, overlapAllowed: Double, ofOthers otherAllowed: Double
  ) {
    self.otherAllowed = otherAllowed
    self.programme = programme
    self.overlapAllowed = overlapAllowed
  }

  /// When the newest frame was over, by the programme.
  private var lastEnd: Double? {
    guard let last = entries.last, let place = places.min() else { return nil }
    return Double(place + 1) * last.encoding.frameSeconds
  }

  // MARK: Reading along

  func follow(_ reader: LogReader, _ scratch: UnsafeMutableRawBufferPointer, at now: Double) throws
  {
    while edge < reader.edge.position {
      let end = min(reader.edge.position, reader.nextFormatPosition(after: edge))
      switch reader.read(at: edge, upTo: end, limit: scratch.count, scratch: scratch) {
      case .bytes(let part) where !part.isEmpty:
        guard let media = reader.media(at: edge) else { return }
        try take(Array(part), from: media, reader, at: now)
      case .bytes, .liveEdge, .loading: return
      case .hole(let next), .overrun(let next):
        // What nobody can read any more.
        isBehindHole = true
        page = nil
        edge = next.position
      }
    }
  }

  private func take(
    _ bytes: [UInt8], from start: MediaTime, _ reader: LogReader, at now: Double
  ) throws {
    var rest = bytes[...]
    var media = start
    while !rest.isEmpty {
      guard let (encoding, content) = Encoding.read(rest) else {
        throw Violation(
          kind: "torn", text: "no whole frame at \(edge): \(rest.prefix(12))", at: now)
      }
      let isNewFormat = reader.formatPosition(at: edge) == edge
      // Headers alone, as a link's, are no seam.
      let isMarked =
        isBehindHole || edge == 0 || reader.gapPosition(after: edge &- 1) == edge
        || isNewFormat && encoding != entries.last?.encoding
      isBehindHole = false
      if encoding.isOgg { try follow(rest, isNewStream: isNewFormat, at: now) } else { page = nil }
      try take(content, encoding, media, isMarked: isMarked, at: now)
      media += MediaTime(samples: encoding.frameSamples, rate: 8000)
      edge += UInt64(encoding.frameBytes)
      rest = rest.dropFirst(encoding.frameBytes)
    }
  }

  /// Pages of the log are one stream, for as long as its headers are in force.
  private func follow(_ bytes: ArraySlice<UInt8>, isNewStream: Bool, at now: Double) throws {
    let next = SimulatedOgg.place(of: bytes)!
    defer { page = next }
    guard let page, !isNewStream else { return }
    guard next.serial == page.serial, next.sequence == page.sequence &+ 1,
      next.granule == page.granule + UInt64(SimulatedOgg.samples)
    else {
      throw Violation(
        kind: "page",
        text: "page \(next.sequence) of \(next.serial) behind \(page.sequence) of \(page.serial), "
          + "sample \(next.granule) behind \(page.granule) at \(edge)", at: now)
    }
  }

  private func take(
    _ content: UInt64, _ encoding: Encoding, _ media: MediaTime, isMarked: Bool, at now: Double
  ) throws {
    if let last = entries.last, !isMarked {
      guard encoding == last.encoding else {
        throw Violation(kind: "format", text: "another format without a mark at \(edge)", at: now)
      }
      places = places.map { $0 + 1 }.filter { programme.content($0, encoding) == content }
      // In a loop nobody hears how often it went round.
      if places.isEmpty, SimulatedProgramme.isPeriodic(last.content, content) {
        places = programme.places(of: content, encoding, from: now - 1000, to: now)
      }
      if places.isEmpty, SimulatedProgramme.isPeriodic(last.content, last.content) {
        places = programme.places(of: content, encoding, from: now - 1000, to: now).filter {
          SimulatedProgramme.isPeriodic(last.content, programme.content($0 - 1, encoding))
        }
      }
      if places.isEmpty {
        throw Violation(
          kind: "run", text: "\(told(last)) is followed by \(content) at \(edge)", at: now)
      }
      try confirm(encoding)
    } else {
      try cross(to: content, encoding, at: now)
    }
    entries.append(
      Entry(
        position: edge, media: media, content: content, encoding: encoding,
        index: places.count == 1 ? places[0] : nil))
  }

  /// What was heard before goes on.
  private func confirm(_ encoding: Encoding) throws {
    guard let left = suspicion?.left else { return }
    suspicion?.left = left - encoding.frameSeconds
    if left < 0 { throw suspicion!.violation }
  }

  /// Behind a mark.
  private func cross(to content: UInt64, _ encoding: Encoding, at now: Double) throws {
    let possible = programme.places(of: content, encoding, from: now - 1000, to: now)
    guard !possible.isEmpty else {
      throw Violation(kind: "foreign", text: "\(content) is not on air around \(now)", at: now)
    }
    suspicion = nil
    guard let last = entries.last, let lastEnd else { return places = possible }
    let frame = encoding.frameSeconds
    let newest = Double(possible.max()!) * frame
    let overlap = lastEnd - newest
    // Eight packets are what proves a run.
    let again = overlapAllowed > 1 ? overlapAllowed : 8 * frame
    let isSame = last.encoding == encoding
    // What is repeated within silence or a loop is not told apart.
    let isTold =
      !isSame || last.index.map(UInt64.init) == last.content && Int(content) == possible[0]
    let allowed = isSame ? max(frame / 2, again) : otherAllowed
    if overlap > allowed, isTold {
      let violation = Violation(
        kind: isSame ? "twice" : "overlap",
        text: "\(told(last)) is followed by \(encoding) \(content), \(overlap) s heard again",
        at: now)
      suspicion = (violation, allowed - frame)
    }
    places = possible.filter { Double($0) * frame > lastEnd - frame / 2 }
    if places.isEmpty { places = [possible.max()!] }
  }

  private func told(_ entry: Entry) -> String { "\(entry.encoding) \(entry.content)" }

  // MARK: Lives

  /// The log has opened again and goes on at `edge`.
  func reopen(at edge: UInt64, now: Double) throws {
    while let last = entries.last, last.position >= edge {
      lost[Frame(encoding: last.encoding, content: last.content), default: []].insert(last.position)
      entries.removeLast()
    }
    if edge > self.edge { isBehindHole = true }
    page = nil
    if let last = entries.last, last.end != edge, !isBehindHole {
      throw Violation(
        kind: "torn", text: "opened at \(edge), which is no boundary (\(last.end))", at: now)
    }
    if entries.isEmpty, edge != 0, !isBehindHole {
      throw Violation(kind: "foreign", text: "opened at \(edge), which nobody wrote", at: now)
    }
    self.edge = edge
    guard let last = entries.last else { return places = [] }
    places =
      last.index.map { [$0] }
      ?? programme.places(of: last.content, last.encoding, from: now - 1e6, to: now).suffix(1)
  }

  /// Whether the log had it elsewhere, and a crash took it there: an upstream sent it again, behind a gap.
  func isNewPacket(_ entry: Entry) -> Bool {
    let frame = Frame(encoding: entry.encoding, content: entry.content)
    return lost[frame]?.contains { $0 != entry.position } ?? false
  }

  /// The first entry at or behind a position.
  func place(of position: UInt64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].position < position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many of the frames from `oldest` on can be read, with each byte where it was.
  func verify(
    _ reader: LogReader, _ scratch: UnsafeMutableRawBufferPointer, at now: Double,
    wait: () -> Void
  ) throws -> (read: Int, holes: Set<UInt64>) {
    var position = reader.oldest.position
    var read = 0
    var holes: Set<UInt64> = []
    var waits = 0
    while position < min(reader.edge.position, edge) {
      var bytes: [UInt8] = []
      switch reader.read(
        at: position, upTo: min(reader.edge.position, position + 65_536), limit: scratch.count,
        scratch: scratch)
      {
      case .bytes(let part): bytes = Array(part)
      case .loading: break
      case .hole(let next):
        holes.insert(position)
        position = next.position
        continue
      case .overrun(let oldest): position = oldest.position
      case .liveEdge: return (read, holes)
      }
      if bytes.isEmpty {
        waits += 1
        if waits > 10_000 {
          throw Violation(kind: "stuck", text: "reading at \(position) never ends", at: now)
        }
        wait()
        reader.refresh()
        continue
      }
      let count = try check(bytes, from: position, at: now)
      read += count.frames
      position += UInt64(count.bytes)
    }
    return (read, holes)
  }

  /// Holds bytes of the log against what stood there; how many whole frames they are.
  private func check(
    _ bytes: [UInt8], from position: UInt64, at now: Double
  ) throws -> (frames: Int, bytes: Int) {
    var place = place(of: position)
    // What the ledger could not read when it was new, for all to read again later.
    if place == entries.count || entries[place].position > position {
      let unknown = place < entries.count ? Int(entries[place].position - position) : bytes.count
      let isInside = place > 0 && entries[place - 1].end > position
      if !isInside { return (0, min(unknown, bytes.count)) }
    }
    var offset = 0
    var frames = 0
    while place < entries.count, offset < bytes.count {
      let entry = entries[place]
      let at = position + UInt64(offset)
      if entry.position > at, frames > 0, entries[place - 1].end == at { break }
      guard entry.position == position + UInt64(offset) else {
        throw Violation(
          kind: "torn",
          text:
            "\(position) is inside a frame",
          at: now)
      }
      let part = bytes[offset..<min(bytes.count, offset + entry.encoding.frameBytes)]
      guard entry.encoding.isBeginning(part, of: entry.content) else {
        throw Violation(
          kind: "altered",
          text: "at \(entry.position) stood \(told(entry)), and now something else",
          at: now)
      }
      if part.count < entry.encoding.frameBytes { break }
      frames += 1
      offset += part.count
      place += 1
    }
    // A part of a frame is read again with the rest of it.
    guard frames > 0 else {
      throw Violation(kind: "torn", text: "\(bytes.count) bytes at \(position)", at: now)
    }
    return (frames, offset)
  }
}
