import Reactor

/// The connections of a loop, in slots that do not move. A token names a slot and the connection in it. So what comes
/// late, from another task or from epoll, reaches no other connection.
struct ConnectionTable {
  private static let slotBits: UInt64 = 20
  private static let slotMask: UInt64 = 1 << slotBits - 1
  /// The last slots stay unused, so that no connection's token is a listening socket's.
  private static let countMax = 1 << Int(slotBits) - 64
  /// A slot that changes hands 100,000 times a second repeats its generations after five years.
  private static let generationMask: UInt64 = 1 << (64 - slotBits) - 1
  private static let eventMask: UInt64 = 1 << EventLoop.tokenBits - 1

  private(set) var places: [Connection] = []
  private var free: [UInt32] = []

  var count: Int { places.count - free.count }

  subscript(slot: UInt32) -> Connection {
    get { places[Int(slot)] }
    _modify { yield &places[Int(slot)] }
  }

  /// Returns the new connection's slot; nil when a million are open.
  mutating func add(_ fd: Int32, origin: Peer, deadline: Int64) -> UInt32? {
    let slot: UInt32
    if let last = free.popLast() {
      slot = last
    } else {
      if places.count == Self.countMax { return nil }
      places.append(Connection())
      slot = UInt32(places.count - 1)
    }
    let generation = places[Int(slot)].generation
    places[Int(slot)] = Connection(
      fd: fd, generation: generation, state: .reading([]), origin: origin, deadline: deadline)
    return slot
  }

  mutating func remove(_ slot: UInt32) {
    let generation = (places[Int(slot)].generation + 1) & Self.generationMask
    places[Int(slot)] = Connection()
    places[Int(slot)].generation = generation
    free.append(slot)
  }

  /// Returns what is done with a connection, whatever happens to it.
  func row(_ slot: UInt32) -> ConnectionRow {
    let place = Int(slot)
    return ConnectionRow(
      places[place].state,
      .init(
        isLogin: places[place].isLogin, awaitsHello: places[place].helloBytes > 0,
        hasServed: places[place].idleSerial > 1, hearsFile: places[place].file != nil,
        hearsSamples: places[place].clip?.isTap == true, isBlocked: places[place].isBlocked))
  }

  func token(_ slot: UInt32) -> UInt64 {
    UInt64(slot) | places[Int(slot)].generation << Self.slotBits
  }

  /// Returns the slot of a token; nil when the connection it meant has gone.
  func slot(of token: UInt64) -> UInt32? {
    let slot = UInt32(token & Self.slotMask)
    guard Int(slot) < places.count, places[Int(slot)].fd >= 0, self.token(slot) == token
    else { return nil }
    return slot
  }

  /// Returns the slot for as much of a token as the loop gives back; nil when the connection has gone.
  func slot(ofEvent token: UInt64) -> UInt32? {
    let slot = UInt32(token & Self.slotMask)
    guard Int(slot) < places.count, places[Int(slot)].fd >= 0,
      self.token(slot) & Self.eventMask == token
    else { return nil }
    return slot
  }
}
