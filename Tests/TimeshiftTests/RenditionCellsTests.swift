import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// A log and its folder without a disk.
private struct PaperLog {
  var log: PacketLog
  var writer: LogWriter
  var folder: PaperFolder
  var configuration: LogConfiguration
  var packets: [PieceModel.Packet] = []
  var wasCut = false

  init(_ configuration: LogConfiguration, packetsMax: Int, at now: Moment) {
    self.configuration = configuration
    folder = PaperFolder(packetsMax: packetsMax)
    log = PacketLog(memoryOnly: configuration, at: now)
    writer = log.onlyWriter()
  }

  var lists: LogLists { log.lists.withLock { $0 } }

  mutating func append(_ bytes: [UInt8], samples: Int, format: AudioFormat) -> LogPoint {
    let point = writer.edge
    writer.append(bytes.span, samples: samples, format: format)
    packets.append(
      PieceModel.Packet(
        position: point.position, media: point.media, end: writer.edge.media, isCut: false,
        isStream: false, isFirst: false))
    return point
  }

  mutating func publish(at now: Moment) {
    writer.publish(at: now)
    folder.write(lists, packets)
  }

  /// - Returns: whether anything is left.
  mutating func restart(losing spans: Int) -> Bool {
    writer.end()
    folder.cut(spans: spans)
    let lists = folder.scanned()
    wasCut = spans > 0
    if lists.edge.position == 0 { return false }
    packets.removeAll { $0.position >= lists.edge.position }
    log = PacketLog(configuration, lists, disk: nil)
    writer = log.onlyWriter()
    return true
  }

  func cells() -> Cells {
    let lists = lists
    return Cells(lists, configuration, edge: lists.edge.media)
  }
}

/// An original and a rendition of it with whatever may happen to them.
private final class RandomRendition {
  private var random: SplitMix
  private let clock = ManualClock()
  /// Where titles may come late, the life of an original's packets is forgotten before them.
  private let isDelayed: Bool
  private var original: PaperLog
  private var rendition: PaperLog
  private var model = RenditionModel()
  private var gaps: [MediaTime] = []
  private var format = TestPacket.format
  private var texts = 0
  private var processes = 0
  private var startsProcess = true

  /// Where in the original the next packet is heard, and where the encoder began; nil while nothing is made.
  private var job: (next: MediaTime, begin: MediaTime, run: Int, samples: Int)?
  private var runs = 0
  private var serial = 0
  /// What each name stood for, for ever.
  private var seen: [String: [Int64]] = [:]
  private var names: [String: (key: PieceKey, cell: Int64, part: Int)] = [:]
  private var listed: [Int64: (name: String, isGap: Bool)] = [:]
  private var wrong: String?
  private(set) var made = 0

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    isDelayed = Int.random(in: 0..<3, using: &random) == 0
    var configuration = LogConfiguration()
    configuration.blockBytes = 2048
    configuration.windowBytes = 2048 * Int.random(in: 2...60, using: &random)
    configuration.retention = MediaTime(seconds: Double.random(in: 40...200, using: &random))
    configuration.cells = Self.settings(&random, isDelayed)
    if Bool.random(using: &random) {
      configuration.numberStart = NumberStart(
        programme: MediaTime(stored: Int64.random(in: 0..<100_000_000_000, using: &random)),
        number: Int64.random(in: 0..<1000, using: &random), discontinuities: 0)
    }
    let packetsMax = Int.random(in: 3...80, using: &random)
    original = PaperLog(configuration, packetsMax: packetsMax, at: clock.now)
    configuration.numberStart = nil
    configuration.cells = Self.settings(&random, true)
    configuration.windowBytes = 2048 * Int.random(in: 2...60, using: &random)
    configuration.retention = MediaTime(seconds: Double.random(in: 40...200, using: &random))
    rendition = PaperLog(configuration, packetsMax: packetsMax * 3, at: clock.now)
  }

  private static func settings(_ random: inout SplitMix, _ isDelayed: Bool) -> CellSettings {
    CellSettings(
      delay: !isDelayed || Bool.random(using: &random)
        ? .zero : MediaTime(seconds: Double(Int.random(in: 0...12, using: &random))),
      seconds: [2, 3, 4, 6].randomElement(using: &random)!)
  }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// Returns what is wrong; nil if nothing is.
  func run() -> String? {
    for _ in 0..<Int.random(in: 10...60, using: &random) where wrong == nil {
      if chance(3) { original.log.set(cells: Self.settings(&random, isDelayed)) }
      if chance(3) { rendition.log.set(cells: Self.settings(&random, true)) }
      play()
      if chance(85) { make() }
      if chance(5) { job = nil }
      if chance(8) { check() }
      if chance(6), !restart() { return wrong }
    }
    check()
    original.writer.end()
    rendition.writer.end()
    return wrong
  }

  // MARK: The original

  private func play() {
    for _ in 0..<Int.random(in: 1...25, using: &random) {
      if chance(1) {
        let seconds = [0, 0.5, 40].randomElement(using: &random)!
        original.writer.markGap(seconds: seconds, cause: .upstreamAway)
        if seconds > 0 { gaps.append(original.writer.edge.media) }
      }
      if chance(4) {
        texts += 1
        original.writer.markTitle(Title(text: "\(texts)"))
      }
      if chance(1) { format.channels = 3 - format.channels }
      if startsProcess {
        model.processes.starts.append((original.writer.edge.media, processes))
        (processes, startsProcess) = (processes + 1, false)
      }
      let samples = Int.random(in: 4000...11_000, using: &random)
      let bytes = TestPacket.at(
        original.writer.edge.position, bytes: Int.random(in: 8...60, using: &random))
      _ = original.append(bytes, samples: samples, format: format)
      clock.advance(seconds: Double(samples) / Double(format.sampleRate))
    }
    original.publish(at: clock.now)
  }

  // MARK: The rendition

  private func begin(at media: MediaTime) {
    let length = [1152, 2304, 3456].randomElement(using: &random)!
    var next = media
    repeat {
      next = media - MediaTime(seconds: Double.random(in: 0...0.06, using: &random))
      // Else the rendition could not tell that another run begins.
    } while model.packets.last.map {
      abs(($0.until - next).stored) < MediaTime(seconds: 0.002).stored
    } ?? false
    job = (next, media, runs, length)
    runs += 1
  }

  private func make() {
    let edge = original.lists.edge.media
    if let now = job, edge - now.next > MediaTime(seconds: 60) { job = nil }
    if job == nil {
      let oldest = original.lists.oldest.media
      let ended = max(model.packets.last?.until ?? .zero, oldest)
      let fresh = edge - MediaTime(seconds: Double.random(in: 0...20, using: &random))
      let from = chance(50) && edge - ended < MediaTime(seconds: 10) ? ended : max(ended, fresh)
      if from >= edge { return }
      begin(at: from)
    }
    let stop = edge - MediaTime(seconds: chance(20) ? Double.random(in: 0...30, using: &random) : 0)
    while let now = job {
      let length = MediaTime(samples: now.samples, rate: 44_100)
      let gap = gaps.first { $0 > now.begin }
      if let gap, now.next >= gap {
        begin(at: gap)
        continue
      }
      guard now.next + length <= stop || gap != nil else { break }
      append(now.next, length, now.run, now.samples)
      job?.next += length
      // What leaves the memory before it is written would be lost, and its marks with it.
      if rendition.writer.edge.position - rendition.lists.edge.position > 1024 {
        rendition.publish(at: clock.now)
      }
    }
    rendition.publish(at: clock.now)
  }

  private func append(_ start: MediaTime, _ length: MediaTime, _ run: Int, _ samples: Int) {
    let place = original.lists.programme(at: start)
    rendition.writer.markProgramme(place)
    if chance(1) { rendition.writer.markTitle(Title(text: "\(serial)")) }
    let bytes = TestPacket.at(
      rendition.writer.edge.position, bytes: Int.random(in: 8...20, using: &random))
    let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 1)
    let point = rendition.append(bytes, samples: samples, format: format)
    serial += 1
    model.packets.append(
      RenditionModel.Packet(
        position: point.position, media: point.media, end: point.media + length, start: start,
        until: start + length, run: run,
        process: (
          model.processes.number(at: start), model.processes.number(at: start + length - .flick)
        ), serial: serial, isNamed: place.map { $0.time >= .zero } ?? false))
  }

  private func restart() -> Bool {
    let which = Int.random(in: 0..<4, using: &random)
    if which != 1 {
      guard original.restart(losing: chance(50) ? Int.random(in: 0...40, using: &random) : 0)
      else { return false }
      let edge = original.lists.edge.media
      gaps.removeAll { $0 >= edge }
      // What was made of audio behind the edge was lost with it, whether there is other audio yet or not.
      model.processes.starts.removeAll { $0.media >= edge }
      model.processes.starts.append((edge, processes))
      processes += 1
      format = original.lists.formats.last!.format
    }
    if which != 2 {
      guard rendition.restart(losing: chance(50) ? Int.random(in: 0...90, using: &random) : 0)
      else { return false }
      let edge = rendition.lists.edge.position
      model.packets.removeAll { $0.position >= edge }
    }
    job = nil
    if original.wasCut || rendition.wasCut { listed = [:] }
    check()
    return true
  }

  // MARK: Checks

  private func stop(_ text: String) { wrong = wrong ?? text }

  private func content(_ piece: Piece, _ packets: [RenditionModel.Packet]) -> [Int64] {
    [piece.programme.lowerBound.stored, piece.programme.upperBound.stored, piece.number]
      + packets.map { Int64($0.serial) }
  }

  private func heard(_ piece: Piece) -> [RenditionModel.Packet] {
    model.packets.filter { $0.media >= piece.start && $0.media < piece.end }
  }

  private func isReadable(_ piece: Piece, _ lists: LogLists) -> Bool {
    let written = lists.segments.last?.end.media ?? .zero
    let isLost =
      max(written, piece.start) < min(lists.memoryBegin.media, piece.end)
      && !lists.segments.isEmpty
    return piece.start >= lists.oldest.media && !isLost
  }

  private func check() {
    let (whole, own) = (original.cells(), rendition.cells())
    let lists = rendition.lists
    let there = whole.list()
    let here = own.list(like: there, of: whole)
    let all = own.pieces(like: there.pieces, of: whole)
    let runs = model.runs()
    guard all.count == there.pieces.count else { return stop("pieces are missing") }
    let first = here.pieces.first?.number ?? .max
    var reached = there.pieces.first?.number ?? 0
    for (piece, found) in zip(there.pieces, all) {
      var same = found
      (same.key, same.start, same.end, same.isGap) = (
        piece.key, piece.start, piece.end, piece.isGap
      )
      (same.codec, same.missing, same.seams) = (piece.codec, piece.missing, piece.seams)
      if same != piece { return stop("\(found) is not\n\(piece)") }
      let wanted = model.packets(of: piece, runs)
      // Between a border and the oldest packet another one may have been given up.
      let oldest = lists.oldest.position
      let isWhole =
        wanted.first.map { $0.position > oldest || $0.start == piece.start } ?? false
        && wanted.allSatisfy { $0.position >= oldest }
      if found.isGap {
        if isWhole, found.start == .zero || isReadable(found, lists) {
          return stop("\(found) is there: \(wanted)\nfor \(piece)\n\(lists.numbers)")
        }
      } else {
        let packets = heard(found)
        guard packets.map(\.serial) == wanted.map(\.serial) else {
          return stop("\(found) has \(packets)\n, wanted are \(wanted)\nfor \(piece)")
        }
        guard isReadable(found, lists) else { return stop("\(found) cannot be read") }
        made += 1
        let stamp = found.programme(at: packets[0].media)
        let wanted = piece.programme.lowerBound + (packets[0].start - piece.start)
        if stamp != wanted { return stop("\(found) begins at \(stamp), not \(wanted)") }
      }
      let isFinal =
        !found.isGap || piece.end <= (runs.last?.reached ?? .zero)
        || piece.end <= whole.edge - Cells.lateMax
      if isFinal, reached == piece.number { reached += 1 }
      let name = "\(found.key.text)/\(found.cell)-\(found.part)"
      let answer = own.piece(found.key, cell: found.cell, part: found.part, like: whole)
      if answer != (found.isGap ? .gone : .piece(found)) {
        return stop("\(name) is not found: \(answer)")
      }
      guard !found.isGap else { continue }
      let content = content(found, heard(found))
      if let before = seen[name], before != content { return stop("\(name) has become another") }
      seen[name] = content
      names[name] = (found.key, found.cell, found.part)
    }
    check(here, there, first, reached, own, whole, lists)
  }

  private func check(
    _ here: CellList, _ there: CellList, _ first: Int64, _ reached: Int64, _ own: Cells,
    _ whole: Cells, _ lists: LogLists
  ) {
    let numbers = here.pieces.map(\.number)
    if zip(numbers, numbers.dropFirst()).contains(where: { $0 + 1 != $1 }) {
      stop("a number is missing")
    }
    let begin = there.pieces.first?.number ?? 0
    if let last = numbers.last, last + 1 < reached { stop("\(last) is the last before \(reached)") }
    if numbers.isEmpty, reached > begin, lists.oldest.media == .zero {
      stop("nothing is listed up to \(reached)")
    }
    if first > begin, first != .max, lists.oldest.media == .zero {
      stop("the list begins late at \(first)")
    }
    // Nobody writes what leaves the memory.
    for piece in here.pieces where !piece.isGap || piece.start == .zero {
      let name = "\(piece.key.text)/\(piece.cell)-\(piece.part)"
      if let before = listed[piece.number], before != (name, piece.isGap), !isDelayed {
        return stop("\(before) is listed as \(name), \(piece.isGap)")
      }
      listed[piece.number] = (name, piece.isGap)
    }
    // What is not listed any more still is what it was.
    for (name, place) in names.shuffled(using: &random).prefix(50) {
      let answer = own.piece(place.key, cell: place.cell, part: place.part, like: whole)
      guard case .piece(let piece) = answer else { continue }
      if content(piece, heard(piece)) != seen[name] { return stop("\(name) has become another") }
    }
  }
}

/// Pieces of renditions: their original's list, other bytes.
@Suite struct RenditionCellsTests {
  @Test func `random renditions have the pieces that a list of their packets shows`() {
    let isLong = getenv("LONGWAVE_LONG") != nil
    let seed = UInt64.random(in: 0...9999)
    print("seed \(seed)")
    var made = 0
    for round in 0..<(isLong ? 5000 : 300) as Range<UInt64> {
      let test = RandomRendition(seed: seed << 32 + round)
      if let wrong = test.run() {
        Issue.record("seed \(seed), round \(round): \(wrong)")
        return
      }
      made += test.made
    }
    #expect(made > 1000)
  }
}
