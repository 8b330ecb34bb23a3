import TestSupport

/// Work on a stranger's bytes is linear: so much CPU time a byte and no more, counted in plain passes over them.
///
/// The passes are measured on the machine and under the sanitizers of the same run, so that neither matters.
enum FuzzTime {
  /// Shorter inputs are over before anything can be measured.
  private static let bytesMin = 8 * 1024
  /// `LongwaveFuzz passes` tells: what is read as every kind of value takes 1,400, the rest no more than 600, however long
  /// an input is. Quadratic work goes through 256 KiB 100,000 times.
  private static let passesMax = 8000.0
  private static let tries = 3

  static func run(_ target: FuzzTarget, _ bytes: [UInt8]) {
    guard bytes.count >= bytesMin else { return target.run(bytes) }
    let bound = Double(bytes.count) * secondsPerByte * passesMax
    var least = ThreadTime.seconds { target.run(bytes) }
    // Again, if it was only an interrupt, or memory that came for the first time.
    for _ in 1..<tries where least > bound {
      least = min(least, ThreadTime.seconds { target.run(bytes) })
    }
    promise(
      least <= bound, "\(target.name): \(bytes.count) bytes take \(least) s, more than \(bound) s")
  }

  /// How many passes a target takes for the worst of the known shapes, each as long as an input can be.
  static func passes(of target: FuzzTarget, bytes count: Int) -> (Double, shape: String) {
    var most = (0.0, shape: "")
    for shape in HostileShapes.all(bytes: count) {
      let bytes = [2, 200, 200] + shape.bytes
      let passes = ThreadTime.seconds { target.run(bytes) } / (Double(bytes.count) * secondsPerByte)
      if passes > most.0 { most = (passes, shape.name) }
    }
    return most
  }

  private static let secondsPerByte: Double = {
    let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var sum: UInt64 = 0
    let all = (0..<5).map { _ in
      ThreadTime.seconds { for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    }
    // Without a use of the sum there would be no pass.
    promise(sum != 0, "a sum of 0")
    return max(all.min() ?? 0, 1e-4) / Double(bytes.count)
  }()
}
