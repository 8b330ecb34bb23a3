import TestSupport
import Wire

@testable import Ingest

/// One connection to an upstream: what it brings, and when.
struct SimulatedConnection {
  let encoding: Encoding
  let source: String
  var pipeline: Pipeline
  /// The next frame it brings.
  var next: Int
  /// Seconds between a frame and its way out of the server.
  let latency: Double
  /// Frames a second while it is behind.
  let speed: Double
  var endsAt: Double
  private var credit = 0.0
  /// Of the first frame: it begins anywhere in it.
  private var cut: Int
  /// Nothing comes from then on, though it is open.
  var frozenAt = Double.infinity
  private let metaint: Int
  /// Its blocks hold no text.
  private let isGarbled: Bool
  private var untilBlock: Int
  private var titleSent = -1
  private var isBegun = false
  /// Frames it has brought whole.
  private(set) var brought = 0
  /// When it had brought all that had been on air.
  private(set) var levelAt: Double?

  static let titleSeconds = 31.0

  init(
    _ encoding: Encoding, from source: String, next: Int, latency: Double, speed: Double,
    endsAt: Double, cut: Int, metaint: Int, isGarbled: Bool
  ) {
    self.encoding = encoding
    self.source = source
    self.next = next
    self.latency = latency
    self.speed = speed
    self.endsAt = endsAt
    self.cut = cut
    self.isGarbled = isGarbled
    // In Ogg titles are the stream's own.
    self.metaint = encoding.isOgg ? .max : metaint
    untilBlock = self.metaint
    pipeline = Pipeline(
      metaint: encoding.isOgg ? nil : metaint, hint: encoding.codec,
      titles: TitleReader(UpstreamSettings(urls: ["http://simulated/"])))
  }

  /// What comes within the last `seconds`. `random`: in which it may be cut off.
  mutating func deliver(
    _ programme: SimulatedProgramme, _ now: Double, by seconds: Double,
    _ random: inout SimulationRandom
  ) -> [UInt8] {
    let available = Int((now - latency) / encoding.frameSeconds)
    credit = min(credit + seconds * speed, speed)
    let count = max(0, min(available - next, Int(credit)))
    credit -= Double(count)
    var wire: [UInt8] = []
    for index in next..<next + count { append(index, of: programme, to: &wire, &random) }
    next += count
    brought += count
    if next >= available, levelAt == nil { levelAt = now }
    if now + seconds >= endsAt, count > 0, random.chance(0.5) {
      endsAt = now
      wire.removeLast(Int.random(in: 0..<min(wire.count, 60), using: &random))
    }
    return wire
  }

  private mutating func append(
    _ index: Int, of programme: SimulatedProgramme, to wire: inout [UInt8],
    _ random: inout SimulationRandom
  ) {
    let content = programme.content(index, encoding)
    if encoding.isOgg, !isBegun || SimulatedOgg.isFirst(index) {
      wire += SimulatedOgg.headers(ofLink: SimulatedOgg.link(of: index))
    }
    isBegun = true
    let frame = encoding.isOgg ? SimulatedOgg.page(content, at: index) : encoding.frame(content)
    interleave(frame.dropFirst(cut), index, into: &wire, &random)
    cut = 0
  }

  private mutating func interleave(
    _ frame: ArraySlice<UInt8>, _ index: Int, into wire: inout [UInt8],
    _ random: inout SimulationRandom
  ) {
    var rest = frame
    while !rest.isEmpty {
      let part = rest.prefix(untilBlock)
      wire += part
      rest = rest.dropFirst(part.count)
      untilBlock -= part.count
      guard untilBlock == 0 else { continue }
      untilBlock = metaint
      let title = Int(Double(index) * encoding.frameSeconds / Self.titleSeconds)
      if isGarbled {
        wire.append(2)
        for _ in 0..<32 { wire.append(UInt8.random(in: 0x80...0xFE, using: &random)) }
      } else if title == titleSent {
        wire.append(0)
      } else {
        titleSent = title
        wire += ICYBlock.bytes(for: Title(text: "Title \(title)"))
      }
    }
  }
}
