import COpenSSL
import Glibc
import Reactor
import TestSupport
import Testing

/// A client of OpenSSL's alone, which does with its keys what no client of ours does.
private final class KeyUpdater {
  private let context: OpaquePointer
  private let ssl: OpaquePointer

  init(_ fd: Int32) throws {
    context = try #require(SSL_CTX_new(TLS_client_method()))
    ssl = try #require(SSL_new(context))
    SSL_set_fd(ssl, fd)
    SSL_set_connect_state(ssl)
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  func shakeHands(with server: TLSStream) throws {
    for _ in 0..<10_000 {
      let isDone = SSL_do_handshake(ssl) == 1
      if server.shakeHands() == .done, isDone { return }
    }
    throw Broken(description: "the handshake does not end")
  }

  /// Sends a KeyUpdate.
  func update(asksForOne: Bool) throws {
    try #require(
      SSL_key_update(ssl, asksForOne ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) == 1
    )
    try #require(SSL_do_handshake(ssl) == 1)
  }

  func say(_ byte: UInt8) throws {
    try #require(SSL_write(ssl, [byte], 1) == 1)
  }
}

/// Clients that change their keys (RFC 8446, section 4.6.3), as often as they like.
struct KeyUpdateTests {
  private let sockets: SocketPair
  private let server: TLSStream
  private let client: KeyUpdater

  init() async throws {
    let files = try await TestCertificate()
    let context = try TLSContext(
      certificate: files.certificate, key: files.key, tickets: TLSTicketKeys())
    sockets = try SocketPair()
    server = try #require(TLSStream(context, fd: sockets.server))
    client = try KeyUpdater(sockets.client)
    try client.shakeHands(with: server)
  }

  private func receive() -> Transferred {
    var buffer = [UInt8](repeating: 0, count: TLSStream.recordBytes)
    return buffer.withUnsafeMutableBytes { server.receive(into: $0) }
  }

  private func unreadBytes() -> Int {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let there = buffer.withUnsafeMutableBytes { Socket.peek(sockets.server, into: $0) }
    guard case .bytes(let count) = there else { return 0 }
    return count
  }

  private func isBlocked(_ result: Transferred) -> Bool {
    guard case .wouldBlock = result else { return false }
    return true
  }

  @Test func `many key updates at once are read one by one`() async throws {
    for _ in 0..<100 { try client.update(asksForOne: false) }
    // A record of 5 + 1 + 16 bytes around a message of 5.
    try await eventually("all of them") { unreadBytes() == 100 * 27 }
    for count in 1...100 {
      #expect(isBlocked(receive()))
      try #require(unreadBytes() == (100 - count) * 27)
    }
  }

  /// The socket goes on telling that there is something to read, which nobody can before the answer is out.
  @Test func `a read that has to answer first says so while there is no room`() async throws {
    try client.update(asksForOne: true)
    try client.say(7)
    try await eventually("both") { unreadBytes() == 27 + 23 }
    #expect(isBlocked(receive()))
    #expect(!server.wantsWrite)
    fill()
    // Whatever is sent, the answer comes before it.
    #expect(send([1]) == 1)
    #expect(server.hasUnsent)
    #expect(isBlocked(receive()))
    #expect(server.wantsWrite)
    #expect(unreadBytes() == 23)
    try await eventually("room") {
      drain()
      guard case .bytes(1) = receive() else { return false }
      return true
    }
    #expect(!server.wantsWrite)
  }

  /// Puts into the socket what it takes.
  private func fill() {
    var block = [UInt8](repeating: 0, count: 65_536)
    block.withUnsafeMutableBytes { block in
      var part = iovec(iov_base: block.baseAddress, iov_len: block.count)
      while case .bytes = Socket.send(sockets.server, &part, count: 1) {}
    }
  }

  /// Takes out of the client's socket what is there.
  private func drain() {
    var block = [UInt8](repeating: 0, count: 65_536)
    while case .bytes = block.withUnsafeMutableBytes({ Socket.receive(sockets.client, into: $0) }) {
    }
  }

  private func send(_ bytes: [UInt8]) -> Int? {
    var bytes = bytes
    var scratch = [UInt8](repeating: 0, count: TLSStream.recordBytes)
    let sent = bytes.withUnsafeMutableBytes { bytes in
      scratch.withUnsafeMutableBytes {
        var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return server.send(&part, count: 1, scratch: $0)
      }
    }
    guard case .bytes(let count) = sent else { return nil }
    return count
  }
}
