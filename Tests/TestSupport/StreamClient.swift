import Glibc
import Reactor
import Wire

/// A listener made of a plain socket: it sends a request as written and keeps what comes back.
public final class StreamClient {
  public let fd: Int32
  /// What it speaks through; nil: in clear.
  public private(set) var tls: TLSStream?
  public private(set) var received: [UInt8] = []
  /// The server closed, or the connection broke.
  public private(set) var isEnded = false

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  /// Connects and sends. The request's line ends are as given.
  /// - Parameter receiveBuffer: bytes the kernel takes for a client that does not read; nil: as it likes.
  public init(
    to address: SocketAddress, sending request: String, receiveBuffer: Int32? = nil
  ) throws {
    fd = try Socket.connect(to: address) { fd in
      if let receiveBuffer { Socket.setOption(fd, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
    }
    send(Array(request.utf8))
  }

  /// `GET path HTTP/1.1` with the usual fields, one request only.
  public convenience init(
    to address: SocketAddress, get path: String, titles: Bool = false, method: String = "GET"
  ) throws {
    let icy = titles ? "Icy-MetaData: 1\r\n" : ""
    try self.init(
      to: address,
      sending:
        "\(method) \(path) HTTP/1.1\r\nHost: relay.test:8000\r\nConnection: close\r\n"
        + "\(icy)User-Agent: test\r\n\r\n")
  }

  deinit { Socket.close(fd) }

  /// Ends the connection in both directions, as a player does that is closed.
  public func hangUp() { shutdown(fd, Int32(SHUT_RDWR)) }

  /// Ends the connection as a player does that is closed with audio unread: the end that TLS wants said, if it is
  /// encrypted, and a reset behind it as soon as `beforeReset` returns.
  public func breakOff(beforeReset: () async throws -> Void) async rethrows {
    _ = tls?.close()
    try await beforeReset()
    reset()
  }

  /// Ends the connection so that the server is told at once, whatever it is about.
  public func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    var nobody = sockaddr()
    nobody.sa_family = sa_family_t(AF_UNSPEC)
    // To nowhere: the kernel gives up the connection it has.
    _ = connect(fd, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
  }

  /// Shakes hands; from here on everything goes through TLS.
  public func encrypt(_ context: TLSContext) async throws {
    guard let stream = TLSStream(context, fd: fd) else { throw Failure(description: "no memory") }
    try await eventually("the end of the handshake") { try Self.hasShakenHands(stream) }
    tls = stream
  }

  /// The same, but blocks the thread: the server waits for a request only so long, and the pool may stand still longer.
  public func encryptBlocking(_ context: TLSContext) throws {
    guard let stream = TLSStream(context, fd: fd) else { throw Failure(description: "no memory") }
    let deadline = Self.now() + 60
    while try !Self.hasShakenHands(stream) {
      guard Self.now() < deadline else {
        throw Failure(description: "time is up while waiting for the end of the handshake")
      }
      var poll = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&poll, 1, 50)
    }
    tls = stream
  }

  private static func hasShakenHands(_ stream: TLSStream) throws -> Bool {
    switch stream.shakeHands() {
    case .wantsRead, .wantsWrite: false
    case .done: true
    case .ended: throw Failure(description: "closed in the handshake")
    case .failed(let reason): throw Failure(description: reason)
    }
  }

  public func send(_ bytes: [UInt8]) {
    var bytes = bytes
    var scratch = [UInt8](repeating: 0, count: TLSStream.recordBytes)
    bytes.withUnsafeMutableBytes {
      var part = iovec(iov_base: $0.baseAddress, iov_len: $0.count)
      if let tls {
        _ = scratch.withUnsafeMutableBytes { tls.send(&part, count: 1, scratch: $0) }
      } else {
        _ = Socket.send(fd, &part, count: 1)
      }
    }
  }

  /// Takes what is there, or about so much of it.
  public func drain(atMost count: Int = .max) {
    var buffer = [UInt8](repeating: 0, count: min(count, 64 * 1024))
    let before = received.count
    while !isEnded, received.count - before < count {
      let read = buffer.withUnsafeMutableBytes {
        tls?.receive(into: $0) ?? Socket.receive(fd, into: $0)
      }
      switch read {
      case .wouldBlock: return
      case .ended: isEnded = true
      case .bytes(let count): received += buffer[..<count]
      }
    }
  }

  /// Reads until `condition` holds or the server closes.
  /// - Throws: after `seconds`, far more than it should take: a test that hangs tells nothing.
  public func wait(
    seconds: Double = 60, _ what: String = "an answer", until condition: (StreamClient) -> Bool
  ) throws {
    let deadline = Self.now() + seconds
    while true {
      drain()
      if condition(self) { return }
      if isEnded || Self.now() > deadline {
        throw Failure(
          description: "\(isEnded ? "closed" : "time is up") while waiting for \(what): "
            + String(decoding: received.prefix(600), as: UTF8.self))
      }
      var poll = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&poll, 1, 50)
    }
  }

  /// Reads for so long, or until the server closes.
  public func read(for seconds: Double) {
    Self.read([self], for: seconds)
  }

  /// Reads from all of them for so long.
  public static func read(_ clients: [StreamClient], for seconds: Double) {
    let deadline = now() + seconds
    while now() < deadline, clients.contains(where: { !$0.isEnded }) {
      for client in clients { client.drain() }
      usleep(10_000)
    }
  }

  /// The answer's head, once it is here.
  public func head() throws -> Head {
    try wait("a head") { $0.headLength != nil }
    return Head(String(decoding: received[..<headLength!], as: UTF8.self))
  }

  /// What came behind the head.
  public var body: [UInt8] { headLength.map { Array(received[$0...]) } ?? [] }

  public var bodyCount: Int { headLength.map { received.count - $0 } ?? 0 }

  private var headLength: Int? {
    if let knownHeadLength { return knownHeadLength }
    let end: [UInt8] = [13, 10, 13, 10]
    guard received.count >= 4 else { return nil }
    for index in 0...(received.count - 4) where Array(received[index..<(index + 4)]) == end {
      knownHeadLength = index + 4
      return index + 4
    }
    return nil
  }
  private var knownHeadLength: Int?

  /// An answer's status line and fields.
  public struct Head: Sendable {
    public var statusLine: String
    public var fields = HTTPFields()
    public var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }

    init(_ text: String) {
      let lines = text.split(separator: "\r\n")
      statusLine = String(lines.first ?? "")
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        fields.append(String(line[..<colon]), String(value))
      }
    }

    public subscript(name: String) -> String? { fields[name] }
  }

  /// The audio of a body with ICY blocks, and at which audio byte each title stood.
  public static func deinterleave(
    _ body: [UInt8], metaint: Int
  ) -> (audio: [UInt8], titles: [(at: Int, title: String)]) {
    var deinterleaver = ICYDeinterleaver(metaint: metaint)
    var audio: [UInt8] = []
    var titles: [(at: Int, title: String)] = []
    var from = 0
    while from < body.count {
      let (piece, end) = deinterleaver.next(in: body.span, from: from)
      switch piece {
      case .audio(let range): audio += body[range]
      case .block(let block):
        titles.append((audio.count, ICYBlock.parse(block)?.title ?? "?"))
      case nil: break
      }
      from = end
    }
    return (audio, titles)
  }

  /// The texts of a body's ICY blocks that say something, without their padding.
  public static func blocks(in body: [UInt8], metaint: Int) -> [String] {
    var deinterleaver = ICYDeinterleaver(metaint: metaint)
    var texts: [String] = []
    var from = 0
    while from < body.count {
      let (piece, end) = deinterleaver.next(in: body.span, from: from)
      if case .block(let block) = piece {
        texts.append(String(decoding: block.prefix { $0 != 0 }, as: UTF8.self))
      }
      from = end
    }
    return texts.filter { !$0.isEmpty }
  }

  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
