import Glibc
import Timeshift

/// What the disk and the clocks do: now and then, for a while.
struct Weather {
  private let plan: SimulationPlan
  private var dues: [Trouble: (from: Double, to: Double)] = [:]
  private var randoms: [Trouble: SimulationRandom] = [:]
  private static let kinds: [Trouble] = [
    .readErrors, .writeErrors, .openErrors, .syncErrors, .cold, .fullDisk, .rot, .stalls,
    .wallSteps,
  ]
  /// When the disk last failed as told.
  private(set) var faultyAt = -1.0
  private var isChanged: [Trouble: Bool] = [:]

  init(_ plan: SimulationPlan, from start: Double) {
    self.plan = plan
    for kind in Self.kinds where plan.troubles.contains(kind) {
      randoms[kind] = SimulationRandom(seed: plan.seed, of: kind.rawValue)
      dues[kind] = next(kind, after: start)
    }
  }

  private mutating func next(_ kind: Trouble, after now: Double) -> (Double, Double) {
    let from = now + randoms[kind]!.wait(mean: 300)
    let length =
      randoms[kind]!.chance(0.5) ? randoms[kind]!.seconds(0.1...3) : randoms[kind]!.wait(mean: 40)
    return (from, from + length)
  }

  /// Its time has just come.
  private mutating func begins(_ kind: Trouble, _ now: Double) -> Bool {
    guard let due = dues[kind], now >= due.from else { return false }
    if isChanged[kind] == true { return false }
    isChanged[kind] = true
    return true
  }

  /// Its time is over; the next is found.
  private mutating func ends(_ kind: Trouble, _ now: Double) -> Bool {
    guard let due = dues[kind], isChanged[kind] == true, now >= due.to else { return false }
    isChanged[kind] = false
    dues[kind] = next(kind, after: now)
    return true
  }

  func isStalled(_ now: Double) -> Bool {
    guard let due = dues[.stalls] else { return false }
    return now >= due.from && now < due.to + 3
  }

  mutating func wallStep(_ now: Double) -> Double? {
    guard begins(.wallSteps, now) else { return nil }
    _ = ends(.wallSteps, .infinity)
    let size = [0.2, 2, 40, 3600, 86_400].randomElement(using: &randoms[.wallSteps]!)!
    return randoms[.wallSteps]!.chance(0.5) ? size : -size
  }

  mutating func step(_ now: Double, _ disk: SimulatedDisk) {
    disk.tick(now)
    if !disk.faults.isEmpty { faultyAt = now }
    if begins(.cold, now) { disk.chill() }
    _ = ends(.cold, now)
    if begins(.rot, now) {
      _ = disk.rot(
        ending: randoms[.rot]!.chance(0.3)
          ? ".idx" : ["", ".mp3", ".aac"].randomElement(using: &randoms[.rot]!)!)
    }
    _ = ends(.rot, now)
    if begins(.fullDisk, now) { fill(disk) }
    if ends(.fullDisk, now) { (disk.capacity, disk.foreign) = (nil, 0) }
    for kind in [Trouble.readErrors, .writeErrors, .openErrors, .syncErrors] {
      if begins(kind, now) {
        fail(kind, disk)
        Trace.tell(now, "\(kind): \(disk.faults.last!)")
      }
      if ends(kind, now) {
        Trace.tell(now, "\(kind): over")
        disk.faults.removeAll { $0.calls == Self.calls(kind) }
      }
    }
    _ = ends(.stalls, now)
    if begins(.stalls, now) {}
  }

  /// Another program takes what there is, or the disk is as small as what is on it.
  private mutating func fill(_ disk: SimulatedDisk) {
    disk.capacity = disk.bytesUsed + Int(randoms[.fullDisk]!.seconds(0...20_000))
    disk.foreign = randoms[.fullDisk]!.chance(0.5) ? 10_000_000 : 0
  }

  private static func calls(_ kind: Trouble) -> Set<SimulatedDisk.Call> {
    switch kind {
    case .readErrors: [.read, .size, .list]
    case .writeErrors: [.write, .rename, .remove]
    case .openErrors: [.open]
    default: [.sync]
    }
  }

  private mutating func fail(_ kind: Trouble, _ disk: SimulatedDisk) {
    let code =
      kind == .openErrors
      ? [EIO, EMFILE, EACCES, ENOMEM].randomElement(using: &randoms[kind]!)! : EIO
    // What a process has too little of, it has for all files.
    if [EMFILE, ENOMEM].contains(code) {
      return disk.faults.append(SimulatedDisk.Fault(calls: Self.calls(kind), code: code))
    }
    let oneIn = [1, 1, 3, 20].randomElement(using: &randoms[kind]!)!
    let ending = ["", "", ".idx", ".mp3"].randomElement(using: &randoms[kind]!)!
    disk.faults.append(
      SimulatedDisk.Fault(calls: Self.calls(kind), code: code, ending: ending, oneIn: oneIn))
  }
}
