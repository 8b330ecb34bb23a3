/// Seeded random numbers for the music. A seed gives equal numbers on every machine (SplitMix64).
struct Dice: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number in 0 ..< 1.
  mutating func unit() -> Float { Float(next() >> 40) * 0x1p-24 }

  mutating func between(_ low: Float, _ high: Float) -> Float { low + (high - low) * unit() }

  mutating func between(_ low: Int, _ high: Int) -> Int {
    low + Int(next() % UInt64(high - low + 1))
  }

  mutating func chance(_ probability: Float) -> Bool { unit() < probability }

  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int(next() % UInt64(choices.count))]
  }
}
