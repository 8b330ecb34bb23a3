import Glibc
import Longwave
import TestSupport
import Testing

/// The level meter against a real relay, in a pipe and on a terminal.
@Suite struct MeterScenarioTests {
  private func withDemo(_ body: (LongwaveProcess, String) async throws -> Void) async throws {
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["demo"], data: data.path)
    try await server.api.untilPublic("demo", is: "playing")
    try await body(server, data.path)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  @Test func `a pipe gets a line of figures, or the events themselves`() async throws {
    try await withDemo { _, data in
      // Between two tunes of the demo it is silent for a moment.
      let figures = try await eventually("a line with sound", within: 60) {
        let line = try await LongwaveProcess.command(["meter", "demo", "--once"], data: data)
        #expect(line.status == 0 && line.log.isEmpty, "\(line.log)")
        #expect(!line.output.contains("\u{1B}"))
        let words = try #require(
          line.output.firstMatch(
            of: /\d\d:\d\d:\d\d  L (-[\d.∞]+) dB  R (-[\d.∞]+) dB  M (-[\d.∞]*) LUFS/),
          "\(line.output)"
        ).output
        let figures = [words.1, words.2, words.3].compactMap { Double($0) }
        return figures.count == 3 ? figures : nil
      }
      #expect(figures.allSatisfy { (-60.0 ... -1).contains($0) }, "\(figures)")
      let json = try await LongwaveProcess.command(
        ["meter", "demo", "--once", "--json"], data: data)
      let first = json.output.split(separator: "\n").first.map { Array($0.utf8) } ?? []
      #expect(json.status == 0 && JSON.parse(first)?["kind"]?.string != nil, "\(json.output)")
      let past = try await LongwaveProcess.command(
        ["meter", "demo", "--once", "--at", "-1s"], data: data)
      #expect(past.status == 0, "\(past.log)")
      let unknown = try await LongwaveProcess.command(["meter", "nosuch"], data: data)
      #expect(unknown.status == 1 && unknown.complaint?.contains("nosuch") == true)
      let both = try await LongwaveProcess.command(
        ["meter", "demo", "--offset", "5", "--at", "-1m"], data: data)
      #expect(both.status == 64)
      let wrong = try await LongwaveProcess.command(
        ["meter", "demo", "--at", "yesterday"], data: data)
      #expect(wrong.status != 0 && wrong.complaint?.contains("--at") == true, "\(wrong.log)")
    }
  }

  @Test func `a pipe is told that no sound has come yet`() async throws {
    let data = TemporaryDirectory()
    let yaml = "stations: [{id: live, upstream: \"push:\", source-password: a-good-one}]\n"
    data.write("longwave.yml", Array(yaml.utf8))
    let server = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path)
    let meter = try ChildProcess([Binary.longwave, "meter", "live", "--data", data.path])
    try await eventually("a line on standard error", within: 60) {
      meter.log == "longwave: live: waiting for sound\n"
    }
    #expect(meter.output.isEmpty)
    meter.signal(SIGTERM)
    _ = try await meter.end()
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  /// What the meter draws on a terminal of `script`, until `end` is typed or it is signalled.
  @Test(.enabled(if: Binary.find("script") != nil && Binary.find("timeout") != nil))
  func `a terminal is drawn on, and put back by a signal`() async throws {
    try await withDemo { _, data in
      for name in ["INT", "TERM"] {
        let command =
          "stty cols 40 rows 20; LANG=C.UTF-8 TERM=xterm timeout --foreground -s \(name) 4 "
          + "\(Binary.longwave) meter demo --data \(data)"
        let result = try await ChildProcess.run(
          ["script", "-q", "-c", command, "/dev/null"], within: 60)
        let text = result.output
        let entered = try #require(text.firstRange(of: "\u{1B}[?1049h"), "\(text.prefix(300))")
        #expect(text[entered.upperBound...].contains("█"))
        #expect(text.contains("LUFS") && text.contains("demo"))
        // Left once, cursor shown, and nothing drawn behind it.
        let left = try #require(text.ranges(of: "\u{1B}[?1049l").last)
        #expect(text.contains("\u{1B}[?25h"))
        #expect(!text[left.upperBound...].contains("█"))
      }
    }
  }
}
