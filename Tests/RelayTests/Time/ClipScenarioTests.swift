import Glibc
import Longwave
import TestSupport
import Testing

@Suite struct ClipScenarioTests {
  @Test func `a piece of the window is cut by command, into a file or a pipe`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 12)))
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(
      ["relay", upstream.url("/live"), "--id", "jazz"], data: data.path)
    try await eventually("ten seconds", within: 60) {
      let answer = try await HTTPExchange("GET", "/api/v1/stations/jazz", at: server.address)
      let station = JSON.parse(answer.body)
      return (station?["window"]?["seconds"]?.double ?? 0) > 10
    }
    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(["clip"] + arguments, data: data.path)
    }
    let file = data.path + "/clip.mp3"
    let saved = try await longwave("jazz", "--from", "-9s", "--to", "-3s", "-o", file)
    #expect(saved.status == 0 && saved.output.isEmpty && saved.log.isEmpty, "\(saved.log)")
    let numbers = try NumberedFrames.numbers(in: readFile(file))
    #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
    // 6 s are 229.7 packets.
    #expect((229...230).contains(numbers.count))
    #expect(data.names.filter { $0.hasPrefix("clip.mp3") } == ["clip.mp3"])
    let piped = try await longwave("jazz", "--from", "-5s")
    #expect(piped.status == 0)
    #expect(try !NumberedFrames.numbers(in: piped.outputBytes).isEmpty)
    let backwards = data.path + "/backwards.mp3"
    let turned = try await longwave(
      "jazz", "--from", "-9s", "--to", "-3s", "--reverse", "-o", backwards)
    #expect(turned.status == 0 && turned.output.isEmpty && turned.log.isEmpty, "\(turned.log)")
    // As many frames as there were packets, and what the encoder puts at both ends.
    let frames = try readFile(backwards).count * 44_100 / (144 * 128_000)
    #expect((229...232).contains(frames), "\(frames)")
    for (arguments, status, complaint) in [
      (["none", "--from", "-5s"], 1, "longwave: there is no station \"none\"; "),
      (["jazz", "--from", "x"], 64, "longwave: --from: \"x\" is not a time"),
      (["jazz", "--from", "-5s", "--to", "-6s"], 64, "longwave: --to has to be later than from"),
      (
        ["jazz", "--from", "2001-01-01T00:00:00Z", "--to", "2001-01-02T00:00:00Z"], 1,
        "nothing of that time"
      ),
      (["jazz", "--from", "-5s", "-o", "/nowhere/x.mp3"], 1, "cannot write /nowhere/x.mp3: "),
      (["jazz"], 64, "--from"),
    ] as [([String], Int32, String)] {
      let refused = try await LongwaveProcess.command(["clip"] + arguments, data: data.path)
      #expect(refused.status == status && refused.output.isEmpty)
      #expect(refused.complaint?.contains(complaint) == true, "\(refused.log)")
    }
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }
}
