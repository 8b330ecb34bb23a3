import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing

struct TLSContextTests {
  private func load(_ certificate: String, _ key: String) throws(TLSFileError) -> TLSContext {
    try TLSContext(certificate: certificate, key: key, tickets: TLSTicketKeys())
  }

  private func mistake(_ certificate: String, _ key: String) -> TLSFileError? {
    do {
      _ = try load(certificate, key)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a certificate tells how long it is good`() async throws {
    let files = try await TestCertificate()
    let certificate = try #require(try load(files.certificate, files.key).certificate)
    #expect(certificate.file == files.certificate)
    #expect(certificate.validUntil - certificate.validFrom == 30 * 86400)
    #expect(certificate.validity(at: certificate.validFrom - 1) == .notYet)
    #expect(certificate.validity(at: certificate.validUntil - 5) == .valid(secondsLeft: 5))
    #expect(certificate.validity(at: certificate.validUntil) == .expired)
  }

  @Test func `an expired certificate is accepted, and says that it has expired`() async throws {
    let files = try await TestCertificate()
    try await files.expire()
    let certificate = try #require(try load(files.certificate, files.key).certificate)
    #expect(certificate.validity(at: Int64(time(nil))) == .expired)
  }

  @Test func `a mistake in a certificate or key is told with its file`() async throws {
    let files = try await TestCertificate()
    let other = try await TestCertificate()
    let nowhere = files.key + ".nowhere"
    let (certificate, key) = (files.certificate, files.key)
    #expect(mistake(certificate, key) == nil)
    #expect(mistake(nowhere, key) == .missing(nowhere))
    #expect(mistake(certificate, nowhere) == .missing(nowhere))
    #expect(mistake("/", key) == .unreadable("/", reason: "Is a directory"))
    #expect(mistake(key, key) == .noCertificate(key))
    #expect(mistake(certificate, certificate) == .noKey(certificate))
    #expect(mistake("/dev/null", key) == .noCertificate("/dev/null"))
    #expect(
      mistake(certificate, other.key) == .keyDoesNotMatch(key: other.key, certificate: certificate))
    try await other.lockKey()
    #expect(mistake(other.certificate, other.key) == .keyHasPassword(other.key))
  }

  /// Clients would be told of a chain that ends before its root.
  @Test func `a chain whose second certificate is damaged is refused`() async throws {
    let (files, other) = (try await TestCertificate(), try await TestCertificate())
    try await files.append(other.certificate)
    #expect(mistake(files.certificate, files.key) == nil)
    try await files.append(other.certificate, isDamaged: true)
    let found = mistake(files.certificate, files.key)
    guard case .refused(files.certificate, let reason) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(reason != "no reason given")
  }

  @Test func `an error of a certificate's file reads as a sentence`() {
    #expect(TLSFileError.missing("/a.pem").description == "/a.pem is not there")
    #expect(
      TLSFileError.keyDoesNotMatch(key: "/k", certificate: "/c").description
        == "the key in /k is not that of the first certificate in /c")
  }
}

/// A clock that is moved by hand.
private final class Hours: Sendable {
  private let hours = Atomic<Int64>(0)
  var nanoseconds: Int64 { hours.load(ordering: .relaxed) * 3_600_000_000_000 }
  func pass(_ count: Int64) { hours.add(count, ordering: .relaxed) }
}

/// With the clients that people have.
struct TLSClientTests {
  private let listening: Int32
  private let address: SocketAddress

  init() throws {
    listening = try Socket.listen(on: SocketAddress("127.0.0.1:0")!, sharing: false)
    address = try #require(Socket.localAddress(of: listening))
  }

  /// How the server saw a client.
  private struct Visit {
    var last: TLSStream.Handshake
    var isResumed = false
    var version = ""
  }

  /// Takes one connection, answers the first thing it says (if it is to say anything), and closes.
  private func serve(
    _ context: TLSContext, _ answer: [UInt8], afterRequest: Bool = true
  ) async throws -> Visit {
    let fd: Int32 = try await eventually("a connection") {
      guard case .connection(let fd, _) = Socket.accept(listening) else { return nil }
      return fd
    }
    defer { Socket.close(fd) }
    let stream = try #require(TLSStream(context, fd: fd))
    let last = try await eventually("the end of the handshake") { () -> TLSStream.Handshake? in
      let step = stream.shakeHands()
      return step == .wantsRead || step == .wantsWrite ? nil : step
    }
    guard last == .done else { return Visit(last: last) }
    if afterRequest { try await readRequest(stream) }
    try await send(answer, stream)
    try await eventually("room for the end") { stream.close() }
    Socket.shutdownWriting(fd)
    try await readToEnd(fd)
    return Visit(last: last, isResumed: stream.isResumed, version: stream.version)
  }

  private func readRequest(_ stream: TLSStream) async throws {
    var request: [UInt8] = []
    try await eventually("a request") {
      var buffer = [UInt8](repeating: 0, count: TLSStream.recordBytes)
      guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ stream.receive(into: $0) })
      else { return false }
      request += buffer[..<count]
      return request.suffix(4) == Array("\r\n\r\n".utf8)[...]
    }
  }

  private func send(_ bytes: [UInt8], _ stream: TLSStream) async throws {
    var sent = 0
    var bytes = bytes
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16384, alignment: 16)
    defer { scratch.deallocate() }
    while sent < bytes.count {
      let result = bytes.withUnsafeMutableBytes { all in
        var part = iovec(iov_base: all.baseAddress! + sent, iov_len: all.count - sent)
        return stream.send(&part, count: 1, scratch: scratch)
      }
      switch result {
      case .bytes(let count): sent += count
      case .wouldBlock: try await Task.sleep(for: .milliseconds(1))
      case .ended: throw Broken(description: "the client has gone")
      }
    }
    try await eventually("the last record") {
      guard case .bytes = stream.flush() else { return false }
      return true
    }
  }

  private func readToEnd(_ fd: Int32) async throws {
    try await eventually("the client's end") {
      var buffer = [UInt8](repeating: 0, count: 4096)
      guard case .ended = buffer.withUnsafeMutableBytes({ Socket.receive(fd, into: $0) }) else {
        return false
      }
      return true
    }
  }

  @Test(arguments: ["1.2", "1.3"])
  func `curl fetches over either version, and agrees on HTTP 1`(version: String) async throws {
    let files = try await TestCertificate()
    let context = try TLSContext(
      certificate: files.certificate, key: files.key, tickets: TLSTicketKeys())
    let body = randomBytes(500_000, seed: 4)
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
    async let visit = serve(context, head + body)
    let fetched = try await ChildProcess.run([
      "curl", "-sv", "--cacert", files.certificate, "--tlsv\(version)", "--tls-max", version,
      "https://localhost:\(address.port!)/",
    ])
    #expect(try await visit.version == "TLSv\(version)")
    #expect(fetched.status == 0, "\(fetched.log)")
    let isExact = fetched.outputBytes == body
    #expect(isExact)
    #expect(fetched.log.contains("ALPN: server accepted http/1.1"), "\(fetched.log)")
  }

  @Test func `a client of short records gets the same bytes`() async throws {
    let files = try await TestCertificate()
    let context = try TLSContext(
      certificate: files.certificate, key: files.key, tickets: TLSTicketKeys())
    let body = randomBytes(2_000_000, seed: 5)
    async let visit = serve(context, body, afterRequest: false)
    let client = try await openSSL(["-quiet", "-maxfraglen", "512"])
    #expect(try await visit.last == .done)
    let isExact = client.outputBytes == body
    #expect(isExact, "\(client.outputBytes.count)")
  }

  @Test func `a TLS client older than version 1.2 is refused`() async throws {
    let files = try await TestCertificate()
    let context = try TLSContext(
      certificate: files.certificate, key: files.key, tickets: TLSTicketKeys())
    async let visit = serve(context, [])
    _ = try await openSSL(["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    let last = try await visit.last
    #expect(last == .failed(reason: "unsupported protocol"))
  }

  /// A reload makes a new context of another certificate; the keys of tickets are the same.
  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a session is resumed after a reload, and for one rotation of keys at least`(
    version: String
  ) async throws {
    let clock = Hours()
    let tickets = TLSTicketKeys(now: { clock.nanoseconds })
    let files = try await TestCertificate()
    let context = try TLSContext(certificate: files.certificate, key: files.key, tickets: tickets)
    let ticket = files.key + ".session"
    func visit(_ context: TLSContext, _ option: String) async throws -> Bool {
      async let visit = serve(context, Array("hello\n".utf8), afterRequest: false)
      let client = try await openSSL([version, option, ticket])
      let isResumed = try await visit.isResumed
      #expect(client.output.contains(isResumed ? "Reused, TLS" : "New, TLS"), "\(client.output)")
      return isResumed
    }
    #expect(try await !visit(context, "-sess_out"))
    #expect(try await visit(context, "-sess_in"))
    try await files.renew()
    let reloaded = try TLSContext(certificate: files.certificate, key: files.key, tickets: tickets)
    #expect(try await visit(reloaded, "-sess_in"))
    clock.pass(8)
    #expect(try await visit(reloaded, "-sess_in"))
    clock.pass(8)
    #expect(try await !visit(reloaded, "-sess_in"))
    let strange = try TLSContext(
      certificate: files.certificate, key: files.key, tickets: TLSTicketKeys())
    #expect(try await !visit(strange, "-sess_in"))
  }

  private func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private func openSSL(_ options: [String]) async throws -> ChildProcess.Result {
    try await ChildProcess.run(
      ["openssl", "s_client", "-connect", "127.0.0.1:\(address.port!)", "-ign_eof"] + options)
  }
}
