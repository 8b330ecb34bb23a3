import Timeshift

/// How much an upstream may send at a time: audio ahead of real time, what it sends besides, and what the disk takes.
struct IntakeBrake {
  /// What is ahead by more than this is a burst, seconds.
  private static let burstLead = 2.0
  private static let diskPause = 0.02

  private var lead: LeadBrake
  /// What comes faster than it plays, also where that only catches up.
  private var burst = LeadBrake(leadMax: Self.burstLead)
  private var besides = BesidesBrake()

  init(leadMax: Double) { lead = LeadBrake(leadMax: leadMax) }

  mutating func connectionBegins() { lead.connectionBegins() }

  /// - Parameter isLive: what is missing of the connection may wait somewhere, and come.
  mutating func appended(seconds: Double, bytes: Int, isLive: Bool, at now: MonotonicTime) {
    lead.appended(seconds: seconds, bytes: bytes, isLive: isLive, at: now)
    burst.appended(seconds: seconds, bytes: bytes, at: now)
  }

  /// What came besides packets, as `BesidesBrake` counts.
  mutating func received(besides count: Int, at now: MonotonicTime) {
    besides.received(count, at: now)
  }

  /// Goes on under other settings.
  mutating func setLeadMax(_ seconds: Double) { lead.leadMax = seconds }

  /// How long the transfer is to pause, in seconds, with `held` seconds arrived but not appended; nil: not at all.
  func pause(held: Double, waitsForDisk: Bool, at now: MonotonicTime) -> Double? {
    if let pause = besides.pause(at: now) ?? lead.pause(held: held, at: now) { return pause }
    // A burst that outruns the disk waits for it; what comes at its own pace waits for nothing.
    return waitsForDisk && burst.pause(at: now) != nil ? Self.diskPause : nil
  }
}
