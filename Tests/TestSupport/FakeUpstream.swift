import Glibc
import Synchronization
import Timeshift

/// A broadcaster's server on loopback that can do everything wrong that they do.
///
/// Plain blocking threads, one per connection. Each path has a list of replies: the first connection gets the first, the
/// next one the second, and the last is repeated. Paths without replies answer 404.
///
/// ```swift
/// let upstream = try FakeUpstream(.numbered(speed: 20))
/// upstream.reply("/live", with: .icy(stream), .status(404), .stream())
/// settings.urls = [upstream.url("/live")]
/// upstream.goAway()    // connections closed, port refused
/// upstream.comeBack()  // the same port, the programme has gone on
/// upstream.stop()
/// ```
public final class FakeUpstream: Sendable {
  /// What a client asked for.
  public struct Request: Sendable {
    public var method: String
    public var path: String
    /// Names in lower case.
    public var fields: [String: String]
    public var body: [UInt8]
    public var at: MonotonicTime
  }

  private struct State {
    var listening: Int32 = -1
    var connections: Set<Int32> = []
    var replies: [String: [FakeReply]] = [:]
    var requests: [Request] = []
    var isStopped = false
  }

  public let programme: FakeProgramme
  public let port: UInt16
  private let isIPv6: Bool
  private let state: Mutex<State>

  /// On 127.0.0.1, or on ::1.
  public init(_ programme: FakeProgramme, isIPv6: Bool = false) throws {
    self.programme = programme
    self.isIPv6 = isIPv6
    let (listening, port) = try FakeSocket.listen(port: 0, isIPv6: isIPv6)
    self.port = port
    state = Mutex(State(listening: listening))
    accept(on: listening)
  }

  public func url(_ path: String, user: String? = nil) -> String {
    "http://\(user.map { $0 + "@" } ?? "")\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)\(path)"
  }

  /// Replaces the replies of a path.
  public func reply(_ path: String, with replies: FakeReply...) {
    reply(path, with: replies)
  }

  public func reply(_ path: String, with replies: [FakeReply]) {
    state.withLock { $0.replies[path] = replies }
  }

  public var requests: [Request] { state.withLock { $0.requests } }

  /// Connections that are open now.
  public var openConnections: Int { state.withLock { $0.connections.count } }

  public func requests(for path: String) -> [Request] { requests.filter { $0.path == path } }

  /// Closes the port and every connection.
  public func goAway() {
    let listening = state.withLock { state in
      for fd in state.connections { shutdown(fd, Int32(SHUT_RDWR)) }
      defer { state.listening = -1 }
      return state.listening
    }
    // The thread that accepts closes it.
    if listening >= 0 { shutdown(listening, Int32(SHUT_RDWR)) }
    // Refused from here on, not only soon.
    while FakeSocket.isListening(port, isIPv6: isIPv6) { usleep(1000) }
  }

  /// Closes every connection; the port stays open.
  public func dropConnections() {
    state.withLock { state in
      for fd in state.connections { shutdown(fd, Int32(SHUT_RDWR)) }
    }
  }

  /// Opens the same port again.
  public func comeBack() throws {
    guard state.withLock({ $0.listening < 0 && !$0.isStopped }) else { return }
    let (listening, _) = try FakeSocket.listen(port: port, isIPv6: isIPv6)
    state.withLock { $0.listening = listening }
    accept(on: listening)
  }

  /// For good.
  public func stop() {
    state.withLock { $0.isStopped = true }
    goAway()
  }

  // MARK: Threads

  private func accept(on listening: Int32) {
    FakeSocket.thread { [self] in
      while true {
        let fd = Glibc.accept(listening, nil, nil)
        if fd < 0 {
          if errno == EINTR || errno == ECONNABORTED { continue }
          break
        }
        state.withLock { state in
          state.connections.insert(fd)
          // Accepted just as `goAway` was called.
          if state.listening != listening { shutdown(fd, Int32(SHUT_RDWR)) }
        }
        FakeSocket.thread { [self] in serve(fd) }
      }
      close(listening)
    }
  }

  private func serve(_ fd: Int32) {
    if let request = FakeSocket.readRequest(fd) {
      let reply = nextReply(to: request)
      FakeConnection(fd: fd, request: request, reply: reply, programme: programme).run()
    }
    shutdown(fd, Int32(SHUT_RDWR))
    state.withLock { state in
      _ = state.connections.remove(fd)
      close(fd)
    }
  }

  private func nextReply(to request: Request) -> FakeReply {
    state.withLock { state in
      state.requests.append(request)
      guard var replies = state.replies[request.path], let reply = replies.first else {
        return .status(404)
      }
      if let needed = reply.authorization,
        request.fields["authorization"] != "Basic " + needed
      {
        return .status(401)
      }
      if replies.count > 1 {
        replies.removeFirst()
        state.replies[request.path] = replies
      }
      return reply
    }
  }
}
