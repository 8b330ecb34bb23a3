import Glibc
import Reactor

/// The radio station's side: sends stamped frames at the exact byte rate, one write each 97 ms, to
/// whoever asks, after a burst of its past.
///
/// One thread, one `poll`. Told "away SECONDS" on standard input it drops everybody and is not to be
/// reached for so long; then it says when it was back. It ends when its standard input does.
struct PacedUpstream {
  /// Not a multiple of any server's tick: in step with one, all frames of a run would wait equally long for it, in one
  /// run long and in the next hardly.
  static let tickNanoseconds: Int64 = 97_000_000
  /// Past that is kept beyond the burst, for clients that are slow for a moment.
  private static let spareSeconds = 20.0

  /// -1: nobody can reach it.
  private var listening: Int32
  /// While it is away, monotonic nanoseconds.
  private var backAt: Int64?
  private let burstSeconds: Double
  private var history: FrameHistory
  private var clients: [UpstreamClient] = []
  /// When position 0 would have been sent.
  private let origin: Int64

  let port: UInt16

  /// Listens on a free port of 127.0.0.1, with the past already there.
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
      // A tick that was missed is not made up for: the next write carries its bytes.
      tick += Self.tickNanoseconds * max(1, (now - tick) / Self.tickNanoseconds + 1)
    }
  }

  private func position(at time: Int64) -> UInt64 {
    UInt64(Double(time - origin) / 1e9 * history.frames.bytesPerSecond)
  }

  /// Serves newcomers until the next tick; false when standard input has ended.
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
    // Whoever has the port by now has it for a moment.
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
