/// Bytes that a loop may send in a slot of 25 ms to connections that are sent all they take: clips, and files in their
/// burst. Files that go as they play need none of them, since their pace bounds them as a listener's does. Files in
/// their burst go as they play while they wait.
struct PromptShare {
  /// 40 MB/s per loop, a few percent of what a loop can send.
  static let bytes = 1024 * 1024

  private var bytesLeft = Self.bytes
  private var turns = AddressTurns()
  private var isFull = false
  /// Slots in which a connection had to wait for the next one.
  private(set) var slotsFull: UInt64 = 0

  /// Whether the slot has anything left; then all that waited have had their turns.
  var hasLeft: Bool { bytesLeft > 0 }

  mutating func refill() {
    bytesLeft = Self.bytes
    if isFull { slotsFull += 1 }
    isFull = false
  }

  mutating func spend(_ count: Int) { bytesLeft -= count }

  mutating func wait(_ token: UInt64, for customer: AddressBlock?) {
    isFull = true
    turns.wait(token, for: customer)
  }

  mutating func leave(_ token: UInt64, of customer: AddressBlock?) {
    turns.leave(token, of: customer)
  }

  /// Returns the connection whose turn it is, while there is anything left.
  mutating func next() -> UInt64? { hasLeft ? turns.next() : nil }
}
