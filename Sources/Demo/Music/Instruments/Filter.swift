import Glibc

/// A low-pass of second order whose corner can move while sound passes (a state variable filter in Zavalishin's form).
struct Filter: Sendable {
  private var one: Float = 0
  private var two: Float = 0
  private var a1: Float = 0
  private var a2: Float = 0
  private var a3: Float = 0

  /// - Parameters:
  ///   - cutoff: the corner as a part of the sample rate, limited to 0.45.
  ///   - damping: 1.41 has no bump at the corner; a lower value has one.
  mutating func tune(cutoff: Float, damping: Float = 1.41) {
    let g = tanf(.pi * min(0.45, cutoff))
    a1 = 1 / (1 + g * (g + damping))
    a2 = g * a1
    a3 = g * a2
  }

  @inline(__always) mutating func pass(_ input: Float) -> Float {
    let v3 = input - two
    let v1 = a1 * one + a2 * v3
    let v2 = two + a2 * one + a3 * v3
    one = 2 * v1 - one
    two = 2 * v2 - two
    return v2
  }
}
