/// Counts the bytes of upstreams' bodies.
struct BodyBytes {
  var received: UInt64 = 0
  /// Received bytes that were neither audio nor part of it.
  var skipped: UInt64 = 0

  static func + (one: BodyBytes, other: BodyBytes) -> BodyBytes {
    BodyBytes(received: one.received + other.received, skipped: one.skipped + other.skipped)
  }

  static func += (one: inout BodyBytes, other: BodyBytes) { one = one + other }
}
