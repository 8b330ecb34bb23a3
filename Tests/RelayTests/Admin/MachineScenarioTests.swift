import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

@Suite struct MachineScenarioTests {
  private func longwave(_ arguments: String..., data: String? = nil) async throws
    -> ChildProcess.Result
  {
    try await LongwaveProcess.command(arguments, data: data)
  }

  @Test func `the doctor knows its own server, another one, and a stranger on the port`()
    async throws
  {
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    let stranger = try FakeUpstream(.numbered(before: 100))
    defer { stranger.stop() }
    let other = try #require(stranger.url("").split(separator: "/").last)
    let yaml = """
      server: {listen: ["\(server.address)", "\(other)", "192.0.2.1:1"]}
      stations: [{id: a, upstream: "http://no.such.host.invalid/x"}]
      """
    data.write("longwave.yml", Array(yaml.utf8))
    let config = data.path + "/longwave.yml"
    let own = try await longwave(
      "doctor", "--config", config, "--network", "--json", data: data.path)
    #expect(own.status == 1 && own.log.isEmpty)
    let findings = own.json["findings"]?.items ?? []
    func texts(_ subject: String, _ level: String) -> [String] {
      findings.filter { $0["subject"]?.string == subject && $0["level"]?.string == level }
        .compactMap { $0["text"]?.string }
    }
    #expect(texts("port", "ok") == ["\(server.address) is served by the longwave that runs here"])
    #expect(texts("port", "fail").contains("\(other) is taken by another program"))
    #expect(texts("port", "fail").contains { $0.hasPrefix("192.0.2.1:1 cannot be opened: ") })
    #expect(texts("name", "fail").contains { $0.hasPrefix("no.such.host.invalid: ") })
    #expect(texts("library", "ok").count == 6 && texts("data", "fail").isEmpty)
    #expect(findings.allSatisfy { $0["level"]?.string == "ok" || $0["advice"]?.string != nil })

    let elsewhere = TemporaryDirectory()
    let second = try await longwave("doctor", "--config", config, data: elsewhere.path)
    let line =
      "fail  port           \(server.address) is taken by a longwave on another data folder"
    #expect(second.status == 1 && second.output.contains(line))
    withExtendedLifetime(server) {}
  }

  @Test func `a configuration with a mistake is a finding like others`() async throws {
    let data = TemporaryDirectory()
    data.write("bad.yml", Array("listeners:\n  brust: 4s\n".utf8))
    let bad = try await longwave("doctor", "--config", data.path + "/bad.yml", data: data.path)
    #expect(
      bad.status == 1 && bad.output.hasPrefix("fail  configuration  \(data.path)/bad.yml:2: "))
    #expect(bad.output.contains("\nok    clock"))
  }

  @Test func `Icecast's configuration is taken over by command`() async throws {
    let folder = TemporaryDirectory()
    let xml = """
      <icecast><listen-socket><port>8123</port></listen-socket>
      <relay><server>127.0.0.1</server><port>1</port><mount>/jazz.mp3</mount></relay></icecast>
      """
    folder.write("icecast.xml", Array(xml.utf8))
    let made = try await longwave("config", "import", folder.path + "/icecast.xml")
    #expect(made.status == 0 && made.log.isEmpty)
    folder.write("longwave.yml", Array(made.output.utf8))
    let checked = try await longwave("config", "check", folder.path + "/longwave.yml")
    #expect(checked.status == 0 && checked.output.contains("/jazz  jazz  from http://127.0.0.1:1/"))
    folder.write("cut.xml", Array(xml.utf8.prefix(80)))
    let cut = try await longwave("config", "import", folder.path + "/cut.xml")
    #expect(cut.status == 78 && cut.output.isEmpty)
    #expect(
      cut.complaint
        == "longwave: \(folder.path)/cut.xml:2: ends inside <server> of line 2; it is cut "
        + "off: take a whole copy", "\(cut.log)")
    let absent = try await longwave("config", "import", folder.path + "/nothing.xml")
    #expect(
      absent.status == 78 && absent.complaint?.contains("nothing.xml: no such file; ") == true)
  }

  @Test func `a shell completes commands, and the stations of the server that runs`() async throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try await longwave("completion", shell)
      #expect(script.status == 0 && script.output.contains("import") && script.log.isEmpty)
    }
    #expect(try await longwave("completion", "sh").status == 64)
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    for id in ["jazz", "rock"] {
      _ = try await longwave("station", "add", id, "http://127.0.0.1:1/x", data: data.path)
    }
    // As the scripts ask.
    let words = ["longwave", "station", "show", "--data", data.path, ""]
    let completed = try await LongwaveProcess.command(
      ["---completion", "station", "show", "--", "positional@0", "5", "0"] + words)
    #expect(completed.output.split(whereSeparator: \.isNewline) == ["jazz", "rock"])
    withExtendedLifetime(server) {}
  }
}
