import Foundation
import TestSupport
import Timeshift
import Wire

@testable import Ingest

/// The server of a programme, and the one connection to it.
///
/// Who connects gets a burst of what was on air last, then what is on air. Connections are cut, in the middle of a frame
/// as well, and the next attempt comes a while later.
struct SimulatedUpstream {
  struct Connection {
    var encoding: Encoding
    var pipeline: Pipeline
    /// The next frame it brings.
    var next: Int
    /// Frames a second while it is behind.
    var speed: Double
    var endsAt: Double
    var credit = 0.0
    /// Of the first frame: it begins anywhere in it.
    var cut: Int
    /// Nothing comes from then on, though it is open.
    var frozenAt = Double.infinity
    let metaint: Int
    /// Its blocks hold no text.
    var isGarbled: Bool
    var untilBlock: Int
    var titleSent = -1
    /// Frames it has brought whole.
    var brought = 0
    var lastAt: Double
  }

  enum Happening {
    case nothing, connected, ended
    case bytes([UInt8])
  }

  private let plan: SimulationPlan
  let programme: SimulatedProgramme
  private var random: SimulationRandom
  private var encodings: SimulationRandom
  private(set) var connection: Connection?
  private var nextAttempt: Double
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
    encoding = Encoding.allCases.randomElement(using: &random)!
    latency = random.seconds(0...0.3)
    nextAttempt = start + random.seconds(0...2)
  }

  /// Another encoding is another upstream's.
  var source: String { "http://simulated/\(encoding)" }

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
    let bytes = deliver(&current, now, by: seconds)
    connection = current
    return bytes.isEmpty ? .nothing : .bytes(bytes)
  }

  private mutating func away() -> Double {
    if plan.troubles.contains(.outages), random.chance(0.3) {
      return random.chance(0.2) ? random.seconds(100...700) : random.seconds(5...60)
    }
    return random.seconds(0.2...3)
  }

  private mutating func connect(_ now: Double) -> Connection {
    if plan.troubles.contains(.encodings), encodings.chance(0.25) {
      encoding = Encoding.allCases.randomElement(using: &encodings)!
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
    let settings = UpstreamSettings(urls: ["http://simulated/"])
    var connection = Connection(
      encoding: encoding,
      pipeline: Pipeline(metaint: metaint, hint: encoding.codec, titles: TitleReader(settings)),
      next: max(0, Int((now - latency - burst) / frame)),
      speed: (isSlow ? random.seconds(1.3...4) : random.seconds(20...200)) / frame,
      endsAt: now + lasts,
      cut: random.chance(0.5) ? Int.random(in: 0..<encoding.frameBytes, using: &random) : 0,
      metaint: metaint, isGarbled: plan.troubles.contains(.garbled), untilBlock: metaint,
      lastAt: now)
    if plan.troubles.contains(.freezes), random.chance(0.1) {
      connection.frozenAt = now + random.wait(mean: 60)
      // Without a byte for so long, a connection counts as dead.
      connection.endsAt = min(connection.endsAt, connection.frozenAt + 15)
    }
    return connection
  }

  private mutating func deliver(
    _ connection: inout Connection, _ now: Double, by seconds: Double
  ) -> [UInt8] {
    let available = Int((now - latency) / connection.encoding.frameSeconds)
    connection.credit = min(connection.credit + seconds * connection.speed, connection.speed)
    let count = max(0, min(available - connection.next, Int(connection.credit)))
    connection.credit -= Double(count)
    var wire: [UInt8] = []
    for index in connection.next..<connection.next + count {
      var frame = connection.encoding.frame(programme.content(index, connection.encoding))[...]
      frame = frame.dropFirst(connection.cut)
      connection.cut = 0
      interleave(frame, index, &connection, into: &wire)
    }
    connection.next += count
    connection.brought += count
    if now + seconds >= connection.endsAt, count > 0, random.chance(0.5) {
      connection.endsAt = now
      wire.removeLast(Int.random(in: 0..<min(wire.count, 60), using: &random))
    }
    return wire
  }

  static let titleSeconds = 31.0

  private mutating func interleave(
    _ frame: ArraySlice<UInt8>, _ index: Int, _ connection: inout Connection,
    into wire: inout [UInt8]
  ) {
    var rest = frame
    while !rest.isEmpty {
      let part = rest.prefix(connection.untilBlock)
      wire += part
      rest = rest.dropFirst(part.count)
      connection.untilBlock -= part.count
      guard connection.untilBlock == 0 else { continue }
      connection.untilBlock = connection.metaint
      let title = Int(Double(index) * connection.encoding.frameSeconds / Self.titleSeconds)
      if connection.isGarbled {
        wire.append(2)
        for _ in 0..<32 { wire.append(UInt8.random(in: 0x80...0xFE, using: &random)) }
      } else if title == connection.titleSent {
        wire.append(0)
      } else {
        connection.titleSent = title
        wire += ICYBlock.bytes(for: Title(text: "Title \(title)"))
      }
    }
  }

  mutating func feed(_ bytes: [UInt8]) -> [PipelineItem] {
    connection?.pipeline.feed(bytes.span) ?? []
  }

  var pipelineBytes: [UInt8] { connection?.pipeline.bytes ?? [] }
}
