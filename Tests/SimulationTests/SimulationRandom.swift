import Glibc
import TestSupport

/// Random numbers for one thing: without it, those of the others stay as they are.
struct SimulationRandom: RandomNumberGenerator {
  private var numbers: SplitMix

  init(seed: UInt64, of name: String) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    for byte in name.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    numbers = SplitMix(seed: state)
    // Seeds of neighbours begin alike.
    for _ in 0..<4 { _ = numbers.next() }
  }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func seconds(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  /// A time to wait of an average length, as of what happens at any moment alike.
  mutating func wait(mean: Double) -> Double {
    -mean * log(Double.random(in: 0.0001..<1, using: &self))
  }

  mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
}
