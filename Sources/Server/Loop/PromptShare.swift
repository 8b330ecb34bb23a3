/// What a loop may send in a slot of 25 ms to those who are sent all they take: clips, and files in their burst. Files that
/// go as they play need none of it, since their pace bounds them as a listener's does; those in their burst go as they play
/// while they wait.
struct PromptShare {
  /// 40 MB/s a loop, a few percent of what it can send.
  static let bytes = 1024 * 1024

  private var bytesLeft = Self.bytes
  private var turns = AddressTurns()
  private var isFull = false
  /// Slots in which somebody had to wait for the next one.
  private(set) var slotsFull: UInt64 = 0

  /// Those who wait have had their turns when a slot has more left than nothing.
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

  /// Whose turn it is, while there is anything left.
  mutating func next() -> UInt64? { hasLeft ? turns.next() : nil }
}

// Turns of those that are sent files and clips.
extension LoopServer {
  /// Once a slot, before anybody else may have of it: those who wait, as far as it goes.
  func serveTurns() {
    prompt.refill()
    while let token = prompt.next() {
      guard let slot = connections.slot(of: token) else { continue }
      connections[slot].clip?.isInTurn = false
      connections[slot].file?.isInTurn = false
      continueReply(slot)
      if connections.slot(of: token) != nil { proceed(slot) }
    }
  }
}
