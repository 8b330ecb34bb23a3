import Glibc
import Reactor
import Wire

/// The connections of a loop: their sockets, and what is known of their other ends.
///
/// The parts above decide what a connection is about; `owner` speaks for them.
final class Connections {
  let loop: EventLoop
  /// The loop's thread, to which work that was done elsewhere comes back.
  let home: LoopThread
  let shared: SharedState
  /// Set before the first connection comes.
  unowned var owner: (any ConnectionsOwner)!
  /// The loop's own copies of what may change while it runs: read with every request, without a lock.
  var mounts = MountTable()
  var clients: ClientSettings
  var isDraining = false
  var table = ConnectionTable()
  var players = PlayerNames()
  var idle = IdleConnections()
  var bytesOfStations = StationBytes()
  /// Changes of listeners, reported together once a slot.
  var changes: [ListenerEvent] = []
  /// Finished requests for the access log, handed over once a slot.
  var finished: [FinishedRequest] = []
  var counts = LoopCounts()
  /// Requests that are being answered, by connection slot: beside the table, where each listener has an entry.
  private var asked: [AskedRequest] = []
  let input = InputBuffer()
  /// Memory in which TLS records are put together.
  let records: RecordScratch

  init(_ home: LoopThread, _ shared: SharedState, _ records: RecordScratch) {
    self.home = home
    loop = home.loop
    self.shared = shared
    self.records = records
    clients = shared.configuration.clients
  }

  /// The last request of a connection.
  func asked(_ slot: UInt32) -> AskedRequest {
    Int(slot) < asked.count ? asked[Int(slot)] : AskedRequest()
  }

  func set(_ request: AskedRequest, of slot: UInt32) {
    while asked.count <= Int(slot) { asked.append(AskedRequest()) }
    asked[Int(slot)] = request
  }

  subscript(slot: UInt32) -> Connection {
    get { table[slot] }
    _modify { yield &table[slot] }
  }

  var count: Int { table.count }

  /// Returns the new connection's slot; nil when a million are open.
  func add(_ fd: Int32, origin: Peer, deadline: Int64) -> UInt32? {
    table.add(fd, origin: origin, deadline: deadline)
  }

  func token(_ slot: UInt32) -> UInt64 { table.token(slot) }

  /// Returns the slot of a token; nil when the connection it meant has gone.
  func slot(of token: UInt64) -> UInt32? { table.slot(of: token) }

  /// Returns the slot for as much of a token as the loop gives back; nil when the connection has gone.
  func slot(ofEvent token: UInt64) -> UInt32? { table.slot(ofEvent: token) }

  /// Slots of the open connections.
  var slots: [UInt32] { table.places.indices.filter { table.places[$0].fd >= 0 }.map(UInt32.init) }

  func register(_ slot: UInt32) throws(SystemError) {
    try loop.add(
      table[slot].fd, .read, handler: owner.handlerID, token: table.token(slot))
  }

  /// Starts (or stops) waiting for writability.
  func setBlocked(_ slot: UInt32, _ isBlocked: Bool) {
    guard table[slot].isBlocked != isBlocked else { return }
    table[slot].isBlocked = isBlocked
    watchAgain(slot)
  }

  /// Stops (or resumes) watching for input; unread bytes stay in the kernel.
  func setReadHeld(_ slot: UInt32, _ isHeld: Bool) {
    guard table[slot].isReadHeld != isHeld else { return }
    table[slot].isReadHeld = isHeld
    watchAgain(slot)
  }

  /// Watches the socket for what the connection waits for. Input that has ended is not watched: the kernel would report
  /// its end again and again, for nothing.
  func watchAgain(_ slot: UInt32) {
    var interest: Interest = table[slot].isBlocked ? .write : []
    if !table[slot].isInputEnded, !table[slot].isReadHeld { interest.insert(.read) }
    try? loop.modify(
      table[slot].fd, interest, handler: owner.handlerID, token: table.token(slot))
  }

  func readWhenWritable(_ slot: UInt32) {
    setReadHeld(slot, true)
    setBlocked(slot, true)
  }

  func readAgain(_ slot: UInt32) {
    setReadHeld(slot, false)
    // A connection that has something to write and finds no room waits again.
    setBlocked(slot, false)
  }

  // MARK: Writing

  func write(_ slot: UInt32, _ bytes: ArraySlice<UInt8>) -> Transferred {
    bytes.withUnsafeBytes { write(slot, $0) }
  }

  func write(_ slot: UInt32, _ bytes: UnsafeRawBufferPointer) -> Transferred {
    var part = iovec(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    return write(slot, &part, count: 1)
  }

  func write(
    _ slot: UInt32, _ parts: UnsafeMutablePointer<iovec>, count: Int
  ) -> Transferred {
    let written =
      if let stream = table[slot].tls {
        stream.send(parts, count: count, scratch: records.bytes)
      } else {
        Socket.send(table[slot].fd, parts, count: count)
      }
    if case .bytes(let count) = written { table[slot].note?.bytes += UInt64(count) }
    return written
  }

  /// Whether the kernel has all that was written. If not, the connection waits for its socket or has ended.
  func flush(_ slot: UInt32) -> Bool {
    guard let stream = table[slot].tls else { return true }
    switch stream.flush() {
    case .bytes: return true
    case .wouldBlock: setBlocked(slot, true)
    case .ended: close(slot, .clientGone)
    }
    return false
  }

  // MARK: Ending

  /// Ends a connection. A listener gets what is on its way to it, unless its client has gone, its pause was too long,
  /// or it was replaced.
  func end(_ slot: UInt32, _ reason: EndReason) {
    guard table.row(slot).lingers, ![.clientGone, .pauseTimeout, .replaced].contains(reason)
    else { return close(slot, reason) }
    owner.leave(slot, reason)
    linger(slot)
  }

  private static let lingerNanoseconds: Int64 = 2_000_000_000

  /// Ends the sending half, and keeps the socket until the client has ended too. Closing while input is unread would
  /// make the kernel send a reset, which eats the last bytes on their way.
  func linger(_ slot: UInt32) {
    table[slot].state = .lingering
    table[slot].deadline = loop.turnTime + Self.lingerNanoseconds
    waitForClient(slot)
    // Lets a source's audio, which was left in the kernel, be read and thrown away.
    setReadHeld(slot, false)
    sayEnd(slot)
  }

  /// Tells the client that nothing more comes, as soon as its socket takes that.
  func sayEnd(_ slot: UInt32) {
    if let stream = table[slot].tls, !stream.close() { return setBlocked(slot, true) }
    setBlocked(slot, false)
    Socket.shutdownWriting(table[slot].fd)
    // The input has ended, so none can be unread when the socket closes.
    if table[slot].isInputEnded { close(slot, .clientGone) }
  }

  /// Closes a connection so that its client sees an error: an end would say that the answer is whole.
  func reset(_ slot: UInt32, _ reason: EndReason) {
    Socket.resetWhenClosed(table[slot].fd)
    close(slot, reason)
  }

  func close(_ slot: UInt32, _ reason: EndReason) {
    owner.leave(slot, reason)
    loop.remove(table[slot].fd)
    Socket.close(table[slot].fd)
    forget(slot)
  }

  /// Frees a connection's slot and reservations, after its descriptor was closed or handed over.
  func forget(_ slot: UInt32) {
    uncountForAddress(slot)
    if table[slot].hasPlace { shared.network.release() }
    if table[slot].isRefusal { shared.network.endRefusal() }
    table.remove(slot)
    owner.descriptorIsFree()
  }
}
