import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// HTTPS, with a certificate that this test is the authority of.
@Suite struct TLSScenarioTests {
  private struct Setup {
    let server: LongwaveProcess
    let data: String
    let file: String
    let certificate: TestCertificate
    let upstream: FakeUpstream

    var place: String { "https://localhost:\(server.address.port!)" }

    func write(_ yaml: String) throws {
      try yaml.write(toFile: file, atomically: true, encoding: .utf8)
    }

    func metric(_ name: String) async throws -> Int? {
      let answer = try await HTTPExchange("GET", "/metrics", at: server.address)
      let line = answer.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      return line.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    func curl(_ arguments: [String]) async throws -> ChildProcess.Result {
      try await ChildProcess.run(["curl", "-sS", "--cacert", certificate.certificate] + arguments)
    }

    /// The packets' numbers, as soon as there are some hundred.
    func hear(_ url: String) async throws -> [UInt64] {
      let curl = try ChildProcess(["curl", "-sS", "--cacert", certificate.certificate, url])
      try await eventually("some music") { curl.outputBytes.count > 100_000 }
      curl.signal(SIGKILL)
      _ = try await curl.end()
      return try NumberedFrames.numbers(in: curl.outputBytes, mayEndInFrame: true)
    }
  }

  private static func yaml(_ files: TestCertificate, _ stations: String) -> String {
    "server:\n  tls:\n    certificate: \(files.certificate)\n    key: \(files.key)\n"
      + "stations:\n\(stations)"
  }

  private func withServer(
    upstream url: String? = nil, _ body: (Setup) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/jazz", with: .stream())
    let files = try await TestCertificate()
    let data = TemporaryDirectory()
    let file = data.path + "/longwave.yml"
    try Self.yaml(
      files,
      "  - id: jazz\n    upstream: \(url ?? upstream.url("/jazz"))\n"
        + "  - id: live\n    upstream: \"push:\"\n    source-password: push-it-now\n"
    ).write(toFile: file, atomically: true, encoding: .utf8)
    let server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
    try await server.api.untilPublic("jazz", is: "playing")
    try await body(
      Setup(
        server: server, data: data.path, file: file, certificate: files, upstream: upstream))
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0, "\(server.process.log)")
    withExtendedLifetime(data) {}
  }

  @Test func `curl listens, and gets every packet once`() async throws {
    try await withServer { setup in
      let numbers = try await setup.hear("\(setup.place)/jazz")
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
      let page = try await setup.curl(["\(setup.place)/api/v1/stations"])
      #expect(page.output.contains("\"jazz\""), "\(page.output)")
    }
  }

  @Test func `ffmpeg and mpv play a station over TLS`() async throws {
    let data = TemporaryDirectory()
    let demo = try await LongwaveProcess(["demo"], data: data.path)
    try await demo.api.untilPublic("demo", is: "playing")
    try await withServer(upstream: "http://\(demo.address)/demo") { setup in
      let url = "\(setup.place)/jazz"
      let ffmpeg = try await ChildProcess.run(
        [
          "timeout", "-k", "5", "40", "ffmpeg", "-nostdin", "-v", "error", "-tls_verify", "1",
          "-ca_file", setup.certificate.certificate, "-t", "4", "-i", url, "-f", "null", "-",
        ], within: 60)
      #expect(ffmpeg.status == 0 && ffmpeg.log.isEmpty, "\(ffmpeg.log)")
      let options = ["--tls-verify=yes", "--tls-ca-file=\(setup.certificate.certificate)"]
      let mpv = try await ChildProcess.run(Mpv.command(url, seconds: 4, options), within: 60)
      #expect(mpv.status == 0, "\(mpv.output) \(mpv.log)")
    }
    withExtendedLifetime((data, demo)) {}
  }

  @Test func `a session of TLS is resumed, and counted`() async throws {
    try await withServer { setup in
      let ticket = setup.certificate.key + ".session"
      func connect(_ option: String) async throws -> String {
        // It stays until the server has waited long enough for a request.
        try await ChildProcess.run(
          [
            "openssl", "s_client", "-connect", "127.0.0.1:\(setup.server.address.port!)",
            "-ign_eof", option, ticket,
          ], within: 60
        ).output
      }
      let first = try await connect("-sess_out")
      #expect(first.contains("New, TLSv1.3"), "\(first)")
      let second = try await connect("-sess_in")
      #expect(second.contains("Reused, TLSv1.3"), "\(second)")
      let name = "longwave_tls_handshakes_total"
      #expect(try await setup.metric("\(name){result=\"full\"}") == 1)
      #expect(try await setup.metric("\(name){result=\"resumed\"}") == 1)
      #expect(try await setup.metric("\(name){result=\"failed\"}") == 0)
    }
  }

  @Test func `a renewed certificate is taken at SIGHUP, a bad one never, and nobody is cut off`()
    async throws
  {
    try await withServer { setup in
      let listener = try ChildProcess([
        "curl", "-sS", "-k", "--max-time", "100", "\(setup.place)/jazz",
      ])
      try await eventually("some music") { listener.outputBytes.count > 20_000 }
      let before = try await setup.curl(["\(setup.place)/api/v1/stats"])
      #expect(before.status == 0)
      try await setup.certificate.renew()
      // Not yet, unless it looked by itself meanwhile: the certificate of the file is not the one that is shown.
      let early = try await setup.curl(["\(setup.place)/api/v1/stats"]).status
      #expect(
        early == 60 || setup.server.process.log.contains("the changed certificates are in use"))
      setup.server.process.signal(SIGHUP)
      try await eventually("the new certificate", within: 60) {
        try await setup.curl(["\(setup.place)/api/v1/stats"]).status == 0
      }
      let good = try String(contentsOfFile: setup.certificate.certificate, encoding: .utf8)
      try "nothing".write(
        toFile: setup.certificate.certificate, atomically: true, encoding: .utf8)
      let bad = try await LongwaveProcess.command(["config", "reload"], data: setup.data)
      #expect(bad.status == 78)
      #expect(bad.log.contains("holds no certificate in PEM form"), "\(bad.log)")
      let check = try await LongwaveProcess.command(["config", "check", setup.file])
      #expect(check.status == 78)
      #expect(check.log.contains("longwave.yml:3: server.tls.certificate:"), "\(check.log)")
      try good.write(toFile: setup.certificate.certificate, atomically: true, encoding: .utf8)
      #expect(try await setup.curl(["\(setup.place)/api/v1/stats"]).status == 0)
      let heard = listener.outputBytes.count
      try await eventually("more music", within: 60) {
        listener.outputBytes.count > heard + 20_000
      }
      listener.signal(SIGKILL)
      _ = try await listener.end()
      let numbers = try NumberedFrames.numbers(in: listener.outputBytes, mayEndInFrame: true)
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
    }
  }

  /// Its first audio comes together with its request, more of it than is taken ahead of an answer.
  @Test(arguments: ["http", "https"])
  func `a source pushes, and is heard byte for byte`(scheme: String) async throws {
    try await withServer { setup in
      let place = "\(scheme)://localhost:\(setup.server.address.port!)"
      let frames = NumberedFrames.stream(0..<4000)
      let folder = TemporaryDirectory()
      folder.write("frames.mp3", frames)
      let source = try ChildProcess([
        "curl", "-sS", "--cacert", setup.certificate.certificate, "-u", "source:push-it-now",
        "-H", "Content-Type: audio/mpeg", "-H", "Expect:", "--limit-rate", "60k",
        "-T", folder.path + "/frames.mp3", "\(place)/live",
      ])
      try await setup.server.api.untilPublic("live", is: "playing")
      let numbers = try await setup.hear("\(place)/live?burst=30")
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
      source.signal(SIGKILL)
      _ = try await source.end()
      try await eventually("the source is missed", within: 60) {
        let answer = try await HTTPExchange(
          "GET", "/api/v1/stations/live", at: setup.server.address)
        return JSON.parse(answer.body)?["state"]?.string != "playing"
      }
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `commands reach a server whose certificate they are told of`() async throws {
    try await withServer { setup in
      func longwave(
        _ arguments: [String], trusting file: String?
      ) async throws -> ChildProcess.Result {
        try await LongwaveProcess.command(
          arguments + ["--server", setup.place] + (file.map { ["--server-ca-file", $0] } ?? []))
      }
      let file = setup.certificate.certificate
      for arguments in [
        ["station", "list"], ["stats", "jazz"], ["clip", "jazz", "--from", "-1s"],
      ] {
        let reached = try await longwave(arguments, trusting: file)
        #expect(reached.status == 0 && !reached.outputBytes.isEmpty, "\(reached.log)")
        let taken = try await LongwaveProcess.command(
          arguments + ["--server", setup.place, "--insecure"])
        #expect(taken.status == 0 && !taken.outputBytes.isEmpty, "\(taken.log)")
        let refused = try await longwave(arguments, trusting: nil)
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
          refused.complaint?.hasPrefix("longwave: cannot reach \(setup.place): ") == true
            && refused.complaint?.contains("with --server-ca-file FILE (LONGWAVE_CA_FILE), or ")
              == true,
          "\(refused.log)")
      }
      let told = try await ChildProcess.run([
        "env", "LONGWAVE_CA_FILE=\(file)", "LONGWAVE_SERVER=\(setup.place)", Binary.longwave,
        "station", "list",
      ])
      #expect(told.status == 0 && told.output.contains("jazz"), "\(told.log)")
      let absent = try await longwave(["station", "list"], trusting: "/nowhere.pem")
      #expect(
        absent.complaint
          == "longwave: --server-ca-file: /nowhere.pem is not there; name a file of certificates in "
          + "PEM format (see longwave station list --help)", "\(absent.log)")
      let follower = try ChildProcess([
        Binary.longwave, "events", "jazz", "--server", setup.place, "--server-ca-file", file,
      ])
      try await eventually("an event", within: 60) {
        _ = try await LongwaveProcess.command(["station", "restart", "jazz"], data: setup.data)
        return follower.output.contains("jazz")
      }
      follower.signal(SIGTERM)
      _ = try await follower.end()
    }
  }

  @Test func `doctor says how long the certificate is good`() async throws {
    let files = try await TestCertificate()
    let data = TemporaryDirectory()
    let file = data.path + "/longwave.yml"
    try Self.yaml(files, "  []\n").write(toFile: file, atomically: true, encoding: .utf8)
    func findings() async throws -> [JSON] {
      let report = try await LongwaveProcess.command(
        ["doctor", "--config", file, "--json"], data: data.path)
      return report.json["findings"]?.items.filter { $0["subject"]?.string == "tls" } ?? []
    }
    let good = try await findings()
    #expect(good.count == 2)
    #expect(good.allSatisfy { $0["level"]?.string == "ok" }, "\(good)")
    try await files.expire()
    let over = try await findings()
    #expect(over.first?["level"]?.string == "fail")
    #expect(over.first?["text"]?.string?.contains("expired") == true)
    withExtendedLifetime(data) {}
  }
}
