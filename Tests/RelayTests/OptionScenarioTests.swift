import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

@Suite struct OptionScenarioTests {
  @Test func `a station has by command what it may have in a file`() async throws {
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(arguments, data: data.path)
    }
    let added = try await longwave(
      "station", "add", "jazz", "http://127.0.0.1:1/x", "--name", "Evil\u{9B}31m\u{7}", "--json")
    #expect(added.status == 1 && added.complaint?.contains("control character") == true)
    let clean = try await longwave(
      "station", "add", "jazz", "http://127.0.0.1:1/x", "--name", "Jazz\u{9B}", "--on-demand",
      "--run-on", "5m", "--max-listeners", "10", "--allow", "127.0.0.0/8", "--allow", "::1",
      "--deny-agent", "Bot*", "--request-header", "Referer: https://example.org/",
      "--metadata-encoding", "windows-1251", "--title-pattern", "{artist} - {title}",
      "--no-verify-tls", "--public")
    #expect(clean.status == 0, "\(clean.log)")
    // The name is legal, and what a terminal would take for a command is not shown as one.
    let table = try await longwave("station", "show", "jazz")
    #expect(table.output.contains("Jazz\u{FFFD}") && !table.output.contains("\u{9B}"))
    let edited = try await longwave(
      "station", "edit", "jazz", "--no-on-demand", "--max-listeners", "20", "--unset", "allow",
      "--unset", "title-pattern")
    #expect(edited.status == 0, "\(edited.log)")
    let yaml = try await longwave("station", "export")
    #expect(
      yaml.output == """
        stations:
          - id: jazz
            name: "Jazz\\u009b"
            upstream:
              - http://127.0.0.1:1/x
            public: true
            max-listeners: 20
            run-on: 5m
            metadata-encoding: windows-1251
            deny-agents:
              - "Bot*"
            request-headers:
              - "Referer: https://example.org/"
            verify-tls: false

        """)
    let slip = try await longwave("station", "edit", "jazz", "--unset", "title-patern")
    #expect(slip.status == 1 && slip.complaint?.contains("did you mean title-pattern?") == true)
    let wrong = try await longwave("station", "edit", "jazz", "--behind", "shfit")
    #expect(wrong.status == 1 && wrong.complaint?.contains("did you mean shift?") == true)
    let removed = try await longwave("station", "remove", "jazz", "--yes", "--json")
    #expect(removed.output == "{\"id\":\"jazz\"}\n")
    withExtendedLifetime(server) {}
  }

  @Test func `config check tells programs, too`() async throws {
    let folder = TemporaryDirectory()
    folder.write("bad.yml", Array("listeners:\n  brust: 4s\n".utf8))
    let bad = try await LongwaveProcess.command(
      ["config", "check", folder.path + "/bad.yml", "--json"])
    #expect(bad.status == 1 && bad.log.isEmpty)
    #expect(bad.json["problems"]?.items.first?["line"]?.integer == 2)
    folder.write("good.yml", Array("stations: [{id: a, upstream: http://a/}]\n".utf8))
    let good = try await LongwaveProcess.command(
      ["config", "check", folder.path + "/good.yml", "--json"])
    #expect(good.status == 0 && good.json["stations"]?.items.first?["id"]?.string == "a")
  }
}
