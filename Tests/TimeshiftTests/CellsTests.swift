import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// A log with whatever may happen to it, and beside it what a list of its packets says.
private final class RandomLog {
  private var random: SplitMix
  private let clock = ManualClock()
  private var configuration = LogConfiguration()
  private var log: PacketLog
  private var writer: LogWriter
  private var folder: PaperFolder
  private var model = PieceModel()
  private var settings: CellSettings
  private var wanted: CellSettings
  private var plan: (border: MediaTime, settings: CellSettings)?
  private var format = TestPacket.format
  private var eras = 0
  private var texts = 0
  /// What each name stood for, for ever.
  private var seen: [String: [Int64]] = [:]
  private var lives: [PieceKey: Int] = [:]
  private var newest: Int64 = 0
  private var wrong: String?
  private var isBegun = false
  private var isOver = false
  private var isFirst = true

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    wanted = Self.settings(&random)
    settings = wanted
    configuration.blockBytes = 2048
    configuration.windowBytes = 2048 * Int.random(in: 2...40, using: &random)
    configuration.retention = MediaTime(seconds: Double.random(in: 20...90, using: &random))
    configuration.cells = wanted
    if Bool.random(using: &random) {
      let offset = MediaTime(stored: Int64.random(in: 0..<100_000_000_000, using: &random))
      configuration.numberStart = NumberStart(
        programme: offset, number: Int64.random(in: 0..<1000, using: &random), discontinuities: 0)
      model.offset = offset
    }
    folder = PaperFolder(packetsMax: Int.random(in: 3...60, using: &random))
    log = PacketLog(memoryOnly: configuration, at: clock.now)
    writer = log.onlyWriter()
  }

  private static func settings(_ random: inout SplitMix) -> CellSettings {
    CellSettings(
      delay: Bool.random(using: &random)
        ? .zero : MediaTime(seconds: Double(Int.random(in: 0...12, using: &random))),
      seconds: [2, 3, 4, 6].randomElement(using: &random)!)
  }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// Returns what is wrong; nil if nothing is.
  func run() -> String? {
    begin()
    for _ in 0..<Int.random(in: 10...60, using: &random) where wrong == nil && !isOver {
      if chance(3) {
        wanted = Self.settings(&random)
        log.set(cells: wanted)
      }
      play()
      if chance(8) { check() }
      if chance(6) { restart() }
    }
    if !isOver { check() }
    writer.end()
    return wrong
  }

  private func begin() {
    model.eras.append(
      PieceModel.Era(
        packet: writer.edge.media, settings: settings, number: eras,
        position: writer.edge.position))
    eras += 1
  }

  private func play() {
    if model.packets.isEmpty {
      settings = wanted
      model.eras[0].settings = wanted
    }
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let isGap = chance(2)
      if isGap {
        let seconds = [0, 0.5, 40].randomElement(using: &random)!
        writer.markGap(seconds: seconds, cause: .upstreamAway)
        append(isCut: seconds > 0)
      } else {
        append(isCut: false)
      }
      if chance(3) { lateTitle() }
    }
    writer.publish(at: clock.now)
    if !isBegun {
      isBegun = true
      model.firstNumber = log.lists.withLock { $0.numbers[0].number }
    }
    settle()
    folder.write(log.lists.withLock { $0 }, model.packets)
  }

  private func append(isCut: Bool) {
    if chance(6) {
      texts += 1
      writer.markTitle(Title(text: "\(texts)"))
      model.titles.append(
        TitleMark(
          position: writer.edge.position, media: writer.edge.media,
          title: Title(text: "\(texts)"), air: .epoch))
    }
    let isStream = chance(2) && !model.packets.isEmpty
    if isStream { format.channels = 3 - format.channels }
    let point = writer.edge
    if let plan, programme(point.media) >= plan.border + settings.delay {
      // What has been forgotten cannot be divided anew.
      let reached = log.lists.withLock { $0.numbers.last?.border } ?? .zero
      if plan.border >= programme(reached) {
        settings = plan.settings
        model.eras.append(
          PieceModel.Era(
            border: plan.border, settings: settings, number: eras, position: point.position))
        eras += 1
      }
      self.plan = nil
    }
    let samples = Int.random(in: 1000...11_000, using: &random)
    let bytes = TestPacket.at(point.position, bytes: Int.random(in: 8...60, using: &random))
    writer.append(bytes.span, samples: samples, format: format)
    model.packets.append(
      PieceModel.Packet(
        position: point.position, media: point.media, end: writer.edge.media,
        isCut: isCut || isStream, isStream: isStream, isFirst: isFirst))
    isFirst = false
    clock.advance(seconds: (writer.edge.media - point.media).seconds)
  }

  private func lateTitle() {
    let from = model.titles.last.map { $0.position + 1 } ?? 0
    let places = model.packets.suffix(80).filter { $0.position >= from }
    guard let place = places.randomElement(using: &random) else { return }
    texts += 1
    let title = Title(text: "\(texts)")
    writer.markTitle(title, at: LogPoint(position: place.position, media: place.media))
    model.titles.append(
      TitleMark(
        position: place.position, media: place.media, title: title, air: .epoch,
        known: writer.edge.media))
  }

  private func programme(_ media: MediaTime) -> MediaTime { media + model.offset }

  /// Other cells may begin at the next border that both kinds have.
  private func settle() {
    guard plan?.settings ?? settings != wanted else { return }
    plan = nil
    if wanted == settings { return }
    var step = settings.seconds
    while step % wanted.seconds != 0 { step += settings.seconds }
    let first = model.eras[0].settings.seconds
    let length = MediaTime(second: Int64(first)).stored
    let begin = (model.offset.stored + length - 1) / length * length
    let from = max(programme(writer.edge.media).stored, begin)
    let common = MediaTime(second: Int64(step)).stored
    plan = (MediaTime(stored: (from + common - 1) / common * common), wanted)
  }

  private func restart() {
    writer.end()
    if chance(50) { folder.cut(spans: Int.random(in: 0...40, using: &random)) }
    let lists = folder.scanned()
    isFirst = true
    isOver = lists.edge.position == 0
    if isOver { return }
    // A folder has no cells that its log had given up; this one keeps the packets of all.
    let borders = lists.numbers.map { $0.programme(at: $0.border) }
    isOver = model.eras.contains { era in
      guard let border = era.border, let first = borders.first else { return false }
      return border > first && !borders.contains(border)
    }
    if isOver { return }
    let edge = lists.edge.position
    model.packets.removeAll { $0.position >= edge }
    let kept = folder.found
    model.titles.removeAll { !kept.contains($0.position) }
    model.eras.removeAll { $0.position >= edge }
    // Where the last packet's index cannot be read, its length is not known.
    var lastPacket = MediaTime.zero
    if chance(50), let last = model.packets.last, last.end == lists.edge.media {
      lastPacket = last.end - last.media
      isFirst = false
    }
    settings = model.eras.last!.settings
    format = lists.formats.last!.format
    plan = nil
    configuration.cells = wanted
    log = PacketLog(configuration, lists, disk: nil, lastPacket: lastPacket)
    writer = log.onlyWriter()
    newest = 0
    check()
    begin()
  }

  private func stop(_ text: String) { wrong = wrong ?? text }

  private func check() {
    let lists = log.lists.withLock { $0 }
    if lists.numbers.dropFirst().contains(where: { $0.isJump }) { stop("a jump") }
    let cells = Cells(lists, configuration, edge: lists.edge.media)
    let list = cells.list()
    let settled = lists.run?.isSettled == false ? lists.air.newest!.media : MediaTime.max
    let all = model.pieces()
    let known = all.filter { $0.cellEnd + $0.delay <= lists.edge.media && $0.cellEnd <= settled }
    let byNumber = Dictionary(known.map { ($0.number, $0) }) { first, _ in first }
    for piece in list.pieces {
      guard let plain = byNumber[piece.number] else {
        return stop("\(piece) is not among \(known.suffix(3))")
      }
      let era = lives[piece.key] ?? plain.era
      lives[piece.key] = era
      let same = PieceModel.Found(
        era: era, seconds: piece.key.seconds, cell: piece.cell, part: piece.part,
        start: piece.start, end: piece.end, number: piece.number,
        discontinuities: piece.discontinuities, title: piece.title, cellEnd: plain.cellEnd,
        delay: plain.delay)
      if same != plain { return stop("\(same)\nis listed for\n\(plain)") }
      // Nobody writes what leaves the memory.
      let written = lists.segments.last?.end.media ?? .zero
      let isLost =
        max(written, piece.start) < min(lists.memoryBegin.media, piece.end)
        && !lists.segments.isEmpty
      if piece.isGap != isLost { return stop("\(piece) is no gap, or one") }
      let name = "\(piece.key.text)/\(piece.cell)-\(piece.part)"
      let content = [
        piece.start.stored, piece.end.stored, piece.number, Int64(piece.title ?? 0),
        piece.programme.lowerBound.stored, piece.programme.upperBound.stored,
      ]
      if let before = seen[name], before != content { return stop("\(name) has become another") }
      seen[name] = content
      let answer = cells.piece(piece.key, cell: piece.cell, part: piece.part)
      if answer != (isLost ? .gone : .piece(piece)) {
        return stop("\(name) is not found")
      }
    }
    let numbers = list.pieces.map(\.number)
    if zip(numbers, numbers.dropFirst()).contains(where: { $0 + 1 != $1 }) {
      stop("a number is missing")
    }
    if let last = numbers.last, last != known.last?.number { stop("the newest piece is missing") }
    if let first = numbers.first {
      if first < newest { stop("the list begins earlier than before") }
      newest = first
    }
  }
}

@Suite struct CellsTests {
  @Test func `random logs have the pieces that a list of their packets shows`() {
    let isLong = getenv("LONGWAVE_LONG") != nil
    let seed = UInt64.random(in: 0...9999)
    print("seed \(seed)")
    for round in 0..<(isLong ? 10_000 : 2000) as Range<UInt64> {
      if let wrong = RandomLog(seed: seed << 32 + round).run() {
        Issue.record("seed \(seed), round \(round): \(wrong)")
        return
      }
    }
  }
}
