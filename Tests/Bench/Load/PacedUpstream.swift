import Glibc
import Reactor

/// The radio station's side. It sends stamped frames at the exact byte rate to every client, one write every 97 ms,
/// after a burst of its past.
///
/// The upstream has one thread and one `poll`. After "away SECONDS" on standard input it drops all clients and cannot
/// be reached for that time; then it prints when it was back. It ends when its standard input ends.
struct PacedUpstream {
  /// The time between two writes is no multiple of any server's tick. In step with a tick, all frames of a run would
  /// wait equally for it: long in one run, hardly at all in the next.
  static let tickNanoseconds: Int64 = 97_000_000
  /// The seconds of past that are kept beyond the burst, for clients that are slow for a moment.
  private static let spareSeconds = 20.0

  /// The listening socket; -1 while the upstream is away.
  private var listening: Int32
  /// When the upstream returns, in monotonic nanoseconds; nil while it is not away.
  private var backAt: Int64?
  private let burstSeconds: Double
  private var history: FrameHistory
  private var clients: [UpstreamClient] = []
  /// When position 0 would have been sent, in monotonic nanoseconds.
  private let origin: Int64

  let port: UInt16

  /// Listens on a free port of 127.0.0.1. The past is there from the beginning.
  init(bitrate: Int, burstSeconds: Double) throws {
    listening = try Socket.listen(on: Loopback.address(port: 0), sharing: false)
    guard let port = Socket.localAddress(of: listening)?.port else {
      throw BenchError("the upstream has no port")
    }
    self.port = port
    self.burstSeconds = burstSeconds
    history = FrameHistory(bitrate: bitrate, seconds: burstSeconds + Self.spareSeconds)
    let past = Int64((burstSeconds * 1e9).rounded())
    origin = monotonicNow() - past
    var stamp = origin
    while stamp < origin + past {
      stamp = min(stamp + Self.tickNanoseconds, origin + past)
      history.advance(to: position(at: stamp), stamp: stamp)
    }
  }

  mutating func run() {
    var tick = monotonicNow() + Self.tickNanoseconds
    while true {
      guard waitForRequests(until: tick) else { return }
      let now = monotonicNow()
      guard now >= tick else { continue }
      if let backAt, now >= backAt { comeBack() }
      history.advance(to: position(at: now), stamp: now)
      for index in clients.indices { clients[index].write(from: history) }
      dropGone()
      // A missed tick is not repeated: the next write carries its bytes.
      tick += Self.tickNanoseconds * max(1, (now - tick) / Self.tickNanoseconds + 1)
    }
  }

  private func position(at time: Int64) -> UInt64 {
    UInt64(Double(time - origin) / 1e9 * history.frames.bytesPerSecond)
  }

  /// Serves newcomers until the next tick; returns false when standard input has ended.
  private mutating func waitForRequests(until tick: Int64) -> Bool {
    var waiting = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listening, events: Int16(POLLIN), revents: 0),
    ]
    let asking = clients.indices.filter { clients[$0].awaitsRequest }
    waiting += asking.map { pollfd(fd: clients[$0].fd, events: Int16(POLLIN), revents: 0) }
    let milliseconds = max(0, (tick - monotonicNow() + 999_999) / 1_000_000)
    guard poll(&waiting, nfds_t(waiting.count), Int32(milliseconds)) > 0 else { return true }
    if waiting[0].revents != 0 {
      guard let words = readLine()?.split(separator: " ") else { return false }
      if words.first == "away", let seconds = words.last.flatMap({ Double($0) }) { leave(seconds) }
      return true
    }
    for (index, entry) in zip(asking, waiting.dropFirst(2)) where entry.revents != 0 {
      clients[index].readRequest(history: history, burstSeconds: burstSeconds)
      clients[index].write(from: history)
    }
    dropGone()
    if waiting[1].revents != 0, case .connection(let fd, _) = Socket.accept(listening) {
      Socket.setOption(fd, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
      clients.append(UpstreamClient(fd: fd))
    }
    return true
  }

  private mutating func leave(_ seconds: Double) {
    Socket.close(listening)
    listening = -1
    for client in clients { Socket.close(client.fd) }
    clients.removeAll()
    backAt = monotonicNow() + Int64(seconds * 1e9)
  }

  private mutating func comeBack() {
    // Another process may hold the port for a moment.
    guard let fd = try? Socket.listen(on: Loopback.address(port: port), sharing: false) else {
      return
    }
    listening = fd
    backAt = nil
    PartOutput.say("\(monotonicNow())")
  }

  private mutating func dropGone() {
    for client in clients where client.isGone { Socket.close(client.fd) }
    clients.removeAll(where: \.isGone)
  }
}
