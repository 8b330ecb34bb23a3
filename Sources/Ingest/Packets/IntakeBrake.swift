import Timeshift

/// Limits how much an upstream may send at a time: audio ahead of real time, other bytes, and what the disk can take.
struct IntakeBrake {
  /// Seconds; audio further ahead than this is a burst.
  private static let burstLead = 2.0
  private static let diskPause = 0.02

  private var lead: LeadBrake
  /// Measures audio that comes faster than it plays, even if it only catches up.
  private var burst = LeadBrake(leadMax: Self.burstLead)
  private var besides = BesidesBrake()

  init(leadMax: Double) { lead = LeadBrake(leadMax: leadMax) }

  mutating func connectionBegins() { lead.connectionBegins() }

  /// - Parameter isLive: whether missing audio of the connection may wait somewhere, and still come.
  mutating func appended(seconds: Double, bytes: Int, isLive: Bool, at now: MonotonicTime) {
    lead.appended(seconds: seconds, bytes: bytes, isLive: isLive, at: now)
    burst.appended(seconds: seconds, bytes: bytes, at: now)
  }

  /// Counts bytes that came besides packets, as `BesidesBrake` does.
  mutating func received(besides count: Int, at now: MonotonicTime) {
    besides.received(count, at: now)
  }

  /// Sets the lead allowed by new settings.
  mutating func setLeadMax(_ seconds: Double) { lead.leadMax = seconds }

  /// The seconds for which the transfer must pause, with `held` seconds arrived but not appended. Nil for no pause.
  func pause(held: Double, waitsForDisk: Bool, at now: MonotonicTime) -> Double? {
    if let pause = besides.pause(at: now) ?? lead.pause(held: held, at: now) { return pause }
    // A burst that outruns the disk waits for it; audio at its own pace waits for nothing.
    return waitsForDisk && burst.pause(at: now) != nil ? Self.diskPause : nil
  }
}
