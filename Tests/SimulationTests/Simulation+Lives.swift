import TestSupport
import Timeshift

@testable import Ingest
@testable import Timeshift

// How a process begins and ends, and what has to be there afterwards.
extension Simulation {
  private enum End { case kill, powerLoss, stop }

  private func nextEnd() -> (kind: End, at: Double) {
    var kinds: [End] = []
    if has(.kills) { kinds.append(.kill) }
    if has(.powerLosses) { kinds.append(.powerLoss) }
    if has(.stops) { kinds.append(.stop) }
    guard let kind = kinds.randomElement(using: &ends) else { return (.stop, end) }
    return (kind, min(end, now + 5 + ends.wait(mean: 400)))
  }

  func live() throws {
    figures.lives += 1
    let death = nextEnd()
    var calls = disk.calls
    calls.now = { [clock] in clock.now.monotonic }
    calls.boot = BootID(bytes: [UInt8](repeating: boot, count: 16))
    let storage = Storage(files: calls, handlesMax: 4)
    defer { storage.abandon() }
    guard let log = try open(storage, until: death.at) else { return }
    let life = Life(log, storage, settings: Self.settings, at: clock.now, seconds: now)
    try begin(life)
    recording.resume(life, now: now)
    while now < death.at { try step(life) }
    try die(life, death.kind)
    life.leave()
  }

  private static let settings = UpstreamSettings(urls: ["http://simulated/"])

  var configuration: LogConfiguration {
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
          directory: "/simulated/log", configuration: configuration, storage: storage,
          at: clock.now,
          report: { if Trace.isOn { print("storage: \($0)") } })
      } catch {
        Trace.tell(now, "not opened: \(error)")
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
    Trace.tell(now, "opened at \(edge) of \(ledger.edge), promised \(promised ?? 0)")
    try checkSurvival(edge)
    try ledger.reopen(at: edge, now: now)
    life.refresh(at: clock.now)
    let found = try ledger.verify(life.reader, scratch, at: now) {
      life.storage.runOnce(at: self.clock.now.monotonic)
    }
    life.holesAtStart = found.holes.count
    // What was not synced may be gone, any part of it; and what was given up may be there again in part.
    if let promised { holesAllowed.formUnion(found.holes.filter { $0 >= promised || $0 < oldest }) }
    if isDiskSound, !found.holes.isSubset(of: holesAllowed) {
      throw Violation(
        kind: "hole", text: "\(found.holes.subtracting(holesAllowed)) are holes on a healthy disk",
        at: now)
    }
    written = [(now, edge)]
    life.appender.recall(at: clock.now)
  }

  /// The machine's own clock begins anew.
  private func reboot(within seconds: Double) {
    boot = boot % 250 + 1
    clock.reboot(seconds: starts.seconds(0...seconds))
  }

  /// While nobody looked. After a restart of the machine it is all there is, but for what cannot be.
  private func setClock(isRebooted: Bool) {
    let amount = [2.0, 40, 300, 3600, 86_400].randomElement(using: &starts)!
    guard !isRebooted || !has(.repeats) else { return }
    step(wallBy: isRebooted ? -86_400 : starts.chance(0.5) ? amount : -amount)
  }

  /// What was written when the process was killed is there, and what was synced when the power went.
  private func checkSurvival(_ edge: UInt64) throws {
    guard let promised, edge < promised else { return }
    let lost = ledger.entries.suffix(from: ledger.place(of: edge)).prefix { $0.position < promised }
      .reduce(0) { $0 + $1.encoding.frameSeconds }
    throw Violation(
      kind: "lost", text: "opened at \(edge); \(promised) was promised (\(lost) s)", at: now)
  }

  private func die(_ life: Life, _ kind: End) throws {
    Trace.tell(now, "\(kind)")
    oldest = max(oldest, life.reader.oldest.position)
    switch kind {
    case .stop:
      life.appender.interrupted(at: clock.now)
      recording.suspend(life, at: clock.now, now: now)
      life.log.close()
      life.storage.runOnce(at: clock.now.monotonic)
      promised = isDiskSound ? life.log.edge.position : nil
    case .kill:
      figures.kills += 1
      promised = isDiskSound ? written.last?.edge : nil
    case .powerLoss:
      figures.powerLosses += 1
      // What is synced every 5 s, and the turn before that.
      promised = isDiskSound ? written.last { $0.at < now - 8 }?.edge : nil
    }
    if kind == .powerLoss { disk.losePower() } else { disk.endProcess() }
    recording.endProcess(losesPower: kind == .powerLoss, &tapes)
    let away = ends.chance(0.1) ? ends.seconds(60...4000) : ends.seconds(0.5...30)
    let passed = min(away, max(0, end - now))
    clock.advance(seconds: passed)
    if kind == .powerLoss { reboot(within: passed) }
    if has(.setClocks) { setClock(isRebooted: kind == .powerLoss) }
    upstream.hangUp(until: now + ends.seconds(0...3))
  }
}
