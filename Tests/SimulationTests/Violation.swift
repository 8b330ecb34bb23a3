/// Something happened that may not.
struct Violation: Error, CustomStringConvertible {
  /// One word for what it is: while a plan shrinks, it stays the same.
  var kind: String
  var text: String
  /// Seconds since the simulation began.
  var at: Double

  var description: String { "\(kind) at \((at * 1000).rounded() / 1000) s: \(text)" }
}
