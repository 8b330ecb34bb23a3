/// The listeners of a trial, and the paths that they ask for.
struct Audience: Codable, Sendable {
  /// Offsets in the past, drawn evenly from a range.
  struct Offsets: Codable, Sendable {
    /// The bounds in seconds behind live.
    var low, high: Double
    var seed: UInt64
  }

  var listeners = 2000
  /// The number of stations over which the listeners are spread evenly.
  var stations = 1
  /// The offsets; nil if all listeners are live.
  var offsets: Offsets?
  /// Connections begun each second.
  var ramp = 500.0

  /// Seconds until the last connection is begun.
  var rampSeconds: Double { Double(listeners) / ramp }

  /// Returns the path that listener `index` asks for.
  func path(of index: Int, from server: ServerUnderTest.Paths) -> String {
    let station = server.path(station: index % stations, of: stations)
    guard let offsets else { return station }
    // Each listener has its own generator, so its offset does not depend on the order of connecting.
    var random = SplitMix(state: offsets.seed &+ UInt64(index))
    let offset = Double.random(in: offsets.low...offsets.high, using: &random)
    return "\(station)?offset=\(Int(offset))"
  }

  /// Returns the share of load process `part` of `parts`.
  func share(_ part: Int, of parts: Int) -> Audience {
    var share = self
    share.listeners = listeners * (part + 1) / parts - listeners * part / parts
    share.ramp = ramp / Double(parts)
    if let offsets { share.offsets?.seed = offsets.seed &+ UInt64(part) << 32 }
    return share
  }
}

/// A small random generator with a seed (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
