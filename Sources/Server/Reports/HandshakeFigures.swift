/// How handshakes have ended.
public struct HandshakeFigures: Hashable, Sendable {
  public var full: UInt64 = 0
  /// Handshakes with a ticket of an earlier one.
  public var resumed: UInt64 = 0
  /// Input that was no handshake, or none that could succeed.
  public var failed: UInt64 = 0
  /// Handshakes whose client left, or whose time was up.
  public var abandoned: UInt64 = 0
  /// Handshakes that are under way now.
  var underWay = 0
  /// Clients that wait now for others' handshakes to end.
  var waiting = 0

  public init() {}

  mutating func add(_ other: HandshakeFigures) {
    full += other.full
    resumed += other.resumed
    failed += other.failed
    abandoned += other.abandoned
    underWay += other.underWay
    waiting += other.waiting
  }
}
