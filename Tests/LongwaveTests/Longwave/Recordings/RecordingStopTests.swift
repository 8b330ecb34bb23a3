import Foundation
import Logging
import Server
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import Store

// A recording that is stopped while its disk is full or hangs.
extension RecordingTests {
  private func numbers(_ entry: RecordingEntry) throws -> [UInt64] {
    try entry.files.flatMap { try NumberedFrames.numbers(in: audio(file($0.name))) }
  }

  private func stop(at log: PacketLog) -> RecordingEntry.Stop {
    let reader = LogReader(log)
    let air = reader.air(at: reader.edge.media)
    return RecordingEntry.Stop(
      air: air.stored, place: RecordingEntry.Place(reader.edge, air: air))
  }

  private func work(
    _ entry: RecordingEntry, _ log: PacketLog, on disk: FailingFiles, from edge: LogPoint? = nil
  ) -> RecordingWork {
    var space = space(folder.path)
    space.calls = disk.calls
    return RecordingWork(entry, log: log, from: edge, station: "All Jazz", space: space)
  }

  private func register(on disk: FailingFiles) async throws -> (
    register: RecordingRegister, StationStore
  ) {
    let store = try await StationStore.open(folder.path + "/longwave.db")
    let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
    var space = space(folder.path + "/shows")
    space.calls = disk.calls
    return (
      RecordingRegister(
        store: store, events: EventHub(logger: logger), logger: logger, space: space), store
    )
  }

  private func relayStation(_ log: PacketLog) -> RelayStation {
    RelayStation(
      definition: StationDefinition(id: "jazz", upstream: ["http://example.org/"]),
      origin: .command, log: log, counters: MountCounters(), sid: 1, isStopped: false)
  }

  @Test(arguments: ["full", "hangs"])
  func `a recording stopped while the disk is bad gets the rest when it is good again`(
    how: String
  ) async throws {
    let (station, disk) = (numbered(5), FailingFiles())
    let (register, store) = try await register(on: disk)
    let jazz = relayStation(station.log)
    try await register.resume(["jazz": jazz])
    var options = entry(station.log, from: 0, to: nil).options
    options.name = "show"
    let id = try await register.start(options, of: jazz).id
    func now() async -> RecordingEntry? { await register.list().first { $0.id == id } }
    try await eventually("five seconds") { (await now()?.seconds ?? 0) > 4.9 }
    disk.set { if how == "full" { $0.room = 100 } else { $0.isSyncHeld = true } }
    station.append(200, at: .now())
    let end = station.next
    #expect(try await register.stop(id))
    #expect(await now()?.state == .recording)
    #expect(try await store.recordings().first?.stop?.place != nil, "a restart knows it as well")
    // What comes behind is not asked for.
    station.append(200, at: .now())
    disk.set { ($0.room, $0.isSyncHeld) = (nil, false) }
    try await eventually("its end") { await now()?.state == .finished }
    let done = try #require(await now())
    let numbers = try done.files.flatMap {
      try NumberedFrames.numbers(in: audio(file("shows/" + $0.name)))
    }
    #expect(numbers == Array(0..<end) && done.missedSeconds == 0 && done.reason == nil)
    #expect(done.isStopped == true)
    await register.suspend()
    await store.close()
  }

  @Test func `a recording told twice to end waits no longer, and says what is missing`()
    async throws
  {
    let (station, disk) = (numbered(5), FailingFiles())
    let (register, store) = try await register(on: disk)
    let jazz = relayStation(station.log)
    try await register.resume(["jazz": jazz])
    let id = try await register.start(entry(station.log, from: 0, to: nil).options, of: jazz).id
    func now() async -> RecordingEntry? { await register.list().first { $0.id == id } }
    try await eventually("five seconds") { (await now()?.seconds ?? 0) > 4.9 }
    disk.set { $0.room = 100 }
    station.append(200, at: .now())
    for _ in 0..<2 { #expect(try await register.stop(id)) }
    let done = try #require(await now())
    #expect(done.state == .failed && done.reason?.contains("No space left") == true)
    let all = Double(station.next) * 1152 / 44_100
    #expect(abs(done.seconds + done.missedSeconds - all) < 0.1 && done.missedSeconds > 5)
    await register.suspend()
    await store.close()
  }

  /// Where it appends, opening its file again is a success that writes nothing.
  @Test func `a waiting recording is told to go on once the disk has more than before`()
    async throws
  {
    let (station, disk) = (numbered(5), FailingFiles())
    var space = space(folder.path)
    space.calls = disk.calls
    folder.write("show.mp3", NumberedFrames.frame(0))
    let told = Mutex<[(isWaiting: Bool, bytes: Int64)]>([])
    let recorder = Recorder(
      entry(station.log, from: 0, to: nil) { ($0.name, $0.appends) = ("show", true) },
      log: station.log, delay: .zero, station: "All Jazz", space: space, report: { _ in },
      reportWaiting: { entry, isWaiting in
        told.withLock { $0.append((isWaiting, entry.bytes)) }
      })
    recorder.start()
    try await eventually("five seconds") { recorder.entry.seconds > 4.9 }
    disk.set { $0.room = 0 }
    station.append(100, at: .now())
    try await eventually("it waits") { told.withLock { $0.count } == 1 }
    let waitingAt = told.withLock { $0[0] }
    #expect(waitingAt.isWaiting)
    // An attempt that fails waits anew; by the second one the first has been.
    let refused = disk.plan.withLock { $0.writesRefused }
    try await eventually("another attempt", within: 120) {
      disk.plan.withLock { $0.writesRefused } > refused
    }
    #expect(told.withLock { $0.count } == 1)
    disk.set { $0.room = nil }
    try await eventually("it goes on", within: 120) { told.withLock { $0.count } == 2 }
    let last = told.withLock { $0[1] }
    #expect(!last.isWaiting && last.bytes > waitingAt.bytes)
    await recorder.end()
    #expect(told.withLock { $0.count } == 2)
  }

  @Test func `a recording stopped before a restart ends where it was told to`() throws {
    let (station, disk, clock) = (numbered(15), FailingFiles(), ManualClock())
    let first = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    #expect(try !first.attempt(isEnding: false, at: clock.now))
    disk.set { $0.room = 0 }
    station.append(200, at: .now())
    #expect(try !first.attempt(isEnding: false, at: clock.now))
    first.stop(stop(at: station.log), at: clock.now)
    let end = station.next
    #expect(try !first.attempt(isEnding: false, at: clock.now))
    #expect(first.entry.reason?.contains("was stopped, and its rest waits") == true)
    station.append(200, at: .now())
    disk.set { $0.room = nil }
    let edge = station.log.snapshot().edge
    let after = work(first.synced, station.log, on: disk, from: edge)
    #expect(try after.attempt(isEnding: false, at: clock.now))
    #expect(try numbers(after.entry) == Array(0..<end) && after.entry.missedSeconds == 0)
  }

  @Test func `a stopped recording misses only what has left the window by then`() throws {
    let (disk, clock) = (FailingFiles(), ManualClock())
    let station = numbered(5, windowBytes: 128 << 10)
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    #expect(try !work.attempt(isEnding: false, at: clock.now))
    let had = station.next
    disk.set { $0.room = 0 }
    station.append(100, at: .now())
    #expect(try !work.attempt(isEnding: false, at: clock.now))
    work.stop(stop(at: station.log), at: clock.now)
    let end = station.next
    // Much more than the window holds.
    for _ in 0..<40 { station.append(100, at: .now()) }
    disk.set { $0.room = nil }
    clock.advance(seconds: 20)
    #expect(try work.attempt(isEnding: false, at: clock.now))
    let kept = try numbers(work.entry)
    #expect(kept == Array(0..<had), "\(kept.count) of \(had), stopped at \(end)")
    let missing = Double(end - had) * 1152 / 44_100
    #expect(
      abs(work.entry.missedSeconds - missing) < 0.01, "\(work.entry.missedSeconds) of \(missing)")
  }

  @Test func `a station that is heard later ends a recording by the time alone`() throws {
    let station = numbered(20)
    var entry = entry(station.log, from: 0, to: nil)
    entry.stop = RecordingEntry.Stop(air: entry.startedAt + 8_000_000_000)
    let work = work(entry, station.log)
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    #expect(abs(work.entry.seconds - 8) < 0.03)
  }

  @Test(arguments: [false, true])
  func `bytes of a write that failed are no part of a recording`(isEnding: Bool) throws {
    let (station, disk, clock) = (numbered(5), FailingFiles(), ManualClock())
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    #expect(try !work.attempt(isEnding: false, at: clock.now))
    let whole = try #require(work.entry.current).bytes
    station.append(100, at: .now())
    disk.set { $0.room = 1000 }
    if isEnding {
      #expect(throws: RecordingError.self) { try work.attempt(isEnding: true, at: clock.now) }
    } else {
      #expect(try !work.attempt(isEnding: false, at: clock.now))
    }
    #expect(work.entry.current?.bytes == whole && work.entry.bytes == whole)
    work.abandon()
    let file = try #require(work.entry.files.first)
    #expect(file.bytes == whole && work.entry.files.count == 1)
    #expect(areUnbroken(try numbers(work.entry)))
    #expect(abs(file.seconds - Double(try numbers(work.entry).count) * 1152 / 44_100) < 0.001)
  }
}
