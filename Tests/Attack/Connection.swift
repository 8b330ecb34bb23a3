import Glibc
import Reactor
import TestSupport

/// Where a relay can be reached.
struct RelayAddresses: Sendable {
  var tcp: SocketAddress
  var shoutcast: SocketAddress
  var unix: SocketAddress
  var tls: TLSContext
}

/// A connection to the relay that waits as long as it is told to and no longer.
final class Connection {
  enum Received { case more, ended, late }

  private let fd: Int32
  private var tls: TLSStream?
  private(set) var bytes: [UInt8] = []
  /// Of `bytes`, taken by `answer`.
  private var taken = 0

  /// - Parameter host: the end of our own address, of which each stands for another stranger.
  init(_ way: Attack.Way, _ addresses: RelayAddresses, host: UInt32 = 1) throws {
    let address =
      switch way {
      case .unix: addresses.unix
      case .shoutcast: addresses.shoutcast
      default: addresses.tcp
      }
    fd = try Socket.connect(to: address) { fd in
      if case .ipv4 = address { Self.bind(fd, host) }
    }
    if way == .tls { try shakeHands(addresses.tls) }
  }

  deinit { Socket.close(fd) }

  /// All of 127.0.0.0/8 is this machine.
  private static func bind(_ fd: Int32, _ host: UInt32) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = (0x7F00_0000 | host & 0xFF_FFFF).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(fd, $0, length) }
    }
  }

  private func shakeHands(_ context: TLSContext) throws {
    guard let stream = TLSStream(context, fd: fd) else { throw TimeIsUp(description: "no memory") }
    let end = secondsNow() + 8
    while true {
      switch stream.shakeHands() {
      case .done:
        tls = stream
        return
      case .ended, .failed: throw TimeIsUp(description: "no handshake")
      case .wantsRead, .wantsWrite: _ = wait(Int16(POLLIN), until: end)
      }
      if secondsNow() > end { throw TimeIsUp(description: "no handshake in time") }
    }
  }

  @discardableResult
  private func wait(_ events: Int16, until end: Double) -> Bool {
    var poll = pollfd(fd: fd, events: events, revents: 0)
    return Glibc.poll(&poll, 1, Int32(max(0, min(10, end - secondsNow()) * 1000))) > 0
  }

  /// False: the relay takes no more of it. What it says meanwhile is kept.
  @discardableResult
  func send(_ text: [UInt8], until end: Double) -> Bool {
    var text = text
    var scratch = [UInt8](repeating: 0, count: TLSStream.recordBytes)
    var sent = 0
    while sent < text.count {
      let result = text.withUnsafeMutableBytes { bytes in
        var part = iovec(iov_base: bytes.baseAddress! + sent, iov_len: bytes.count - sent)
        guard let tls else { return Socket.send(fd, &part, count: 1) }
        return scratch.withUnsafeMutableBytes { tls.send(&part, count: 1, scratch: $0) }
      }
      switch result {
      case .bytes(let count): sent += count
      case .ended: return false
      case .wouldBlock:
        // Who does not listen is not heard for ever.
        wait(Int16(POLLIN) | Int16(POLLOUT), until: end)
        if take() == .ended || secondsNow() > end { return false }
      }
    }
    while let tls, tls.hasUnsent, secondsNow() < end {
      if case .ended = tls.flush() { return false }
    }
    return true
  }

  func finishSending() { Socket.shutdownWriting(fd) }

  /// What is here already.
  private func take() -> Received {
    var buffer = [UInt8](repeating: 0, count: 32 * 1024)
    let read = buffer.withUnsafeMutableBytes {
      tls?.receive(into: $0) ?? Socket.receive(fd, into: $0)
    }
    switch read {
    case .wouldBlock: return .late
    case .ended: return .ended
    case .bytes(let count):
      bytes += buffer[..<count]
      return .more
    }
  }

  /// Waits for more.
  func receive(until end: Double) -> Received {
    while true {
      let received = take()
      if case .late = received {
        guard secondsNow() < end else { return .late }
        wait(Int16(POLLIN), until: end)
      } else {
        return received
      }
    }
  }

  // MARK: Answers

  struct Answer {
    var status: Int
    var body: ArraySlice<UInt8>
    /// It goes on until somebody hangs up.
    var isEndless: Bool
  }

  /// The next whole answer; of an endless one its head. nil: none came, or not in time.
  func answer(isHead: Bool = false, until end: Double) -> Answer? {
    while true {
      if let (answer, length) = AnswerReader.read(bytes[taken...], isHead: isHead) {
        taken += length
        if taken > 1 << 20 {
          bytes.removeFirst(taken)
          taken = 0
        }
        return answer
      }
      guard case .more = receive(until: end) else { return nil }
    }
  }

  /// Forgets what came, of something that does not end.
  func forget() {
    bytes = []
    taken = 0
  }
}
