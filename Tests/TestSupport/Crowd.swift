import Glibc
import Reactor
import Synchronization
import Timeshift

/// Many listeners on one thread, which polls all their sockets and keeps what each of them gets, with the times.
public final class Crowd: Sendable {
  /// Who is to listen.
  public struct Wish: Sendable {
    public var path: String
    public var wantsTitles: Bool
    /// False: connects, asks, and never takes a byte.
    public var reads: Bool

    public init(_ path: String, titles: Bool = false, reads: Bool = true) {
      self.path = path
      wantsTitles = titles
      self.reads = reads
    }
  }

  /// What one of them got.
  public struct Member: Sendable {
    public struct Arrival: Sendable {
      /// Seconds of the monotonic clock.
      public var at: Double
      /// Bytes received by then.
      public var total: Int
    }

    public var wish: Wish
    public internal(set) var received: [UInt8] = []
    public internal(set) var arrivals: [Arrival] = []
    /// The server closed.
    public internal(set) var isEnded = false
    fileprivate let fd: Int32
  }

  private let members: Mutex<[Member]>
  private let isStopping = Flag()
  private let total = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)
  private let thread = Mutex<pthread_t?>(nil)

  /// Connects all and begins to read.
  public init(at address: SocketAddress, _ wishes: [Wish]) throws {
    members = Mutex(try wishes.map { Member(wish: $0, fd: try Self.connect(address, $0)) })
    var handle = pthread_t()
    let made = pthread_create(
      &handle, nil,
      { context in
        Unmanaged<Crowd>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(made == 0, "a test can make a thread")
    thread.withLock { $0 = handle }
  }

  private static func connect(_ address: SocketAddress, _ wish: Wish) throws -> Int32 {
    let fd = try Socket.connect(to: address) { fd in
      // Little room in the kernel, so that who does not read is soon in nobody's buffer.
      if !wish.reads { Socket.setOption(fd, SOL_SOCKET, SO_RCVBUF, 4096) }
    }
    let titles = wish.wantsTitles ? "Icy-MetaData: 1\r\n" : ""
    var request = Array(
      "GET \(wish.path) HTTP/1.1\r\nHost: relay.test\r\nUser-Agent: crowd\r\n\(titles)\r\n".utf8)
    request.withUnsafeMutableBytes {
      var part = iovec(iov_base: $0.baseAddress, iov_len: $0.count)
      _ = Socket.send(fd, &part, count: 1)
    }
    return fd
  }

  /// Bytes that all of them got.
  public var totalBytes: Int { total.load(ordering: .acquiring) }

  /// How many were closed by the server; those who do not read are not looked at.
  public var endedCount: Int { ended.load(ordering: .acquiring) }

  /// How it stands now.
  public var now: [Member] { members.withLock { $0 } }

  /// Waits until nobody has got anything for `seconds`.
  public func quiet(for seconds: Double = 2, within limit: Double = 60) async throws {
    var last = (bytes: totalBytes, at: secondsNow())
    try await eventually("silence for all of the crowd", within: limit) {
      if totalBytes != last.bytes { last = (totalBytes, secondsNow()) }
      return secondsNow() - last.at >= seconds
    }
  }

  /// Stops reading and closes all; what they got.
  public func finish() -> [Member] {
    isStopping.set()
    let handle = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let handle {
      pthread_join(handle, nil)
      members.withLock { for member in $0 { Socket.close(member.fd) } }
    }
    return now
  }

  // MARK: The thread

  private func run() {
    let indices = members.withLock { all in all.indices.filter { all[$0].wish.reads } }
    var polled = members.withLock { all in
      indices.map { pollfd(fd: all[$0].fd, events: Int16(POLLIN), revents: 0) }
    }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while !isStopping.isSet {
      guard poll(&polled, nfds_t(polled.count), 50) > 0 else { continue }
      members.withLock { all in
        for place in polled.indices where polled[place].revents != 0 {
          take(&all[indices[place]], into: &buffer)
          // A negative descriptor is passed over by poll(2).
          if all[indices[place]].isEnded { polled[place].fd = -1 }
        }
      }
      // Not a round for every few bytes: there are hundreds of sockets.
      usleep(5000)
    }
  }

  private func take(_ member: inout Member, into buffer: inout [UInt8]) {
    let before = member.received.count
    reading: while !member.isEnded {
      switch buffer.withUnsafeMutableBytes({ Socket.receive(member.fd, into: $0) }) {
      case .wouldBlock: break reading
      case .ended:
        member.isEnded = true
        ended.add(1, ordering: .acquiringAndReleasing)
      case .bytes(let count): member.received += buffer[..<count]
      }
    }
    let got = member.received.count - before
    guard got > 0 else { return }
    member.arrivals.append(.init(at: secondsNow(), total: member.received.count))
    total.add(got, ordering: .acquiringAndReleasing)
  }
}
