import Glibc
import Reactor

/// The least that a relay can do: accept, answer with a fixed head, and call `send` once per listener and tick with the
/// bytes of one shared ring. It inspects no byte, and drops only listeners that are gone or lapped. So it measures what
/// the kernel alone costs.
///
/// With titles the ring holds the upstream's ICY stream as received, and listeners begin where an interval begins. The
/// limit has one thread and one `poll`, and ends when its standard input ends.
struct BareLimit {
  /// How often the limit writes to each listener.
  enum Cadence {
    case milliseconds(Int)
    /// Longwave's own cadence: 25 ms up to 1,000 listeners, 400 ms from 5,000, in proportion between.
    case adaptive
  }

  private static let slotNanoseconds: Int64 = 25_000_000
  private static let burstBytes: UInt64 = 65_536

  private struct Listener {
    var fd: Int32
    var cursor: UInt64
    /// Whether the request is still unread. It is read but not inspected, so that it does not stay in the kernel's
    /// memory.
    var hasRequest = true
  }

  private let cadence: Cadence
  private let listening: Int32
  private let upstream: Int32
  private let head: [UInt8]
  private let ring = SharedRing()
  private var starts: StreamStarts
  private var listeners: [Listener] = []
  private let context: TLSContext?
  /// The TLS streams of the listeners, in the same order; empty without TLS.
  private var streams: [TLSStream] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  let port: UInt16

  /// - Parameter context: The TLS context; nil without TLS.
  init(upstreamPort: UInt16, cadence: Cadence, withTitles: Bool, context: TLSContext?) throws {
    self.cadence = cadence
    self.context = context
    starts = StreamStarts(metaint: withTitles ? BenchTitle.metaint : 0)
    let icy = withTitles ? "icy-metaint: \(BenchTitle.metaint)\r\n" : ""
    head = Array("HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\(icy)\r\n".utf8)
    listening = try Socket.listen(on: Loopback.address(port: 0), sharing: false)
    guard let port = Socket.localAddress(of: listening)?.port else {
      throw BenchError("the limit has no port")
    }
    self.port = port
    upstream = try Socket.connect(to: Loopback.address(port: upstreamPort))
    let request = "GET /live HTTP/1.0\r\n\(withTitles ? "Icy-MetaData: 1\r\n" : "")\r\n"
    _ = Array(request.utf8).withUnsafeBytes { [upstream] in Loopback.send(upstream, $0) }
  }

  mutating func run() {
    var slot = 0
    var due = monotonicNow() + Self.slotNanoseconds
    while true {
      var waiting = [STDIN_FILENO, upstream, listening].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let milliseconds = max(0, (due - monotonicNow() + 999_999) / 1_000_000)
      _ = poll(&waiting, nfds_t(waiting.count), Int32(milliseconds))
      if waiting[0].revents != 0 { return }
      if waiting[1].revents != 0 && !readUpstream() { return }
      if waiting[2].revents != 0 { acceptAll() }
      let now = monotonicNow()
      if now >= due {
        serve(slot: slot)
        slot += 1
        due = max(due + Self.slotNanoseconds, now)
      }
    }
  }

  private var phases: Int {
    switch cadence {
    case .milliseconds(let tick):
      return max(1, tick / 25)
    case .adaptive:
      let share = (Double(listeners.count) - 1000) / 4000
      return max(1, min(16, 1 + Int((share * 15).rounded())))
    }
  }

  private mutating func serve(slot: Int) {
    let (phases, count) = (phases, listeners.count)
    let phase = slot % phases
    // The order is backwards, because the last listener replaces one that is gone.
    for index in ((count * phase / phases)..<(count * (phase + 1) / phases)).reversed() {
      if !write(index) { remove(index) }
    }
  }

  @inline(__always)
  private mutating func write(_ index: Int) -> Bool {
    let listener = listeners[index]
    let stream = context == nil ? nil : streams[index]
    if listener.hasRequest, !takeRequest(index, by: stream) { return false }
    // Over TLS nothing may be sent before the request has arrived.
    if stream != nil, listeners[index].hasRequest { return true }
    if listener.cursor == ring.edge { return true }
    guard listener.cursor >= ring.oldest else { return false }
    switch Loopback.send(listener.fd, ring.bytes(from: listener.cursor), by: stream) {
    case .bytes(let count): listeners[index].cursor += UInt64(count)
    case .wouldBlock: break
    case .ended: return false
    }
    return true
  }

  /// Returns false if the listener is gone.
  private mutating func takeRequest(_ index: Int, by stream: TLSStream?) -> Bool {
    let fd = listeners[index].fd
    switch stream?.shakeHands() {
    case nil, .done: break
    case .wantsRead, .wantsWrite: return true
    case .ended, .failed: return false
    }
    let answer = buffer.withUnsafeMutableBytes { buffer in
      stream?.receive(into: buffer) ?? Socket.receive(fd, into: buffer)
    }
    guard case .bytes = answer else { return true }
    listeners[index].hasRequest = false
    if stream != nil { _ = head.withUnsafeBytes { Loopback.send(fd, $0, by: stream) } }
    return true
  }

  private mutating func remove(_ index: Int) {
    Socket.close(listeners[index].fd)
    listeners.swapAt(index, listeners.count - 1)
    listeners.removeLast()
    if context != nil {
      streams.swapAt(index, streams.count - 1)
      streams.removeLast()
    }
  }

  private mutating func acceptAll() {
    while case .connection(let fd, _) = Socket.accept(listening) {
      Socket.setOption(fd, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
      let wanted = ring.edge - min(ring.edge, Self.burstBytes)
      guard let start = starts.first(atOrAfter: max(wanted, ring.oldest)) else {
        Socket.close(fd)
        continue
      }
      if let context {
        guard let stream = TLSStream(context, fd: fd) else {
          Socket.close(fd)
          continue
        }
        streams.append(stream)
      } else {
        _ = head.withUnsafeBytes { Loopback.send(fd, $0) }
      }
      listeners.append(Listener(fd: fd, cursor: start))
      if !write(listeners.count - 1) { remove(listeners.count - 1) }
    }
  }

  /// Reads what the upstream has sent; returns false when the upstream has ended.
  private mutating func readUpstream() -> Bool {
    while true {
      let answer = buffer.withUnsafeMutableBytes { [upstream] in
        Socket.receive(upstream, into: $0)
      }
      switch answer {
      case .wouldBlock: return true
      case .ended: return false
      case .bytes(let count):
        buffer.withUnsafeBytes { bytes in
          let body = starts.body(of: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
          starts.follow(body, at: ring.edge)
          ring.append(body)
        }
      }
    }
  }
}
