import Foundation
import Synchronization
import TestSupport
import Timeshift
import Wire

@testable import Ingest
@testable import Server
@testable import Timeshift

/// A station and its listeners on a simulated network, clock and disk: one thread, and nothing sleeps.
///
/// What runs is the relay's own: pipeline, appender, log, storage, recovery, readers and fan-out.
final class Simulation {
  struct Figures {
    var seconds = 0.0
    var lives = 0
    var frames = 0
    var heard = 0
    var gaps = 0
    var stitched = 0
    var holes = 0
    var jumps = 0
    var faults = 0
    var airErrorMax = 0.0
    var syncedLossMax = 0.0
  }

  let plan: SimulationPlan
  private(set) var figures = Figures()
  private let clock = ManualClock()
  private let disk: SimulatedDisk
  private var upstream: SimulatedUpstream
  private let ledger: Ledger
  private var weather: Weather
  private var ends: SimulationRandom
  private var crowd: SimulationRandom
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private let origin: Int64
  /// From when on the wall clock has been ahead by how much, of both in seconds.
  private var wallSteps: [(at: Double, ahead: Double)] = []
  private let wallBase: Double
  private static let warmUp = 2000.0
  private static let folder = "/simulated/log"

  /// Where the log had got to, for what a crash may take.
  private var written: [(at: Double, edge: UInt64)] = []

  init(_ plan: SimulationPlan) {
    self.plan = plan
    disk = SimulatedDisk(seed: plan.seed)
    origin = clock.now.monotonic.nanoseconds
    clock.advance(seconds: Self.warmUp)
    upstream = SimulatedUpstream(plan, from: Self.warmUp)
    ledger = Ledger(
      upstream.programme, overlapAllowed: plan.troubles.contains(.slowLines) ? 45 : 1)
    weather = Weather(plan, from: Self.warmUp)
    ends = SimulationRandom(seed: plan.seed, of: "lives")
    crowd = SimulationRandom(seed: plan.seed, of: "listeners")
    wallBase = clock.now.wall.seconds - Self.warmUp
    wallSteps = [(at: 0, ahead: 0)]
  }

  deinit { scratch.deallocate() }

  /// Seconds since it began.
  private var now: Double { Double(clock.now.monotonic.nanoseconds - origin) / 1e9 }
  private var end: Double { Self.warmUp + plan.seconds }

  func run() throws -> Figures {
    while now < end { try live() }
    figures.seconds = plan.seconds
    figures.frames = ledger.entries.count
    figures.faults = disk.failures
    return figures
  }

  /// Tells what happens, for who looks at one seed.
  private func trace(_ text: @autoclosure () -> String) {
    if Self.isTracing { print("\((now * 1000).rounded() / 1000) \(text())") }
  }

  private static let isTracing = getenv("SIMULATION_TRACE") != nil

  private func has(_ trouble: Trouble) -> Bool { plan.troubles.contains(trouble) }

  /// When the programme's second `time` was, by the wall clock of that moment.
  private func wall(of time: Double) -> Double {
    wallBase + time + wallSteps.last { $0.at <= time }!.ahead
  }

  // MARK: A life of the process

  private enum End { case kill, powerLoss, stop }

  private func nextEnd() -> (kind: End, at: Double) {
    var kinds: [End] = []
    if has(.kills) { kinds.append(.kill) }
    if has(.powerLosses) { kinds.append(.powerLoss) }
    if has(.stops) { kinds.append(.stop) }
    guard let kind = kinds.randomElement(using: &ends) else { return (.stop, end) }
    return (kind, min(end, now + 5 + ends.wait(mean: 400)))
  }

  private func live() throws {
    figures.lives += 1
    let death = nextEnd()
    var calls = disk.calls
    calls.now = { [clock] in clock.now.monotonic }
    let storage = Storage(files: calls, handlesMax: 4)
    defer { storage.abandon() }
    guard let log = try open(storage, until: death.at) else { return }
    let life = Life(log, storage, settings: Self.settings, at: clock.now, seconds: now)
    try begin(life)
    while now < death.at { try step(life) }
    try die(life, death.kind)
    life.leave()
  }

  private static let settings = UpstreamSettings(urls: ["http://simulated/"])

  private var configuration: LogConfiguration {
    var random = SimulationRandom(seed: plan.seed, of: "configuration")
    var configuration = LogConfiguration(
      retention: MediaTime(seconds: [300, 900, 1800].randomElement(using: &random)!))
    configuration.windowBytes = 128 * 1024
    configuration.segment = MediaTime(seconds: [20, 60].randomElement(using: &random)!)
    return configuration
  }

  /// nil: it could not be opened before its time was up, as the disk has it.
  private func open(_ storage: Storage, until time: Double) throws -> PacketLog? {
    var since: Double?
    while now < time {
      do throws(StorageError) {
        return try PacketLog.open(
          directory: Self.folder, configuration: configuration, storage: storage, at: clock.now,
          report: { if Self.isTracing { print("storage: \($0)") } })
      } catch {
        trace("not opened: \(error)")
        if disk.faults.isEmpty, disk.capacity == nil {
          since = since ?? now
          if now - since! > 30 {
            throw Violation(kind: "closed", text: "cannot be opened: \(error)", at: now)
          }
        }
      }
      clock.advance(seconds: 2)
      weather.step(now, disk)
    }
    return nil
  }

  private func begin(_ life: Life) throws {
    let edge = life.log.edge.position
    trace("opened at \(edge) of \(ledger.edge), promised \(promised ?? 0)")
    try checkSurvival(edge)
    try ledger.reopen(at: edge, now: now)
    life.refresh(at: clock.now)
    let found = try ledger.verify(life.reader, scratch, at: now) {
      life.storage.runOnce(at: self.clock.now.monotonic)
    }
    figures.holes += found.holes.count
    life.holesAtStart = found.holes.count
    // What was not synced may be gone, any part of it; and what was given up may be there again in part.
    if let promised { holesAllowed.formUnion(found.holes.filter { $0 >= promised || $0 < oldest }) }
    if Trouble.ofDisk.isDisjoint(with: plan.troubles), !found.holes.isSubset(of: holesAllowed) {
      throw Violation(
        kind: "hole", text: "\(found.holes.subtracting(holesAllowed)) are holes on a healthy disk",
        at: now)
    }
    written = [(now, edge)]
    life.appender.recall(at: clock.now)
  }

  /// What was written when the process was killed is there, and what was synced when the power went.
  private func checkSurvival(_ edge: UInt64) throws {
    guard let promised, edge < promised else { return }
    let lost = ledger.entries.suffix(from: ledger.place(of: edge)).prefix { $0.position < promised }
      .reduce(0) { $0 + $1.encoding.frameSeconds }
    throw Violation(
      kind: "lost", text: "opened at \(edge); \(promised) was promised (\(lost) s)", at: now)
  }

  private var promised: UInt64?
  /// Where the window began when the process ended.
  private var oldest: UInt64 = 0
  private var holesAllowed: Set<UInt64> = []

  private func die(_ life: Life, _ kind: End) throws {
    let isSound = Trouble.ofDisk.isDisjoint(with: plan.troubles)
    trace("\(kind)")
    oldest = life.reader.oldest.position
    switch kind {
    case .stop:
      life.appender.interrupted(at: clock.now)
      life.log.close()
      life.storage.runOnce(at: clock.now.monotonic)
      promised = isSound ? life.log.edge.position : nil
    case .kill:
      promised = isSound ? written.last?.edge : nil
    case .powerLoss:
      // What is synced every 5 s, and the turn before that.
      promised = isSound ? written.last { $0.at < now - 8 }?.edge : nil
    }
    if kind == .powerLoss { disk.losePower() } else { disk.endProcess() }
    let away = ends.chance(0.1) ? ends.seconds(60...4000) : ends.seconds(0.5...30)
    clock.advance(seconds: min(away, max(0, end - now)))
    upstream.hangUp(until: now + ends.seconds(0...3))
  }

  // MARK: A step

  private func step(_ life: Life) throws {
    let length = ends.seconds(0.2...1.5)
    clock.advance(seconds: length)
    if let step = weather.wallStep(now) {
      clock.stepWall(seconds: step)
      wallSteps.append((at: now, ahead: wallSteps.last!.ahead + step))
    }
    weather.step(now, disk)
    try receive(life, length)
    if !weather.isStalled(now) { life.storage.runOnce(at: clock.now.monotonic) }
    if now - life.scrubbedAt > 300, !weather.isStalled(now) {
      life.scrubbedAt = now
      life.storage.scrubOnce(at: clock.now.monotonic)
    }
    life.refresh(at: clock.now)
    written.append((now, life.log.edgePosition))
    if written.count > 100 { written.removeFirst(50) }
    try ledger.follow(life.reader, scratch, at: now)
    try checkTime(life)
    try checkHistory(life)
    try checkDelayed(life)
    try serve(life)
    try checkPast(life)
  }

  private func receive(_ life: Life, _ length: Double) throws {
    let before = life.log.edgePosition
    switch upstream.step(now, by: length) {
    case .nothing: break
    case .connected:
      trace("connected: \(upstream.told)")
      life.appender.begin(from: upstream.source)
    case .ended:
      trace("ended")
      life.appender.interrupted(at: clock.now)
    case .bytes(let bytes):
      let items = upstream.feed(bytes)
      life.appender.take(items, in: upstream.pipelineBytes, at: clock.now)
      if let pause = life.appender.pause(at: clock.now) { upstream.pausedUntil = now + pause }
    }
    if let deadline = life.appender.deadline(at: clock.now), deadline < clock.now.monotonic {
      life.appender.decide(at: clock.now)
    }
    if life.log.edgePosition > before || !upstream.isSteady(now, for: 8) { life.grewAt = now }
    if now - life.grewAt > 8 {
      throw Violation(
        kind: "mute", text: "nothing appended for \(now - life.grewAt) s of a good connection",
        at: now)
    }
  }

  /// What is told of when something was on air.
  private func checkTime(_ life: Life) throws {
    guard let last = ledger.entries.last else { return }
    // A minute after a burst it is known.
    guard last.position > 30_000, !has(.slowLines), upstream.isSteady(now, for: 60) else { return }
    let entry = ledger.entries[ledger.place(of: last.position - 30_000)]
    guard let index = entry.index, entry.position >= life.reader.oldest.position else { return }
    let time = Double(index) * entry.encoding.frameSeconds
    // Around a step of the clock either may be said.
    if wallSteps.dropFirst().contains(where: { abs($0.at - time) < 100 }) { return }
    let error = abs(life.reader.air(at: entry.media).seconds - wall(of: time))
    figures.airErrorMax = max(figures.airErrorMax, error)
    if error > 3 {
      throw Violation(
        kind: "time", text: "\(entry.encoding) \(index) is said to have been \(error) s off",
        at: now)
    }
  }

  /// Its past grows shorter by its retention only: a full disk may have the oldest of it, and never the newest.
  private func checkHistory(_ life: Life) throws {
    let kept = (life.reader.edge.media - life.reader.oldest.media).seconds
    guard disk.capacity != nil, disk.foreign > 0 else { return life.keptBefore = kept }
    let owed = min(600, life.keptBefore) - 8 * configuration.segment.seconds - 30
    if kept < owed {
      throw Violation(
        kind: "history", text: "\(kept) s of \(life.keptBefore) s are left on a full disk", at: now)
    }
  }

  /// Who hears everything later does so by as much, whatever the wall clock does.
  private func checkDelayed(_ life: Life) throws {
    life.delayed.refresh(at: clock.now)
    guard upstream.isSteady(now, for: Life.delay + 60), now - life.bornAt > Life.delay + 60 else {
      return
    }
    let behind = (life.reader.edge.media - life.delayed.edge.media).seconds
    if abs(behind - Life.delay) > 8 {
      throw Violation(kind: "delay", text: "\(behind) s behind instead of \(Life.delay)", at: now)
    }
  }

  /// When nothing is wrong with the disk any more, all of the past is there again.
  private func checkPast(_ life: Life) throws {
    guard disk.faults.isEmpty, now - life.checkedAt > 240 else { return }
    life.checkedAt = now
    let known: Set<Trouble> = [.rot, .powerLosses, .writeErrors, .fullDisk]
    if known.isDisjoint(with: plan.troubles), disk.setAside > 0 {
      throw Violation(
        kind: "set aside", text: "\(disk.setAside) files that nothing was wrong with", at: now)
    }
    let lossy: Set<Trouble> = [
      .rot, .powerLosses, .writeErrors, .syncErrors, .fullDisk, .stalls, .openErrors,
    ]
    guard lossy.isDisjoint(with: plan.troubles), now - weather.faultyAt > 15 else { return }
    life.refresh(at: clock.now)
    let found = try ledger.verify(life.reader, scratch, at: now) {
      life.storage.runOnce(at: self.clock.now.monotonic)
    }
    // What could not be read when it was opened is not part of it.
    if found.holes.count > life.holesAtStart {
      throw Violation(
        kind: "unreadable", text: "\(found.holes.count) holes in a past that was written", at: now)
    }
  }

  // MARK: Listeners

  private func serve(_ life: Life) throws {
    life.shard.startTurn()
    if life.listeners.count < 4, crowd.chance(0.2) { join(life) }
    // The reading thread serves between two turns of a loop.
    for _ in 0..<8 where !weather.isStalled(now) && life.listeners.contains(where: \.isWaiting) {
      life.storage.runOnce(at: clock.now.monotonic)
      life.shard.startTurn()
      for listener in life.listeners where listener.isWaiting {
        _ = listener.serve(life.fanout, in: life.shard, now: clock.now.monotonic.nanoseconds)
      }
    }
    for listener in life.listeners {
      let isHungry = now >= listener.sleepsUntil
      let isOn = listener.serve(life.fanout, in: life.shard, now: clock.now.monotonic.nanoseconds)
      if isHungry {
        try listener.take(ledger, at: now)
        if has(.slowListeners), crowd.chance(0.01) {
          listener.sleepsUntil = now + crowd.wait(mean: 30)
        }
      }
      if !isHungry || listener.listener.cursor >= life.reader.edge.position {
        listener.contentAt = now
      }
      if weather.isStalled(now - 3) { listener.contentAt = now }
      if now - listener.contentAt > listener.burst + 8 {
        // It may have been given more than it was owed.
        let cursor = life.shard.reader.media(at: listener.listener.cursor) ?? .zero
        if cursor > listener.listener.pace.owed { continue }
        trace("\(listener.listener), \(listener.lastOutcome)")
        throw Violation(
          kind: "silence",
          text: "a listener at \(listener.listener.cursor) of \(life.reader.edge.position) has had "
            + "nothing for \(now - listener.contentAt) s", at: now)
      }
      if !isOn || crowd.chance(0.002) {
        life.leave(listener) {
          figures.heard += $0.heard; figures.jumps += $0.jumped
        }
      }
    }
  }

  private func join(_ life: Life) {
    let reader = life.shard.reader
    guard reader.edge.position > reader.oldest.position else { return }
    let isLive = crowd.chance(0.4)
    let window = (reader.edge.media - reader.oldest.media).seconds
    let burst = [0.5, 4, 20].randomElement(using: &crowd)!
    let back = isLive ? burst : crowd.seconds(0...window)
    var start: LogPoint?
    for _ in 0..<100 {
      start = reader.point(atOrBefore: reader.edge.media - MediaTime(seconds: back))
      if start != nil || weather.isStalled(now) { break }
      life.storage.runOnce(at: clock.now.monotonic)
      life.shard.startTurn()
    }
    guard let start, let format = reader.format(at: start.position) else { return }
    life.slots += 1
    if let listener = SimulatedListener(
      in: life.shard, at: start, isLive: isLive, burst: burst, slot: life.slots,
      now: clock.now.monotonic.nanoseconds, seconds: now, codec: format.codec)
    {
      life.listeners.append(listener)
    }
  }
}

/// What a process has that its end takes away.
final class Life {
  let log: PacketLog
  let storage: Storage
  let appender: Appender
  let reader: LogReader
  let shard: MountShard
  let fanout = Fanout()
  var listeners: [SimulatedListener] = []
  var slots: UInt32 = 0
  var grewAt = 0.0
  var keptBefore = 0.0
  var checkedAt = 0.0
  var scrubbedAt = 0.0
  var holesAtStart = 0
  let bornAt: Double
  /// Of a station that is heard later.
  let delayed: LogReader
  static let delay = 30.0

  init(
    _ log: PacketLog, _ storage: Storage, settings: UpstreamSettings, at now: Moment,
    seconds: Double
  ) {
    bornAt = seconds
    delayed = LogReader(log, delay: MediaTime(seconds: Self.delay), at: now)
    self.log = log
    self.storage = storage
    appender = Appender(log: log, settings: settings) {
      if getenv("SIMULATION_TRACE") != nil { print($0) }
    }
    reader = LogReader(log)
    shard = MountShard(Mount(station: "simulated", log: log))
  }

  func refresh(at now: Moment) { reader.refresh(at: now) }

  func leave(_ listener: SimulatedListener, _ note: (SimulatedListener) -> Void) {
    note(listener)
    fanout.forget(&listener.listener)
    listeners.removeAll { $0 === listener }
  }

  func leave() { for listener in listeners { leave(listener) { _ in } } }
}
