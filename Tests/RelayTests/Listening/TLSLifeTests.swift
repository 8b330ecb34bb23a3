import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// A server's certificates over their lives: several of them, renewed ones, and those of a certificate authority.
@Suite struct TLSLifeTests {
  private struct Running {
    let server: LongwaveProcess
    let data: TemporaryDirectory

    var port: UInt16 { server.address.port! }

    /// What `openssl` says of a connection for a host, or for none.
    func visit(_ host: String?, _ options: [String] = []) async throws -> String {
      let name = host.map { ["-servername", $0] } ?? ["-noservername"]
      return try await ChildProcess.run(
        ["openssl", "s_client", "-connect", "127.0.0.1:\(port)"] + name + options, within: 60
      ).output
    }

    func curl(_ arguments: [String]) async throws -> ChildProcess.Result {
      try await ChildProcess.run(["curl", "-sS", "--max-time", "30"] + arguments, within: 60)
    }
  }

  private func withServer(
    _ tls: String, port: UInt16? = nil, _ body: (Running) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/jazz", with: .stream())
    let data = TemporaryDirectory()
    data.write(
      "longwave.yml",
      Array(
        ("server:\n  max-connections-per-address: 2000\n  tls:\n\(tls)"
          + "stations:\n  - id: jazz\n    upstream: \(upstream.url("/jazz"))\n").utf8))
    let server = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path + "/data", port: port)
    try await body(Running(server: server, data: data))
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0, "\(server.process.log)")
  }

  /// What `openssl` says, without the blanks that older ones put around an equals sign.
  private func bare(_ text: String) -> String { text.replacing(" = ", with: "=") }

  private static func entry(_ files: TestCertificate) -> String {
    "      - {certificate: \(files.certificate), key: \(files.key)}\n"
  }

  @Test func `every host gets its own certificate, and goes on with its session`() async throws {
    let first = try await TestCertificate(names: ["radio.test", "www.radio.test"])
    let old = try await TestCertificate(names: ["radio.test", "www.radio.test"], isRSA: true)
    let wild = try await TestCertificate(names: ["*.jazz.test"])
    let list = "    certificates:\n" + [first, old, wild].map(Self.entry).joined()
    try await withServer(list) { running in
      for (host, name) in [
        (nil, "radio.test"), ("radio.test", "radio.test"), ("WWW.radio.test", "radio.test"),
        ("a.jazz.test", "*.jazz.test"), ("b.a.jazz.test", "radio.test"),
        ("jazz.test", "radio.test"), ("other.test", "radio.test"),
      ] {
        let seen = try await running.visit(host)
        #expect(bare(seen).contains("subject=CN=\(name)\n"), "\(host ?? "none"): \(seen)")
      }
      for (cipher, kind) in [
        ("ECDHE-RSA-AES128-GCM-SHA256", "RSA"), ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDSA"),
      ] {
        let seen = try await running.visit("radio.test", ["-tls1_2", "-cipher", cipher])
        #expect(seen.contains("Peer signature type: \(kind)"), "\(seen)")
      }
      for host in ["radio.test", "a.jazz.test"] {
        for version in ["-tls1_2", "-tls1_3"] {
          let ticket = running.data.path + "/\(host)\(version)"
          // Until the server has waited long enough for a request: tickets of TLS 1.3 come behind the handshake.
          let stays = version == "-tls1_3" ? ["-ign_eof"] : []
          _ = try await running.visit(host, [version, "-sess_out", ticket] + stays)
          let again = try await running.visit(host, [version, "-sess_in", ticket])
          #expect(again.contains("Reused, TLS"), "\(host), \(version): \(again)")
        }
      }
      let trusted = try await running.curl([
        "--cacert", wild.certificate, "--resolve", "a.jazz.test:\(running.port):127.0.0.1",
        "https://a.jazz.test:\(running.port)/metrics",
      ])
      #expect(trusted.status == 0, "\(trusted.log)")
      for name in ["radio.test", "*.jazz.test"] {
        let metric = "longwave_tls_certificate_expiry_timestamp_seconds{name=\"\(name)\"} "
        #expect(trusted.output.components(separatedBy: metric).count == 2, "\(name)")
      }
      let stats = try await running.server.api.json("/api/v1/stats")
      #expect(
        stats["certificates"]?.items.map { $0["names"]?.items.first?.string }
          == ["radio.test", "radio.test", "*.jazz.test"])
    }
  }

  @Test func `a renewed certificate is taken by itself, half of one is not, and nobody is cut off`()
    async throws
  {
    let files = try await TestCertificate()
    let next = try await TestCertificate()
    func serial(_ running: Running) async throws -> String {
      let seen = try await running.visit("localhost", ["-showcerts"])
      let block = seen.firstMatch(of: /(?s)-----BEGIN CERTIFICATE-----.*?-----END/)
      return String(try #require(block).output)
    }
    try await withServer("    certificate: \(files.certificate)\n    key: \(files.key)\n") {
      running in
      let listener = try StreamClient(to: running.server.address, sending: "")
      try listener.encryptBlocking(try TLSContext(trusting: files.certificate))
      listener.send(Array("GET /jazz HTTP/1.0\r\n\r\n".utf8))
      let before = try await serial(running)
      // The new one's first file, and for a while nothing more.
      try copy(next.certificate, to: files.certificate)
      let words = "the old certificate stays in use"
      func told() -> Int { running.server.process.log.components(separatedBy: words).count - 1 }
      try await eventually("it is refused", within: 90) {
        listener.drain()
        return told() == 1
      }
      #expect(try await serial(running) == before)
      try copy(next.key, to: files.key)
      try await eventually("the new one is there", within: 90) {
        listener.drain()
        return try await serial(running) != before
      }
      #expect(told() == 1)
      let count = listener.bodyCount
      try await listener.until("more music") { $0.bodyCount > count + 10_000 }
      #expect(!listener.isEnded)
    }
  }

  private func copy(_ file: String, to other: String) throws {
    // At once: half a file is looked into and refused, and that is told of.
    try Data(contentsOf: URL(fileURLWithPath: file)).write(
      to: URL(fileURLWithPath: other), options: .atomic)
  }

  @Test func `a challenge is answered in clear, before the redirect, and nothing else is`()
    async throws
  {
    let files = try await TestCertificate()
    let web = TemporaryDirectory()
    let folder = web.path + "/.well-known/acme-challenge"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    web.write(".well-known/acme-challenge/good_Token-1", Array("good_Token-1.thumb".utf8))
    web.write(".well-known/acme-challenge/long", [UInt8](repeating: 65, count: 1025))
    web.write("secret", Array("secret".utf8))
    let outside = TemporaryDirectory()
    outside.write("far", Array("far".utf8))
    symlink(outside.path + "/far", folder + "/far")
    symlink("../../secret", folder + "/near")
    try await withServer(
      "    certificate: \(files.certificate)\n    key: \(files.key)\n    only: true\n"
        + "    acme-webroot: \(web.path)\n"
    ) { running in
      let base = "/.well-known/acme-challenge/"
      func get(_ path: String, _ method: String = "GET") async throws -> HTTPExchange {
        try await HTTPExchange(method, path, at: running.server.address)
      }
      let good = try await get(base + "good_Token-1")
      #expect(good.status == 200 && good.text == "good_Token-1.thumb")
      #expect(try await get(base + "near").text == "secret")
      let head = try await get(base + "good_Token-1", "HEAD")
      #expect(head.status == 200 && head.body.isEmpty)
      for token in ["none", "long", "far", String(repeating: "a", count: 128)] {
        #expect(try await get(base + token).status == 404, "\(token)")
      }
      // These are no tokens, so they are requests like any other in clear.
      for path in [
        base, base + "a.b", base + "../../secret", base + String(repeating: "a", count: 129),
      ] {
        let status = try await get(path).status
        #expect(
          [301, 403].contains(status) || (status == 400 && path.contains("..")),
          "\(path): \(status)")
      }
    }
  }

  @Test(
    .enabled(
      if: ["pebble", "pebble-challtestsrv", "lego"].allSatisfy { Binary.find($0) != nil },
      "pebble and lego are not installed"))
  func `a certificate is got and renewed under five hundred listeners, and none is cut off`()
    async throws
  {
    let authority = try await Authority()
    defer { authority.stop() }
    let web = TemporaryDirectory()
    let list = { (pair: String) in "    acme-webroot: \(web.path)\n" + pair }
    // Before the first certificate there is only the folder.
    try await withServer(list(""), port: authority.httpPort) { running in
      try await authority.lego(web.path, ["run"])
      let yaml = running.data.path + "/longwave.yml"
      let text = try String(contentsOfFile: yaml, encoding: .utf8)
      let pair = "    certificate: \(authority.certificate)\n    key: \(authority.key)\n"
      try text.replacing("  tls:\n", with: "  tls:\n" + pair).write(
        toFile: yaml, atomically: true, encoding: .utf8)
      let reload = try await LongwaveProcess.command(
        ["config", "reload"], data: running.data.path + "/data")
      #expect(reload.status == 0, "\(reload.log)")
      let context = try TLSContext(trusting: nil)
      var listeners: [StreamClient] = []
      for _ in 0..<500 {
        let listener = try StreamClient(to: running.server.address, sending: "")
        try listener.encryptBlocking(context)
        listener.send(Array("GET /jazz HTTP/1.0\r\n\r\n".utf8))
        listeners.append(listener)
        // Those who take nothing for long are let go.
        if listeners.count % 20 == 0 { for listener in listeners { listener.drain() } }
      }
      let before = try await running.visit("radio.test", ["-showcerts"])
      #expect(bare(before).contains("issuer=CN=Pebble"), "\(before)")
      let renewing = try authority.start(
        web.path, ["renew", "--days", "9999", "--no-random-sleep"])
      try await eventually("the renewed one is there", within: 120) {
        for listener in listeners { listener.drain() }
        guard renewing.status() != nil else { return false }
        return try await running.visit("radio.test", ["-showcerts"]) != before
          && running.server.process.log.contains("the changed certificates are in use")
      }
      #expect(renewing.status() == 0, "\(renewing.log)")
      let counts = listeners.map(\.bodyCount)
      try await eventually("all hear more", within: 60) {
        for listener in listeners { listener.drain() }
        return zip(listeners, counts).allSatisfy { $0.bodyCount > $1 + 5_000 }
      }
      #expect(listeners.allSatisfy { !$0.isEnded })
      #expect(try listeners.allSatisfy { try $0.head().statusLine == "HTTP/1.0 200 OK" })
    }
  }
}

/// A certificate authority of our own on loopback, whose names all lead here, and a client of it.
private final class Authority {
  let httpPort = freePort()
  private let folder = TemporaryDirectory()
  private let own: TestCertificate
  private let port = freePort()
  private let names: ChildProcess
  private let pebble: ChildProcess

  var certificate: String { folder.path + "/certificates/radio.test.crt" }
  var key: String { folder.path + "/certificates/radio.test.key" }

  init() async throws {
    own = try await TestCertificate()
    let dns = freePort()
    folder.write(
      "pebble.json",
      Array(
        """
        {"pebble": {"listenAddress": "127.0.0.1:\(port)",
        "managementListenAddress": "127.0.0.1:\(freePort())", "certificate": "\(own.certificate)",
        "privateKey": "\(own.key)", "httpPort": \(httpPort), "tlsPort": \(httpPort)}}
        """.utf8))
    names = try ChildProcess([
      "pebble-challtestsrv", "-dns01", "127.0.0.1:\(dns)", "-http01", "", "-https01", "",
      "-tlsalpn01", "", "-management", "127.0.0.1:\(freePort())", "-defaultIPv4", "127.0.0.1",
      "-defaultIPv6", "",
    ])
    pebble = try ChildProcess(
      ["pebble", "-config", folder.path + "/pebble.json", "-dnsserver", "127.0.0.1:\(dns)"],
      environment: ChildProcess.plainEnvironment + [
        "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0",
      ])
    let address = SocketAddress("127.0.0.1:\(port)")!
    try await eventually("the authority") {
      guard let fd = try? Socket.connect(to: address) else { return false }
      Socket.close(fd)
      return true
    }
  }

  func stop() {
    for process in [pebble, names] { process.signal(SIGKILL) }
  }

  func start(_ web: String, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      [
        "lego", "--server", "https://localhost:\(port)/dir", "--accept-tos", "--email",
        "a@radio.test", "--domains", "radio.test", "--http", "--http.webroot", web, "--path",
        folder.path,
      ] + arguments,
      environment: ChildProcess.plainEnvironment + ["LEGO_CA_CERTIFICATES=\(own.certificate)"])
  }

  func lego(_ web: String, _ arguments: [String]) async throws {
    let client = try start(web, arguments)
    let status = try await client.end(within: 90)
    #expect(status == 0, "\(client.log)\(pebble.output)")
  }
}
