import TestSupport

@testable import Ingest

/// The servers of a programme, and the one connection that is heard.
///
/// Who connects gets a burst of what was on air last, then what is on air. Connections are cut, in the middle of a frame
/// as well, and the next attempt comes a while later.
struct SimulatedUpstream {
  enum Happening {
    case nothing, connected, ended
    case bytes([UInt8])
  }

  private let plan: SimulationPlan
  let programme: SimulatedProgramme
  private var random: SimulationRandom
  private var encodings: SimulationRandom
  private var rivals: SimulationRandom
  private(set) var connection: SimulatedConnection?
  private var nextAttempt: Double
  private var nextTrial: Double
  private var encoding: Encoding
  /// Seconds between a frame and its way out of the server.
  private let latency: Double
  /// Nothing is taken from it: the relay has enough.
  var pausedUntil = 0.0

  init(_ plan: SimulationPlan, from start: Double) {
    self.plan = plan
    programme = SimulatedProgramme(seed: plan.seed, repeats: plan.troubles.contains(.repeats))
    random = SimulationRandom(seed: plan.seed, of: "upstream")
    encodings = SimulationRandom(seed: plan.seed, of: "encodings")
    rivals = SimulationRandom(seed: plan.seed, of: "takeovers")
    let first = Encoding.plain.randomElement(using: &random)!
    encoding = plan.troubles.contains(.ogg) ? .opus : first
    latency = random.seconds(0...0.3)
    nextAttempt = start + random.seconds(0...2)
    nextTrial = start + rivals.wait(mean: 100)
  }

  /// Another encoding is another upstream's.
  var source: String { connection?.source ?? "http://simulated/\(encoding)" }

  var told: String {
    guard let connection else { return "nothing" }
    return "\(connection.encoding) from \(connection.next), \(Int(connection.speed)) frames/s, "
      + "until \(connection.endsAt)"
  }

  /// It has been delivering for so long without a pause.
  func isSteady(_ now: Double, for seconds: Double) -> Bool {
    guard let connection, pausedUntil < now - seconds else { return false }
    return connection.brought > Int(seconds / connection.encoding.frameSeconds) * 2
      && now < connection.frozenAt
  }

  /// It has also brought what was on air before, and has been level with its programme for so long.
  func isLevel(_ now: Double, for seconds: Double) -> Bool {
    guard let level = connection?.levelAt else { return false }
    return level < now - seconds && isSteady(now, for: seconds)
  }

  /// The process has ended, and its connection with it; it is asked again at `time`.
  mutating func hangUp(until time: Double) {
    connection = nil
    nextAttempt = time
  }

  mutating func step(_ now: Double, by seconds: Double) -> Happening {
    guard var current = connection else {
      guard now >= nextAttempt else { return .nothing }
      connection = connect(now)
      return .connected
    }
    guard now < pausedUntil || now < current.endsAt else {
      connection = nil
      nextAttempt = now + away()
      return .ended
    }
    if now < pausedUntil || now >= current.frozenAt { return .nothing }
    let bytes = current.deliver(programme, now, by: seconds, &random)
    connection = current
    return bytes.isEmpty ? .nothing : .bytes(bytes)
  }

  private mutating func away() -> Double {
    if plan.troubles.contains(.outages), random.chance(0.3) {
      return random.chance(0.2) ? random.seconds(100...700) : random.seconds(5...60)
    }
    return random.seconds(0.2...3)
  }

  private mutating func connect(_ now: Double) -> SimulatedConnection {
    if plan.troubles.contains(.encodings), encodings.chance(0.25) {
      let known = plan.troubles.contains(.ogg) ? Encoding.allCases : Encoding.plain
      encoding = known.randomElement(using: &encodings)!
    }
    let frame = encoding.frameSeconds
    let burst =
      plan.troubles.contains(.bursts)
      ? [0, 1, 2, 5, 10, 20, 40].randomElement(using: &random)! : 5.0
    let isSlow = plan.troubles.contains(.slowLines) && random.chance(0.5)
    var lasts = Double.infinity
    if plan.troubles.contains(.cuts) { lasts = random.wait(mean: 120) }
    if plan.troubles.contains(.shortVisits), random.chance(0.2) { lasts = random.seconds(0.1...3) }
    let metaint = [400, 1000, 4096].randomElement(using: &random)!
    var connection = SimulatedConnection(
      encoding, from: "http://simulated/\(encoding)",
      next: max(0, Int((now - latency - burst) / frame)), latency: latency,
      speed: (isSlow ? random.seconds(1.3...4) : random.seconds(20...200)) / frame,
      endsAt: now + lasts,
      cut: random.chance(0.5) ? Int.random(in: 0..<encoding.frameBytes, using: &random) : 0,
      metaint: metaint, isGarbled: plan.troubles.contains(.garbled))
    if plan.troubles.contains(.freezes), random.chance(0.1) {
      connection.frozenAt = now + random.wait(mean: 60)
      // Without a byte for so long, a connection counts as dead.
      connection.endsAt = min(connection.endsAt, connection.frozenAt + 15)
    }
    return connection
  }

  mutating func feed(_ bytes: [UInt8]) -> Arrivals {
    connection?.pipeline.feed(bytes.span) ?? Arrivals()
  }

  // MARK: Another one beside it

  /// How far upstreams are behind each other at most: what is further behind than is held repeats the rest.
  static let latencyMax = 4.0

  /// A better upstream of the same audio, which is some seconds ahead or behind; nil: not yet.
  mutating func beginTrial(_ now: Double) -> SimulatedTrial? {
    guard now >= nextTrial, let connection, isSteady(now, for: 10) else { return nil }
    nextTrial = now + 40 + rivals.wait(mean: 200)
    let latency = rivals.chance(0.5) ? rivals.seconds(0...0.5) : rivals.seconds(0...Self.latencyMax)
    let burst = [0.5, 2, 5, 20].randomElement(using: &rivals)!
    let name = connection.source.hasSuffix("/other") ? "" : "/other"
    let frame = connection.encoding.frameSeconds
    let other = SimulatedConnection(
      connection.encoding, from: "http://simulated/\(connection.encoding)\(name)",
      next: max(0, Int((now - latency - burst) / frame)), latency: latency,
      speed: rivals.seconds(20...200) / frame,
      endsAt: plan.troubles.contains(.cuts) ? now + rivals.wait(mean: 200) : .infinity,
      cut: rivals.chance(0.5)
        ? Int.random(in: 0..<connection.encoding.frameBytes, using: &rivals) : 0,
      metaint: 1000, isGarbled: false)
    return SimulatedTrial(other, at: now)
  }

  /// What another connection brings.
  mutating func deliver(
    _ other: inout SimulatedConnection, _ now: Double, by seconds: Double
  ) -> [UInt8] {
    other.deliver(programme, now, by: seconds, &rivals)
  }

  /// It goes on with another connection.
  mutating func adopt(_ other: SimulatedConnection) {
    connection = other
    pausedUntil = 0
  }
}
