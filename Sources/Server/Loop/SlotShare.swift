/// What files and clips may send in a slot of 25 ms, of all that a loop sends.
enum SlotShare: CaseIterable {
  /// Files that have had their burst and go as they play: they need little, and need it now.
  case paced
  /// Clips, and files in their burst: as fast as they are taken.
  case prompt
}

/// What is left of the shares in this slot, and who waits for the next one.
struct SlotShares {
  /// Of each: 40 MB/s a loop, a few percent of what it can send.
  static let bytes = 1024 * 1024

  private struct State {
    var bytesLeft = SlotShares.bytes
    var turns = AddressTurns()
  }

  private var paced = State()
  private var prompt = State()

  private subscript(share: SlotShare) -> State {
    get { share == .paced ? paced : prompt }
    _modify { if share == .paced { yield &paced } else { yield &prompt } }
  }

  /// Those who wait have had their turns when a slot has more left than nothing.
  func hasLeft(_ share: SlotShare) -> Bool { self[share].bytesLeft > 0 }

  mutating func refill(_ share: SlotShare) { self[share].bytesLeft = Self.bytes }

  mutating func spend(_ count: Int, of share: SlotShare) { self[share].bytesLeft -= count }

  mutating func wait(_ token: UInt64, for share: SlotShare, _ customer: AddressBlock?) {
    self[share].turns.wait(token, for: customer)
  }

  mutating func leave(_ token: UInt64, _ share: SlotShare, _ customer: AddressBlock?) {
    self[share].turns.leave(token, of: customer)
  }

  /// Whose turn it is, while there is anything left.
  mutating func next(_ share: SlotShare) -> UInt64? {
    hasLeft(share) ? self[share].turns.next() : nil
  }
}

// Turns of those that are sent files and clips.
extension LoopServer {
  /// Once a slot, before anybody else may have of it: those who wait, as far as it goes.
  func serveTurns() {
    for share in SlotShare.allCases {
      shares.refill(share)
      while let token = shares.next(share) {
        guard let slot = connections.slot(of: token) else { continue }
        connections[slot].clip?.waitsFor = nil
        connections[slot].file?.waitsFor = nil
        continueReply(slot)
        if connections.slot(of: token) != nil { proceed(slot) }
      }
    }
  }
}
