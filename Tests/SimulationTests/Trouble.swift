/// What may befall a station. Each has random numbers of its own: without one of them the others stay as they are.
enum Trouble: String, CaseIterable, Sendable {
  // The upstream.
  case cuts, outages, bursts, slowLines, repeats, encodings, shortVisits, freezes, garbled
  // Clocks.
  case wallSteps
  // The process and the machine.
  case kills, powerLosses, stops, stalls
  // The disk.
  case readErrors, writeErrors, openErrors, syncErrors, cold, fullDisk, rot
  // Listeners.
  case slowListeners

  /// The disk gives back what was written.
  static let ofDisk: Set<Trouble> = [
    .readErrors, .writeErrors, .openErrors, .syncErrors, .fullDisk, .rot, .stalls,
  ]
}

/// A simulation: what it is made of follows from this alone.
struct SimulationPlan: Hashable, Sendable, CustomStringConvertible {
  var seed: UInt64
  var seconds: Double
  var troubles: Set<Trouble>

  /// The troubles of a seed: some of them, so that each is seen alone as well.
  init(seed: UInt64, seconds: Double) {
    self.seed = seed
    self.seconds = seconds
    var random = SimulationRandom(seed: seed, of: "troubles")
    let share = [0.15, 0.3, 0.6][Int.random(in: 0..<3, using: &random)]
    troubles = Set(
      Trouble.allCases.filter { _ in Double.random(in: 0..<1, using: &random) < share })
  }

  init(seed: UInt64, seconds: Double, troubles: Set<Trouble>) {
    (self.seed, self.seconds, self.troubles) = (seed, seconds, troubles)
  }

  var description: String {
    let names = troubles.map(\.rawValue).sorted().joined(separator: ",")
    return "seed \(seed), \(Int(seconds)) s, \(names.isEmpty ? "no troubles" : names)"
  }
}

/// Random numbers for one thing.
struct SimulationRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64, of name: String) {
    state = seed &* 0x9E37_79B9_7F4A_7C15
    for byte in name.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for _ in 0..<4 { _ = next() }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func seconds(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  /// A time to wait of an average length, as of what happens at any moment alike.
  mutating func wait(mean: Double) -> Double {
    -mean * Double.random(in: 0.0001..<1, using: &self).logarithm
  }

  mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
}
