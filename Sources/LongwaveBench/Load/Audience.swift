/// Who listens to what in a trial.
struct Audience: Codable, Sendable {
  /// Places in the past, drawn evenly.
  struct Offsets: Codable, Sendable {
    /// Seconds behind live.
    var low, high: Double
    var seed: UInt64
  }

  var listeners = 2000
  /// They are spread evenly over so many stations.
  var stations = 1
  /// nil: all are live.
  var offsets: Offsets?
  /// Connections begun each second.
  var ramp = 500.0

  /// Seconds until the last connection is begun.
  var rampSeconds: Double { Double(listeners) / ramp }

  /// What listener `index` asks for.
  func path(of index: Int, from server: ServerUnderTest.Paths) -> String {
    let station = server.path(station: index % stations, of: stations)
    guard let offsets else { return station }
    // One generator a listener: what it draws does not depend on who connected before.
    var random = SplitMix(state: offsets.seed &+ UInt64(index))
    let offset = Double.random(in: offsets.low...offsets.high, using: &random)
    return "\(station)?offset=\(Int(offset))"
  }

  /// The share of load process `part` of `parts`.
  func share(_ part: Int, of parts: Int) -> Audience {
    var share = self
    share.listeners = listeners * (part + 1) / parts - listeners * part / parts
    share.ramp = ramp / Double(parts)
    if let offsets { share.offsets?.seed = offsets.seed &+ UInt64(part) << 32 }
    return share
  }
}

/// Small and seedable (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
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
