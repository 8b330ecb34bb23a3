import TestSupport
import Timeshift

@testable import Ingest
@testable import Server
@testable import Timeshift

/// A station and its listeners on a simulated network, clock and disk: one thread, and nothing sleeps.
///
/// What runs is the relay's own: pipeline, appender, log, storage, recovery, readers and fan-out. This file is its
/// time; how a process begins and ends, what is checked and what listeners do have files of their own.
final class Simulation {
  struct Figures: CustomStringConvertible {
    /// Played, of a station's time.
    var seconds = 0.0
    var lives = 0
    var kills = 0
    var powerLosses = 0
    var takeovers = 0
    var steered = 0
    var heard = 0
    var recorded = 0

    mutating func add(_ other: Figures) {
      seconds += other.seconds
      lives += other.lives
      kills += other.kills
      powerLosses += other.powerLosses
      takeovers += other.takeovers
      steered += other.steered
      heard += other.heard
      recorded += other.recorded
    }

    var description: String {
      let years = (seconds / 31_557_600 * 1000).rounded() / 1000
      return "\(Int(seconds / 3600)) hours of a station, \(years) years, \(lives) lives, "
        + "\(kills) kills, \(powerLosses) power losses, \(takeovers) takeovers, "
        + "\(steered) times steered, \(heard) frames heard, \(recorded) recordings"
    }
  }

  let plan: SimulationPlan
  var figures = Figures()
  let clock = ManualClock()
  let disk: SimulatedDisk
  var upstream: SimulatedUpstream
  let ledger: Ledger
  var weather: Weather
  var ends: SimulationRandom
  var crowd: SimulationRandom
  var fate: SimulationRandom
  var starts: SimulationRandom
  var tapes: SimulationRandom
  let recording: SimulatedRecording
  /// Which start of the machine it is.
  var boot: UInt8 = 1
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private let origin: Int64
  /// From when on the wall clock has been ahead by how much, of both in seconds.
  private(set) var wallSteps: [(at: Double, ahead: Double)] = [(at: 0, ahead: 0)]
  private let wallBase: Double
  static let warmUp = 2000.0

  /// Where the log had got to, for what a crash may take.
  var written: [(at: Double, edge: UInt64)] = []
  /// As far as the next life has to have it all; nil: nothing is promised.
  var promised: UInt64?
  /// Where the window began at the latest when a process ended: what it had given up may come back in part, again and again.
  var oldest: UInt64 = 0
  var holesAllowed: Set<UInt64> = []
  /// Who comes again, and where to.
  var absent: [AbsentListener] = []

  init(_ plan: SimulationPlan) {
    self.plan = plan
    disk = SimulatedDisk(seed: plan.seed)
    origin = clock.now.monotonic.nanoseconds
    clock.advance(seconds: Self.warmUp)
    upstream = SimulatedUpstream(plan, from: Self.warmUp)
    ledger = Ledger(
      upstream.programme, overlapAllowed: plan.troubles.contains(.slowLines) ? 45 : 1,
      ofOthers: plan.mayRepeatOtherEncodings ? 45 : 1)
    weather = Weather(plan, from: Self.warmUp)
    ends = SimulationRandom(seed: plan.seed, of: "lives")
    crowd = SimulationRandom(seed: plan.seed, of: "listeners")
    fate = SimulationRandom(seed: plan.seed, of: "steering")
    starts = SimulationRandom(seed: plan.seed, of: "starts")
    tapes = SimulationRandom(seed: plan.seed, of: "recordings")
    recording = SimulatedRecording(seed: plan.seed)
    wallBase = clock.now.wall.seconds - Self.warmUp
  }

  deinit { scratch.deallocate() }

  /// Seconds since it began.
  var now: Double { Double(clock.now.monotonic.nanoseconds - origin) / 1e9 }
  var end: Double { Self.warmUp + plan.seconds }

  func has(_ trouble: Trouble) -> Bool { plan.troubles.contains(trouble) }

  /// Whether the plan leaves the disk as it should be.
  var isDiskSound: Bool { Trouble.ofDisk.isDisjoint(with: plan.troubles) }

  /// When the programme's second `time` was, by the wall clock of that moment.
  func wall(of time: Double) -> Double {
    wallBase + time + wallSteps.last { $0.at <= time }!.ahead
  }

  func run() throws {
    defer { figures.seconds = min(now, end) - Self.warmUp }
    while now < end { try live() }
  }

  // MARK: A step

  func step(_ life: Life) throws {
    let length = ends.seconds(0.2...1.5)
    clock.advance(seconds: length)
    if let step = weather.wallStep(now) {
      self.step(wallBy: step)
    }
    weather.step(now, disk)
    try receive(life, length)
    let isStalled = weather.isStalled(now)
    if !isStalled { life.storage.runOnce(at: clock.now.monotonic) }
    if now - life.scrubbedAt > 300, !isStalled {
      life.scrubbedAt = now
      life.storage.scrubOnce(at: clock.now.monotonic)
    }
    life.refresh(at: clock.now)
    written.append((now, life.log.edgePosition))
    if written.count > 100 { written.removeFirst(50) }
    try ledger.follow(life.reader, scratch, at: now)
    try check(life)
    try serve(life)
    try record(life)
    try checkPast(life)
  }

  func step(wallBy seconds: Double) {
    clock.stepWall(seconds: seconds)
    wallSteps.append((at: now, ahead: wallSteps.last!.ahead + seconds))
  }

  private func receive(_ life: Life, _ length: Double) throws {
    let before = life.log.edgePosition
    switch upstream.step(now, by: length) {
    case .nothing: break
    case .connected:
      Trace.tell(now, "connected: \(upstream.told)")
      life.appender.begin()
      life.appender.opened(upstream.source)
    case .ended:
      Trace.tell(now, "ended")
      life.trial = nil
      life.appender.interrupted(at: clock.now)
    case .bytes(let bytes):
      life.appender.receive(upstream.feed(bytes), at: clock.now)
      if let pause = life.appender.pause(at: clock.now) { upstream.pausedUntil = now + pause }
    }
    tryAnother(life, length)
    // As the worker's timer is set.
    if let due = life.decidesAt, due <= clock.now.monotonic { life.appender.decide(at: clock.now) }
    life.decidesAt = life.appender.deadline(at: clock.now)
    try checkGrowth(life, since: before)
  }

  /// A better upstream is heard beside the running one for a while, and takes over.
  private func tryAnother(_ life: Life, _ length: Double) {
    guard has(.takeovers) else { return }
    guard var trial = life.trial else {
      life.trial = upstream.beginTrial(now)
      return
    }
    life.trial = nil
    trial.step(&upstream, now, by: length, at: clock.now)
    guard !trial.isOver(now) else { return }
    guard trial.isClean(now) else {
      life.trial = trial
      return
    }
    if life.appender.adopt(trial.held, from: trial.connection.source, of: "", at: clock.now) {
      Trace.tell(now, "taken over by \(trial.connection.source)")
      figures.takeovers += 1
      upstream.adopt(trial.connection)
    }
  }
}
