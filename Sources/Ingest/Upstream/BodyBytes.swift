/// What has come as bodies of upstreams' answers.
struct BodyBytes {
  var received: UInt64 = 0
  /// Of them no audio and nothing that belongs to it.
  var skipped: UInt64 = 0

  static func + (one: BodyBytes, other: BodyBytes) -> BodyBytes {
    BodyBytes(received: one.received + other.received, skipped: one.skipped + other.skipped)
  }

  static func += (one: inout BodyBytes, other: BodyBytes) { one = one + other }
}
