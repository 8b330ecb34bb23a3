import Glibc
import Reactor
import TestSupport
import Testing

struct TLSStreamTests {
  private func context() async throws -> TLSContext {
    let files = try await TestCertificate()
    return try TLSContext(certificate: files.certificate, key: files.key, tickets: TLSTicketKeys())
  }

  @Test func `a handshake goes step by step, then bytes go both ways`() async throws {
    let pair = try TLSPair(try await context())
    #expect(pair.server.shakeHands() == .wantsRead)
    #expect(try pair.shakeHands() > 0)
    #expect(pair.server.version == "TLSv1.3")
    #expect(!pair.server.isResumed)
    #expect(try pair.send([Array("hello ".utf8), [], Array("world".utf8)]) == 11)
    try await eventually("the greeting") {
      pair.drain()
      return pair.received.count >= 11
    }
    #expect(String(decoding: pair.received, as: UTF8.self) == "hello world")

    var question = Array("and you?".utf8)
    let asked = question.withUnsafeMutableBytes { bytes in
      var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
      return pair.client.send(&part, count: 1, scratch: bytes)
    }
    guard case .bytes(8) = asked else {
      Issue.record("\(asked)")
      return
    }
    var buffer = [UInt8](repeating: 0, count: 3)
    var got: [UInt8] = []
    try await eventually("the question") {
      while case .bytes(let count) = buffer.withUnsafeMutableBytes({
        pair.server.receive(into: $0)
      }) {
        got += buffer[..<count]
      }
      return got.count == 8
    }
    #expect(got == Array("and you?".utf8))
  }

  /// What the stream says that it took is what arrives, also when its caller goes on with something else than the rest
  /// of what it offered, and has other things in the same memory.
  @Test(arguments: [UInt64(1), 2, 3])
  func `a slow reader gets what was taken, byte for byte`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let pair = try TLSPair(try await context(), bufferBytes: 8192)
    _ = try pair.shakeHands()
    var taken: [UInt8] = []
    var (cuts, refusals, kept) = (0, 0, 0)
    while taken.count < 3_000_000 {
      let parts = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        let most = [10, 4000, 40_000].randomElement(using: &random)!
        let count = Int.random(in: 0...most, using: &random)
        let first = UInt8.random(in: 0...255, using: &random)
        return (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0 &* 7) }
      }
      let offered = Array(parts.joined())
      guard let count = try pair.send(parts) else {
        refusals += 1
        #expect(pair.server.hasUnsent)
        pair.drain(step: Int.random(in: 1...20_000, using: &random))
        continue
      }
      taken += offered[..<count]
      if count < offered.count { cuts += 1 }
      if pair.server.hasUnsent { kept += 1 }
      if Bool.random(using: &random) { pair.drain() }
    }
    #expect(cuts > 0)
    #expect(refusals > 0)
    #expect(kept > 0)
    try await eventually("the last record") {
      pair.drain()
      guard case .bytes = pair.server.flush() else { return false }
      return pair.server.close()
    }
    try await eventually("the end") {
      pair.drain()
      return pair.isEnded
    }
    let isExact = pair.received == taken
    #expect(isExact, "\(pair.received.count) of \(taken.count) bytes, seed \(seed)")
  }

  @Test func `a TLS stream's end is said when there is room for it`() async throws {
    let pair = try TLSPair(try await context(), bufferBytes: 8192)
    _ = try pair.shakeHands()
    let block = [UInt8](repeating: 7, count: 60_000)
    while try pair.send([block]) != nil {}
    #expect(!pair.server.close())
    #expect(!pair.isEnded)
    try await eventually("room for the end") {
      pair.drain()
      return pair.server.close()
    }
    try await eventually("the end") {
      pair.drain()
      return pair.isEnded
    }
    #expect(pair.client.hasHeardEnd)
  }

  @Test func `a TLS stream that ends without a close is told apart from one that is closed`()
    async throws
  {
    let pair = try TLSPair(try await context())
    _ = try pair.shakeHands()
    Socket.shutdownWriting(pair.sockets.server)
    try await eventually("the end") {
      pair.drain()
      return pair.isEnded
    }
    #expect(!pair.client.hasHeardEnd)
  }

  @Test func `a client that reads no more and is gone ends the stream, not the process`()
    async throws
  {
    let pair = try TLSPair(try await context())
    _ = try pair.shakeHands()
    pair.sockets.breakClient()
    await #expect(throws: Broken.self) {
      try await eventually("an end") {
        _ = try pair.send([[1, 2, 3]])
        return false
      }
    }
    #expect(pair.server.close())
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}hello",
    "SOURCE /live ICE/1.0\r\n\r\n",
    String(repeating: "x", count: 300),
  ])
  func `a TLS stream whose first bytes are no handshake fails with a reason`(text: String)
    async throws
  {
    let sockets = try SocketPair()
    let server = try #require(TLSStream(try await context(), fd: sockets.server))
    send(Array(text.utf8), to: sockets.client)
    let last = try await lastStep(of: server)
    guard case .failed(let reason) = last else {
      Issue.record("\(last)")
      return
    }
    #expect(reason != "no reason given")
  }

  @Test func `half a handshake waits, and ends with its client`() async throws {
    let sockets = try SocketPair()
    let server = try #require(TLSStream(try await context(), fd: sockets.server))
    send([0x16, 3, 1, 2], to: sockets.client)
    #expect(server.shakeHands() == .wantsRead)
    #expect(server.shakeHands() == .wantsRead)
    sockets.closeClient()
    let last = try await lastStep(of: server)
    guard case .done = last else { return }
    Issue.record("a handshake out of nothing")
  }

  private func send(_ bytes: [UInt8], to fd: Int32) {
    var bytes = bytes
    bytes.withUnsafeMutableBytes {
      var part = iovec(iov_base: $0.baseAddress, iov_len: $0.count)
      _ = Socket.send(fd, &part, count: 1)
    }
  }

  private func lastStep(of server: TLSStream) async throws -> TLSStream.Handshake {
    try await eventually("the end of a handshake") {
      let step = server.shakeHands()
      return step == .wantsRead || step == .wantsWrite ? nil : step
    }
  }
}
