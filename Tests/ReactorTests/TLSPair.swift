import Glibc
import Reactor
import TestSupport
import Testing

/// A connection that is not as a test needs it.
struct Broken: Error {
  var description: String
}

/// Both ends of a TLS connection over loopback, driven by one thread.
final class TLSPair {
  let server: TLSStream
  let client: TLSStream
  let sockets: SocketPair
  private let scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: TLSStream.recordBytes, alignment: 16)
  /// What the client has read.
  private(set) var received: [UInt8] = []
  /// The client was told that nothing more comes.
  private(set) var isEnded = false

  init(_ context: TLSContext, bufferBytes: Int32? = nil) throws {
    sockets = try SocketPair(bufferBytes: bufferBytes)
    server = try #require(TLSStream(context, fd: sockets.server))
    client = try #require(TLSStream(try TLSContext(trusting: nil), fd: sockets.client))
  }

  deinit { scratch.deallocate() }

  /// How often the server had to wait for the client.
  func shakeHands() throws -> Int {
    var waits = 0
    for _ in 0..<10_000 {
      let (client, server) = (client.shakeHands(), server.shakeHands())
      if client == .done, server == .done { return waits }
      if server == .wantsRead { waits += 1 }
      try #require([.wantsRead, .wantsWrite, .done].contains(server), "\(server)")
    }
    Issue.record("the handshake does not end")
    return waits
  }

  /// Sends parts and makes them unreadable afterwards, as the memory of a log may be.
  /// - Returns: how many bytes were taken; nil: none, the socket is full.
  func send(_ parts: [[UInt8]]) throws -> Int? {
    let memory = parts.map { part in
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: part.count, alignment: 1)
      memory.copyBytes(from: part)
      return memory
    }
    defer {
      for part in memory {
        _ = part.initializeMemory(as: UInt8.self, repeating: 0xdd)
        part.deallocate()
      }
      _ = scratch.initializeMemory(as: UInt8.self, repeating: 0xee)
    }
    var vectors = memory.map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) }
    switch server.send(&vectors, count: vectors.count, scratch: scratch) {
    case .bytes(let count): return count
    case .wouldBlock: return nil
    case .ended: throw Broken(description: "the connection has ended")
    }
  }

  /// The client reads, at most so much at a time, until nothing more is there.
  func drain(step: Int = TLSStream.recordBytes) {
    var buffer = [UInt8](repeating: 0, count: step)
    while !isEnded {
      switch buffer.withUnsafeMutableBytes({ client.receive(into: $0) }) {
      case .bytes(let count): received += buffer[..<count]
      case .wouldBlock: return
      case .ended: isEnded = true
      }
    }
  }
}

/// A connection over loopback: both ends, not blocking.
final class SocketPair {
  let server: Int32
  private(set) var client: Int32

  init(bufferBytes: Int32? = nil) throws {
    let listening = try Socket.listen(on: SocketAddress("127.0.0.1:0")!, sharing: false)
    defer { Socket.close(listening) }
    let address = try #require(Socket.localAddress(of: listening))
    client = try Socket.connect(to: address) { fd in
      if let bufferBytes { Socket.setOption(fd, SOL_SOCKET, SO_RCVBUF, bufferBytes) }
    }
    guard case .connection(let server, _) = Socket.accept(listening) else {
      throw Broken(description: "nothing to accept")
    }
    self.server = server
    if let bufferBytes { Socket.setOption(server, SOL_SOCKET, SO_SNDBUF, bufferBytes) }
  }

  deinit {
    Socket.close(server)
    closeClient()
  }

  func closeClient() {
    if client >= 0 { Socket.close(client) }
    client = -1
  }

  /// With a reset instead of an orderly end.
  func breakClient() {
    var now = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(client, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<Glibc.linger>.size))
    closeClient()
  }
}
