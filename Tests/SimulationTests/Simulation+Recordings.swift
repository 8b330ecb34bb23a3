import TestSupport
import Timeshift

@testable import Longwave

// What is recorded: each packet of the log once, over restarts and bad disks; or the entry says how much is missing.
extension Simulation {
  func record(_ life: Life) throws {
    guard has(.recordings) else { return }
    recording.disk.tick(now)
    recording.disk.faults = disk.faults
    if disk.capacity == nil {
      recording.disk.capacity = nil
    } else if recording.disk.capacity == nil {
      recording.disk.capacity = recording.disk.bytesUsed + Int(tapes.seconds(0...20_000))
    }
    if !recording.isAsked {
      guard tapes.chance(0.02) else { return }
      return recording.begin(
        life, at: clock.now, now: now, until: now + 10 + tapes.wait(mean: 600),
        splits: tapes.chance(0.5))
    }
    // A disk that does not answer keeps its thread, and nothing else.
    if weather.isStalled(now) { return recording.hang(now) }
    try recording.step(life, at: clock.now, now: now, mayFail: isDiskTroubled)
    if now >= recording.endsAt { try endRecording(life) }
  }

  private var isDiskTroubled: Bool {
    !disk.faults.isEmpty || disk.capacity != nil || now - weather.faultyAt < 5
      || weather.isStalled(now - 3)
  }

  private func endRecording(_ life: Life) throws {
    guard let (entry, complaint) = recording.end(life, at: clock.now) else { return }
    if let complaint, !isDiskTroubled {
      throw Violation(kind: "recording", text: "its end: \(complaint)", at: now)
    }
    figures.recorded += 1
    let frames = try recording.frames(of: entry, at: now)
    let missed = try ledger.missed(in: frames, from: recording.start, at: now)
    Trace.tell(now, "recorded \(frames.count) frames, \(missed) s missing: \(entry)")
    if missed > missableSeconds(told: entry.missedSeconds) {
      throw Violation(
        kind: "recording",
        text: "\(missed) s are missing between its packets, \(entry.missedSeconds) s are told",
        at: now)
    }
    recording.remove(entry)
  }

  /// How much a recording may lack that tells of so much.
  private func missableSeconds(told: Double) -> Double {
    // Of what could not be read while it was new nobody can tell more than a packet's time.
    guard isDiskSound else { return told * 1.05 + 2 }
    // What neither the log nor the recording had on disk goes with the power, and all of it is told.
    return has(.powerLosses) ? told + 0.001 : 0
  }
}

extension Ledger {
  /// Seconds that the log had between what was recorded of it, and that were not recorded.
  ///
  /// - Parameter position: what was recorded stood there or behind.
  func missed(
    in frames: [(encoding: Encoding, content: UInt64)], from position: UInt64, at now: Double
  ) throws -> Double {
    var place = place(of: position)
    var isFound = false
    var missed = 0.0
    // Of a jingle or silence, and not what the log has next: where that stands only what comes behind it tells.
    var unplaced = 0.0
    for (encoding, content) in frames {
      let isIt: (Entry) -> Bool = { $0.encoding == encoding && $0.content == content }
      let isUnique = programme.isUnique(content)
      let ahead = entries[place...].prefix(isUnique ? .max : 1)
      guard let found = ahead.firstIndex(where: isIt) else {
        // What the log lost with the power, the recording may have had before.
        if isUnique, let earlier = entries[..<place].lastIndex(where: isIt),
          entries[earlier].position >= position, !isNewPacket(entries[earlier])
        {
          throw Violation(
            kind: "recording", text: "\(encoding) \(content) is recorded twice", at: now)
        }
        unplaced += encoding.frameSeconds
        continue
      }
      if isFound, found > place {
        let skipped = entries[place..<found]
        let seconds = skipped.reduce(0) { $0 + $1.encoding.frameSeconds }
        Trace.tell(now, "\(seconds) s are not recorded from \(skipped.first!) on")
        missed += max(0, seconds - unplaced)
      }
      unplaced = 0
      (place, isFound) = (found + 1, true)
    }
    return missed
  }
}
