import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Logs that began in memory, since their folder could not be used, and go over to it.
@Suite struct FolderTests {
  let clock = ManualClock()
  let directory = TemporaryDirectory()
  let storage = Storage()
  private static let second = 38.0 * 1152 / 44_100
  private static let kept = LogConfiguration(retention: MediaTime(seconds: 86_400))

  // MARK: What happens to a station

  private func play(_ station: NumberedLog, seconds: Int) {
    for _ in 0..<seconds {
      clock.advance(seconds: Self.second)
      station.append(38, at: clock.now)
      storage.runOnce(at: clock.now.monotonic)
    }
  }

  private func open() throws -> PacketLog {
    try PacketLog.open(
      directory: directory.path, configuration: Self.kept, storage: storage, at: clock.now
    ) { _ in }
  }

  /// The log of a relay that ran for so long and was stopped. Returns the next packet's number.
  @discardableResult private func write(seconds: Int) throws -> UInt64 {
    let station = NumberedLog(log: try open(), seconds: 0)
    play(station, seconds: seconds)
    station.log.close()
    return station.next
  }

  /// A relay that starts, and has `burst` seconds from its upstream at once; what is on air has number `now` by then.
  private func startInMemory(on air: UInt64, burst: Int, above told: UInt64 = 0) -> NumberedLog {
    let log = PacketLog(
      awaiting: storage, Self.kept, above: told, at: clock.now,
      since: StorageError(call: "opendir", path: directory.path, code: 5))
    let station = NumberedLog(log: log, seconds: 0, first: air - UInt64(burst * 38))
    station.append(UInt64(burst * 38), at: clock.now)
    return station
  }

  private func away(seconds: Int, _ next: UInt64) -> UInt64 {
    clock.advance(seconds: Double(seconds) * Self.second)
    return next + UInt64(seconds * 38)
  }

  private func takeFolder(_ log: PacketLog) throws -> Bool {
    try log.adoptFolder(directory.path, configuration: Self.kept, at: clock.now) { _ in }
  }

  // MARK: What readers get

  /// From there to the edge, over holes as listeners go.
  private func numbers(_ reader: LogReader, from start: UInt64) throws -> [UInt64] {
    var (bytes, position, waits): ([UInt8], UInt64, Int) = ([], start, 0)
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { scratch.deallocate() }
    reader.refresh(at: clock.now)
    while waits < 1000 {
      let answer = reader.read(
        at: position, upTo: reader.edge.position, limit: scratch.count, scratch: scratch)
      switch answer {
      case .bytes(let found) where !found.isEmpty:
        bytes += found
        position += UInt64(found.count)
        continue
      case .hole(let next), .overrun(let next):
        position = next.position
        continue
      case .liveEdge: return try NumberedFrames.numbers(in: bytes)
      case .bytes, .loading: waits += 1
      }
      storage.runOnce(at: clock.now.monotonic)
      reader.refresh(at: clock.now)
    }
    return []
  }

  private func all(_ log: PacketLog) throws -> [UInt64] {
    let reader = LogReader(log)
    return try numbers(reader, from: reader.oldest.position)
  }

  /// What is heard by who joins `seconds` behind the edge.
  private func number(_ log: PacketLog, behind seconds: Double) throws -> UInt64? {
    let reader = LogReader(log)
    for _ in 0..<100 {
      if let point = reader.point(atOrBefore: reader.edge.media - MediaTime(seconds: seconds)) {
        return try numbers(reader, from: point.position).first
      }
      storage.runOnce(at: clock.now.monotonic)
      reader.refresh(at: clock.now)
    }
    return nil
  }

  @Test(arguments: [1, 4, 30]) func `audio from memory goes on where the folder ends`(
    isAway: Int
  ) throws {
    let before = try write(seconds: 100)
    let station = startInMemory(on: away(seconds: isAway, before), burst: isAway + 5)
    let log = station.log
    let reader = LogReader(log)
    let (start, early) = (log.start.position, log.edge.position)
    play(station, seconds: 8)
    let heard = try numbers(reader, from: early)
    #expect(try takeFolder(log))
    // Whoever is anywhere in it goes on there.
    #expect(try numbers(reader, from: early) == heard)
    #expect(try numbers(reader, from: start).first == before - 5 * 38)
    play(station, seconds: 70)
    #expect(try numbers(reader, from: early) == Array(heard[0]..<station.next))
    #expect(try all(log) == Array(0..<station.next))
    #expect(LogReader(log).gapPosition(after: 0) == .max && log.snapshot().holes == 0)
    for seconds in [5, 60, 79, 83, 85, 90, 120, 170.0] {
      let expected = Double(station.next) - seconds * 44_100 / 1152
      let found = try #require(try number(log, behind: seconds))
      #expect(abs(Double(found) - expected) < 2, "\(seconds)")
    }
    log.close()
    // What is on the disk is the same at the same positions.
    let again = try open()
    #expect(again.edge.position == log.edge.position && again.oldest == .zero)
    #expect(try numbers(LogReader(again), from: early) == Array(heard[0]..<station.next))
    #expect(try all(again) == Array(0..<station.next))
    let length = MediaTime(samples: Int(station.next) * 1152, rate: 44_100)
    #expect(again.edge.media == length)
    #expect(again.snapshot().segmentsSetAside == 0)
    let more = NumberedLog(log: again, seconds: 0, first: station.next)
    play(more, seconds: 5)
    #expect(try all(again) == Array(0..<more.next))
    #expect(again.titles(limit: 999).map(\.title.text).reversed() == titles(upTo: more.next))
    let air = again.titles(limit: 999).map(\.air)
    #expect(air == air.sorted(by: >))
    again.close()
  }

  private func titles(upTo next: UInt64) -> [String] {
    (0...(next - 1) / 50).map { "Title \($0)" }
  }

  @Test(arguments: [-3600.0, -20, 300, 86_400])
  func `a wall clock that was set while nobody ran keeps nothing apart`(step: Double) throws {
    let before = try write(seconds: 100)
    clock.stepWall(seconds: step)
    let station = startInMemory(on: away(seconds: 10, before), burst: 15)
    play(station, seconds: 8)
    #expect(try takeFolder(station.log))
    #expect(try all(station.log) == Array(0..<station.next))
    // Who hears it a minute later hears the folder, whatever time it was there.
    let late = LogReader(station.log, delay: MediaTime(seconds: 60), at: clock.now)
    late.refresh(at: clock.now)
    let behind = station.log.edge.media - late.edge.media
    #expect(abs(behind.seconds - 60) < 1)
    station.log.close()
  }

  @Test(arguments: [-600.0, -30, 600, 7200])
  func `a wall clock set while the log is in memory keeps nothing apart`(step: Double) throws {
    let before = try write(seconds: 100)
    let station = startInMemory(on: away(seconds: 10, before), burst: 15)
    play(station, seconds: 12)
    clock.stepWall(seconds: step)
    play(station, seconds: 12)
    #expect(try takeFolder(station.log))
    #expect(try all(station.log) == Array(0..<station.next))
    station.log.close()
  }

  @Test func `a gap says how much is missing between the folder and the memory`() throws {
    let before = try write(seconds: 100)
    let station = startInMemory(on: away(seconds: 40, before), burst: 4)
    play(station, seconds: 20)
    #expect(try takeFolder(station.log))
    play(station, seconds: 5)
    let first = before + 36 * 38
    #expect(try all(station.log) == Array(0..<before) + Array(first..<station.next))
    let reader = LogReader(station.log)
    let gap = try #require(reader.gapMark(at: reader.gapPosition(after: 0)))
    #expect(gap.position == station.log.start.position && gap.cause == .restart)
    #expect(abs(gap.seconds - 36 * Self.second) < 1, "\(gap.seconds)")
    station.log.close()
    let again = try open()
    #expect(LogReader(again).gapMark(at: gap.position) == gap)
    #expect(again.snapshot().audioBytes == station.log.snapshot().audioBytes)
    #expect(again.snapshot().audioBytes < 3 << 20)
    again.close()
  }

  @Test func `a jingle that is played again is no join`() throws {
    // Ends with ten seconds that come once more forty seconds later.
    let station = NumberedLog(log: try open(), seconds: 0)
    play(station, seconds: 30)
    station.log.close()
    _ = away(seconds: 300, 0)
    let log = startInMemory(on: station.next, burst: 10).log
    let later = NumberedLog(log: log, seconds: 0, first: 100_000)
    play(later, seconds: 10)
    #expect(try takeFolder(log))
    #expect(try all(log).count == Int(station.next) + 380 + 380)
    log.close()
  }

  @Test func `audio that memory has no room for is missing, and told as a gap`() throws {
    let before = try write(seconds: 20)
    let station = startInMemory(on: away(seconds: 2, before), burst: 5)
    play(station, seconds: 600)
    #expect(try takeFolder(station.log))
    play(station, seconds: 5)
    let heard = try all(station.log)
    let first = try #require(heard.first { $0 > before + 1000 })
    #expect(heard == Array(0..<before) + Array(first..<station.next))
    // As much as for a disk that is slow: two minutes.
    #expect(station.next - first > 120 * 38)
    let reader = LogReader(station.log)
    let gap = try #require(reader.gapMark(at: reader.gapPosition(after: 0)))
    #expect(abs(gap.seconds - Double(first - before) * 1152 / 44_100) < 1)
    station.log.close()
  }

  @Test func `a folder with nothing in it takes all that came`() throws {
    let station = startInMemory(on: 500, burst: 5)
    play(station, seconds: 5)
    #expect(station.log.isAwaitingFolder && !station.log.isOnDisk)
    #expect(try takeFolder(station.log))
    #expect(!station.log.isAwaitingFolder && station.log.isOnDisk)
    play(station, seconds: 5)
    station.log.close()
    let again = try open()
    #expect(try all(again) == Array(310..<station.next))
    #expect(again.edge.media.seconds < 16)
    again.close()
  }

  @Test func `a log that has nothing yet, or is behind the folder, does not take it`() throws {
    let before = try write(seconds: 20)
    let empty = PacketLog(
      awaiting: storage, Self.kept, at: clock.now,
      since: StorageError(call: "opendir", path: directory.path, code: 5))
    #expect(try !takeFolder(empty))
    clock.stepWall(seconds: -clock.now.wall.seconds)
    let station = startInMemory(on: before, burst: 5)
    #expect(try !takeFolder(station.log))
    #expect(station.log.isAwaitingFolder)
    let again = try open()
    #expect(try all(again) == Array(0..<before))
    again.close()
  }

  /// Of a machine that does not know what time it is when it starts.
  @Test(arguments: [1_767_225_600.0, 86_400, 60])
  func `a clock that is set back takes no position back`(
    back: Double
  ) throws {
    let first = startInMemory(on: 500, burst: 5)
    play(first, seconds: 20)
    let told = first.log.edge.position
    play(first, seconds: 10)
    clock.advance(seconds: 5)
    clock.stepWall(seconds: -back)
    // Put down before the last of it was told.
    let second = startInMemory(on: first.next + 100, burst: 2, above: told)
    #expect(second.log.start.position > first.log.edge.position)
    // And what is in a folder of such a life is in front of it.
    #expect(try takeFolder(first.log))
    play(first, seconds: 5)
    first.log.close()
    play(second, seconds: 5)
    #expect(try takeFolder(second.log))
    let heard = try all(second.log)
    #expect(heard.last == second.next - 1 && heard.first == 310)
    second.log.close()
  }

  @Test(arguments: [UInt64(1) << 53, .max, .max - 1])
  func `positions stay exact whatever position the folder puts down`(
    told: UInt64
  ) {
    let log = startInMemory(on: 500, burst: 5, above: told).log
    #expect(log.start.position < 1 << 53 && log.start.position > 1 << 52)
  }

  @Test func `a delayed listener hears the folder's past first`() throws {
    let before = try write(seconds: 100)
    let station = startInMemory(on: away(seconds: 2, before), burst: 5)
    let reader = LogReader(station.log, delay: MediaTime(seconds: 60), at: clock.now)
    play(station, seconds: 10)
    reader.refresh(at: clock.now)
    #expect(reader.edge == reader.oldest)
    #expect(try takeFolder(station.log))
    func due() throws -> Double {
      for _ in 0..<10 {
        storage.runOnce(at: clock.now.monotonic)
        reader.refresh(at: clock.now)
      }
      let heard = try numbers(reader, from: reader.oldest.position)
      return Double(try #require(heard.last))
    }
    for _ in 0..<10 {
      let expected = Double(station.next) - 60 * 44_100 / 1152
      #expect(try abs(due() - expected) < 60)
      play(station, seconds: 10)
    }
    station.log.close()
  }

  @Test func `positions keep their packets through random restarts, bursts and folders found late`()
    throws
  {
    let seed = UInt64.random(in: 0...9999)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    var next: UInt64 = 0
    var known: [UInt64: UInt64] = [:]
    for round in 0..<12 {
      let isAway = Int.random(in: 0...40, using: &random)
      let burst = Int.random(in: 0...30, using: &random)
      let air = round == 0 ? 2000 : away(seconds: isAway, next)
      let station = startInMemory(on: air, burst: burst)
      let log = station.log
      play(station, seconds: Int.random(in: 1...30, using: &random))
      let reader = LogReader(log)
      func check(_ comment: Comment) throws {
        // Those that a stitched burst has twice are known at both.
        for (position, number) in known where number % 40 == 0 {
          guard position >= reader.oldest.position, position < reader.edge.position,
            case .bytes(let found) = read(reader, position)
          else { continue }
          #expect(NumberedFrames.number(of: Array(found)) == number, comment)
        }
      }
      func learn() {
        var position = reader.oldest.position
        reader.refresh(at: clock.now)
        while position < reader.edge.position {
          switch read(reader, position) {
          case .bytes(let found):
            let number = NumberedFrames.number(of: Array(found))!
            known[position] = number
            position += UInt64(NumberedFrames.frame(number).count)
          case .hole(let next), .overrun(let next): position = next.position
          case .liveEdge, .loading: return
          }
        }
      }
      learn()
      if Bool.random(using: &random) || round == 0 { #expect(try takeFolder(log)) }
      play(station, seconds: Int.random(in: 1...90, using: &random))
      try check("seed \(seed), round \(round)")
      learn()
      let heard = try all(log)
      #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed), \(round)")
      log.close()
      next = station.next
    }
  }

  private func read(_ reader: LogReader, _ position: UInt64) -> LogAnswer {
    let scratch = Self.scratch
    for _ in 0..<100 {
      let answer = reader.read(
        at: position, upTo: position + 418, limit: 418, scratch: scratch)
      guard case .loading = answer else { return answer }
      storage.runOnce(at: clock.now.monotonic)
      reader.refresh(at: clock.now)
    }
    return .loading
  }

  private nonisolated(unsafe) static let scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 418, alignment: 16)
}
