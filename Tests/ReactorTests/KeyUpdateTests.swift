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

  @Test func `many at once are read one by one`() async throws {
    for _ in 0..<100 { try client.update(asksForOne: false) }
    // A record of 5 + 1 + 16 bytes around a message of 5.
    try await eventually("all of them") { unreadBytes() == 100 * 27 }
    for count in 1...100 {
      #expect(isBlocked(receive()))
      #expect(unreadBytes() == (100 - count) * 27)
    }
  }
}
