import TestSupport
import Timeshift

@testable import Ingest
@testable import Server
@testable import Timeshift

// What holds at every moment, whatever befalls.
extension Simulation {
  func check(_ life: Life) throws {
    try checkTime(life)
    try checkHistory(life)
    try checkDelayed(life)
  }

  /// An upstream that delivers is heard. What it repeats, faster than it plays, is waited for.
  func checkGrowth(_ life: Life, since before: UInt64) throws {
    if life.log.edgePosition > before || !upstream.isSteady(now, for: 8) { life.grewAt = now }
    // From the first packet on, which may come more than a second behind the connection.
    let patience =
      (repeats ? Self.settings.advanceHoldMax : Self.settings.lapHoldMax) + Self.firstPacketMax
    if now - life.grewAt > patience {
      throw Violation(
        kind: "mute", text: "nothing appended for \(now - life.grewAt) s of a good connection",
        at: now)
    }
  }

  private static let settings = UpstreamSettings(urls: []).stitch

  /// From a connection to its first packet, seconds: slow lines pause in between.
  private static let firstPacketMax = 2.0

  /// All that the connection has brought so far is in the log.
  private var repeats: Bool {
    guard let connection = upstream.connection, let last = ledger.entries.last,
      let index = last.index
    else { return false }
    return Double(connection.next) * connection.encoding.frameSeconds
      <= Double(index + 1) * last.encoding.frameSeconds
  }

  /// What is told of when something was on air.
  private func checkTime(_ life: Life) throws {
    guard let last = ledger.entries.last else { return }
    // A minute after a burst it is known.
    guard last.position > 30_000, upstream.isLevel(now, for: 60) else { return }
    let entry = ledger.entries[ledger.place(of: last.position - 30_000)]
    guard let index = entry.index, entry.position >= life.reader.oldest.position else { return }
    let time = Double(index) * entry.encoding.frameSeconds
    // Around a step of the clock either may be said.
    if wallSteps.dropFirst().contains(where: { abs($0.at - time) < 100 }) { return }
    let error = abs(life.reader.air(at: entry.media).seconds - wall(of: time))
    // Nobody can tell how late an upstream is.
    if error > (has(.takeovers) ? 3 + SimulatedUpstream.latencyMax : 3) {
      throw Violation(
        kind: "time", text: "\(entry.encoding) \(index) is said to have been \(error) s off",
        at: now)
    }
  }

  /// Its past grows shorter by its retention only: a full disk may have the oldest of it, and never the newest.
  private func checkHistory(_ life: Life) throws {
    let before = life.oldestOnDisk
    // What never came to the disk goes with the memory.
    life.oldestOnDisk =
      life.reader.oldest.position < life.reader.memoryOldest ? life.reader.oldest : nil
    let edge = life.reader.edge.media
    guard disk.capacity != nil, disk.foreign > 0 else {
      return life.keptBefore = (edge - life.reader.oldest.media).seconds
    }
    guard let before, before.position < life.reader.oldest.position else { return }
    let kept = (edge - before.media).seconds
    let owed = min(600, life.keptBefore) - 8 * configuration.segment.seconds - 30
    if kept < owed {
      throw Violation(
        kind: "history", text: "the oldest of \(kept) s is given up on a full disk", at: now)
    }
  }

  /// Who hears everything later does so by as much, whatever the wall clock does.
  private func checkDelayed(_ life: Life) throws {
    guard upstream.isLevel(now, for: Life.delay + 60), now - life.bornAt > Life.delay + 60 else {
      return
    }
    let behind = (life.reader.edge.media - life.delayed.reader.edge.media).seconds
    // Of what is gone nothing can be heard later.
    let oldest = life.reader.oldest.position
    if life.delayed.reader.edge.position == oldest, behind < Life.delay { return }
    if abs(behind - Life.delay) > 8 {
      throw Violation(kind: "delay", text: "\(behind) s behind instead of \(Life.delay)", at: now)
    }
  }

  /// When nothing is wrong with the disk any more, all of the past is there again.
  func checkPast(_ life: Life) throws {
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
}
