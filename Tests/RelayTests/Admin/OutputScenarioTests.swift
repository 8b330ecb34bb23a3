import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// What stands already where a command is told to write with `-o`.
@Suite struct OutputScenarioTests {
  private let data = TemporaryDirectory()

  private func kind(_ name: String) -> mode_t {
    var status = stat()
    return lstat(data.path + "/" + name, &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  private func withStation(_ body: () async throws -> Void) async throws {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 12)))
    let server = try await LongwaveProcess(
      ["relay", upstream.url("/live"), "--id", "jazz"], data: data.path)
    try await eventually("ten seconds", within: 60) {
      let answer = try await HTTPExchange("GET", "/api/v1/stations/jazz", at: server.address)
      return (JSON.parse(answer.body)?["window"]?["seconds"]?.double ?? 0) > 10
    }
    try await body()
    withExtendedLifetime(server) {}
  }

  private func clip(from: String = "-9s", to: String, _ name: String) async throws
    -> ChildProcess.Result
  {
    try await LongwaveProcess.command(
      ["clip", "jazz", "--from", from, "--to", to, "-o", data.path + "/" + name], data: data.path)
  }

  @Test func `a clip goes into the file that a link leads to, a pipe, or a device`() async throws {
    try await withStation {
      data.write("target", Array("old".utf8))
      symlink("target", data.path + "/link")
      let nothing = try await clip(from: "2001-01-01T00:00:00Z", to: "2001-01-02T00:00:00Z", "link")
      #expect(nothing.status == 1 && data.read("target") == Array("old".utf8))
      let linked = try await clip(to: "-3s", "link")
      #expect(linked.status == 0 && linked.log.isEmpty, "\(linked.log)")
      #expect(kind("link") == S_IFLNK)
      #expect(try NumberedFrames.numbers(in: data.read("target")).count > 200)

      mkfifo(data.path + "/pipe", 0o600)
      let reader = try ChildProcess(["cat", data.path + "/pipe"])
      let piped = try await clip(to: "-3s", "pipe")
      #expect(piped.status == 0 && piped.log.isEmpty && kind("pipe") == S_IFIFO, "\(piped.log)")
      if kind("pipe") == S_IFIFO {
        #expect(try await reader.end() == 0)
        #expect(try NumberedFrames.numbers(in: reader.outputBytes).count > 200)
      }

      // A node of our own that says what /dev/full says; only root makes one.
      if mknod(data.path + "/full", S_IFCHR | 0o666, dev_t(1 << 8 | 7)) == 0 {
        let full = try await clip(to: "-3s", "full")
        #expect(full.status == 1 && kind("full") == S_IFCHR)
        #expect(full.complaint?.contains("cannot write \(data.path)/full: ") == true, "\(full.log)")
      }
      #expect(data.names.filter { $0.contains(".part") }.isEmpty)
    }
  }

  /// Runs a command whose standard output goes where the shell's words say.
  private func command(_ arguments: [String], into words: String) async throws
    -> ChildProcess.Result
  {
    try await ChildProcess.run(
      ["sh", "-c", "\"$0\" \"$@\" \(words)", Binary.longwave] + arguments, within: 60)
  }

  private let complaint = "longwave: cannot write standard output: No space left on device"

  @Test func `output that cannot be written is told, and the command has failed`() async throws {
    data.write("icecast.xml", Array("<icecast></icecast>".utf8))
    for words in [
      ["help"], ["help", "topics"], ["help", "proxy"], ["--version"], ["station", "--help"],
      ["completion", "bash"], ["config", "import", data.path + "/icecast.xml"],
    ] {
      let lost = try await command(words, into: "> /dev/full")
      #expect(lost.status == 1 && lost.complaint == complaint, "\(words): \(lost.log)")
    }
    try await withStation {
      for words in [
        ["station", "list"], ["station", "export"], ["stats", "--json"], ["stats", "--watch"],
        ["listener", "list"], ["clip", "jazz", "--from", "-9s"],
      ] {
        let lost = try await command(words + ["--data", data.path], into: "> /dev/full")
        #expect(lost.status == 1 && lost.complaint == complaint, "\(words): \(lost.log)")
      }
    }
  }

  @Test func `a reader that has had enough is no fault`() async throws {
    let ended = try await command(
      ["completion", "bash"], into: "2> \(data.path)/said | true; cat \(data.path)/said")
    #expect(ended.status == 0 && ended.output.isEmpty && ended.log.isEmpty)
  }

  @Test func `a server runs where nobody can read its announcement`() async throws {
    let port = freePort()
    let server = try ChildProcess([
      "sh", "-c", "exec \"$0\" \"$@\" > /dev/full", Binary.longwave, "serve", "--data", data.path,
      "--listen", "127.0.0.1:\(port)",
    ])
    let address = SocketAddress.ipv4(0x7F00_0001, port: port)
    try await eventually("it answers", within: 60) {
      (try? await HTTPExchange("GET", "/healthz", at: address))?.status == 200
    }
    try await eventually("it complains", within: 60) { server.log.contains(complaint) }
    server.signal(SIGTERM)
    #expect(try await server.end() == 0)
  }

  @Test func `a file that is replaced keeps its mode`() async throws {
    try await withStation {
      data.write("clip.mp3", Array("old".utf8))
      chmod(data.path + "/clip.mp3", 0o640)
      let saved = try await clip(to: "-3s", "clip.mp3")
      var status = stat()
      #expect(saved.status == 0)
      #expect(stat(data.path + "/clip.mp3", &status) == 0 && status.st_mode & 0o777 == 0o640)
    }
  }
}
