import CCurl
import Reactor
import Wire

/// All transfers of one ingest loop, driven by the loop's epoll and timers.
///
/// Used on the loop's thread only. libcurl must not be entered from its own callbacks: there `curl_multi_add_handle`
/// and `_remove_handle` answer CURLM_RECURSIVE_API_CALL.
///
/// So transfers that a callback starts or ends are started or ended when the outermost call has returned. The
/// corresponding C functions are `curl_multi_socket_action`, `curl_multi_info_read`.
public final class CurlMulti {
  private static let curlTimer: UInt32 = 0
  private static let restTimer: UInt32 = 1
  private static let refusalTimer: UInt32 = 2
  /// The descriptors for looking up a name, beside the socket: both ends of libcurl's wake-up, the resolver's sockets
  /// and files.
  private static let descriptorsPerLookup = 6

  private let raw: UnsafeMutableRawPointer
  private let loop: EventLoop
  private let bridge = CurlBridge()
  private let handler: HandlerID
  private var watched: [Int32: Interest] = [:]
  private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
  /// Transfers whose names are being looked up; they have no socket yet.
  private var lookingUp: Set<UnsafeMutableRawPointer> = []
  /// Transfers refused for want of descriptors, to be told in the next turn.
  private var refused: [Transfer] = []
  /// The scope of each address: from where it can be reached.
  var scopes: (SocketAddress) -> AddressScope = { $0.scopeFromHere }
  /// Reads the files of authorities.
  var authorities: AuthorityReader?
  private var depth = 0
  private var toStart: [Transfer] = []
  private var toEnd: [Transfer] = []
  /// Transfers that have had their share of this turn.
  private var resting: [Transfer] = []

  /// Makes a multi; called on the loop's thread.
  public init(loop: EventLoop) {
    self.loop = loop
    handler = loop.attach(bridge)
    guard let raw = curl_multi_init() else { preconditionFailure("no memory for curl") }
    self.raw = raw
    bridge.multi = self
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_multi_set_socket_function(
      raw,
      { _, socket, what, context, _ in
        Unmanaged<CurlMulti>.fromOpaque(context!).takeUnretainedValue().watch(socket, what)
        return 0
      }, context)
    ccurl_multi_set_timer_function(
      raw,
      { _, milliseconds, context in
        Unmanaged<CurlMulti>.fromOpaque(context!).takeUnretainedValue().setTimer(milliseconds)
        return 0
      }, context)
    // Upstreams are endless: a connection kept for reuse would be dead by then.
    ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, 16)
  }

  deinit {
    // The callbacks would use the loop, which may no longer exist.
    ccurl_multi_set_socket_function(raw, nil, nil)
    ccurl_multi_set_timer_function(raw, nil, nil)
    for transfer in transfers.values { curl_multi_remove_handle(raw, transfer.handle.raw) }
    curl_multi_cleanup(raw)
  }

  /// Ends every transfer without telling its owner, and lets the loop go.
  func close() {
    for transfer in transfers.values { end(transfer) }
    for socket in watched.keys { loop.remove(socket) }
    watched.removeAll()
    resting.removeAll()
    refused.removeAll()
    loop.detach(handler)
    bridge.multi = nil
  }

  func start(_ transfer: Transfer) {
    if depth > 0 { return toStart.append(transfer) }
    // Names that wait for a silent name server keep out other names, but no address.
    let needed = transfer.looksUpName ? Self.descriptorsPerLookup * (lookingUp.count + 1) : 1
    guard SpareDescriptors.leave(needed) else {
      if refused.isEmpty { loop.setTimer(handler, token: Self.refusalTimer, after: 0) }
      return refused.append(transfer)
    }
    transfers[transfer.handle.raw] = transfer
    if transfer.looksUpName { lookingUp.insert(transfer.handle.raw) }
    enter { _ = curl_multi_add_handle(raw, transfer.handle.raw) }
  }

  /// Notes that a transfer opens a socket: its name, if any, has been looked up.
  func hasSocket(_ transfer: Transfer) { lookingUp.remove(transfer.handle.raw) }

  private func tellRefused() {
    let waiting = refused
    refused.removeAll()
    for transfer in waiting { transfer.refuse() }
  }

  /// Ends a transfer. Its owner hears nothing more, even when this is called from one of its callbacks.
  func end(_ transfer: Transfer) {
    transfer.isEnded = true
    if depth > 0 { return toEnd.append(transfer) }
    guard transfers.removeValue(forKey: transfer.handle.raw) != nil else { return }
    lookingUp.remove(transfer.handle.raw)
    enter { _ = curl_multi_remove_handle(raw, transfer.handle.raw) }
  }

  /// Lets a paused transfer go on. The transfer may deliver before this returns.
  func resume(_ transfer: Transfer) {
    guard transfers[transfer.handle.raw] != nil else { return }
    enter { _ = curl_easy_pause(transfer.handle.raw, CURLPAUSE_CONT) }
  }

  /// The time of the loop's turn, different in each turn.
  var turn: Int64 { loop.turnTime }

  /// Lets a transfer go on in the next turn, since libcurl cannot be asked to from its own callback.
  func rest(_ transfer: Transfer) {
    if resting.isEmpty { loop.setTimer(handler, token: Self.restTimer, after: 0) }
    resting.append(transfer)
  }

  private func wakeResting() {
    let woken = resting
    resting.removeAll()
    for transfer in woken { transfer.goOn() }
  }

  // MARK: From the loop

  fileprivate func act(on socket: Int32, _ readiness: Readiness) {
    var events: Int32 = 0
    if readiness.contains(.read) { events |= CURL_CSELECT_IN }
    if readiness.contains(.write) { events |= CURL_CSELECT_OUT }
    if !readiness.isDisjoint(with: [.error, .hangUp]) { events |= CURL_CSELECT_ERR }
    enter {
      var running: Int32 = 0
      curl_multi_socket_action(raw, socket, events, &running)
    }
  }

  fileprivate func timerFired(_ token: UInt32) {
    if token == Self.restTimer { return wakeResting() }
    if token == Self.refusalTimer { return tellRefused() }
    guard token == Self.curlTimer else { return enter {} }
    enter {
      var running: Int32 = 0
      curl_multi_socket_action(raw, CURL_SOCKET_TIMEOUT, 0, &running)
    }
  }

  // MARK: From libcurl

  private func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      if watched.removeValue(forKey: socket) != nil { loop.remove(socket) }
      return
    }
    var interest: Interest = []
    if what & CURL_POLL_IN != 0 { interest.insert(.read) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
    let token = UInt64(UInt32(bitPattern: socket))
    if watched[socket] == interest { return }
    // A descriptor that libcurl closed and opened again unnoticed is known here, but not to epoll.
    let isKnown =
      watched[socket] != nil
      && (try? loop.modify(socket, interest, handler: handler, token: token)) != nil
    // If this fails too, the transfer hears nothing from its socket, and its owner's timer ends it.
    if !isKnown { try? loop.add(socket, interest, handler: handler, token: token) }
    watched[socket] = interest
  }

  private func setTimer(_ milliseconds: Int) {
    if milliseconds < 0 { return loop.cancelTimer(handler, token: Self.curlTimer) }
    // Fires from the loop, even for 0: the caller here is libcurl.
    loop.setTimer(
      handler, token: Self.curlTimer, after: Int64(milliseconds).saturatingMultiply(1_000_000))
  }

  // MARK: In and out of libcurl

  private func enter(_ call: () -> Void) {
    depth += 1
    call()
    depth -= 1
    if depth == 0 { settle() }
  }

  /// Ends and starts transfers as callbacks asked, and tells owners of transfers that have ended.
  private func settle() {
    while let transfer = toEnd.popLast() { end(transfer) }
    var left: Int32 = 0
    while let message = curl_multi_info_read(raw, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let key = message.pointee.easy_handle else {
        continue
      }
      let result = ccurl_message_result(message)
      guard let transfer = transfers.removeValue(forKey: key) else { continue }
      lookingUp.remove(key)
      depth += 1
      curl_multi_remove_handle(raw, key)
      depth -= 1
      transfer.finish(result)
    }
    if !toStart.isEmpty || !toEnd.isEmpty {
      let starting = toStart
      toStart.removeAll()
      for transfer in starting where !transfer.isEnded { start(transfer) }
    }
  }
}

/// The handler that the loop holds, so that the loop does not hold the multi itself.
private final class CurlBridge: LoopHandler {
  weak var multi: CurlMulti?

  func ready(_ token: UInt64, _ readiness: Readiness) {
    multi?.act(on: Int32(truncatingIfNeeded: token), readiness)
  }

  func timerFired(_ token: UInt32) {
    multi?.timerFired(token)
  }
}
