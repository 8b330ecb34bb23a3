import Glibc
import Longwave
import LongwaveAdmin
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
    #expect(added.status == 64 && added.complaint?.contains("control character") == true)
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
    #expect(slip.status == 64 && slip.complaint?.contains("did you mean title-pattern?") == true)
    let wrong = try await longwave("station", "edit", "jazz", "--behind", "shfit")
    #expect(wrong.status == 64 && wrong.complaint?.contains("did you mean shift?") == true)
    let removed = try await longwave("station", "remove", "jazz", "--yes", "--json")
    #expect(removed.output == "{\"id\":\"jazz\"}\n")
    withExtendedLifetime(server) {}
  }

  @Test func `a station has an option for each key but those that only files have`() async throws {
    let help = try await LongwaveProcess.command(["station", "add", "--experimental-dump-help"])
    let command = try #require(JSON.parse(Array(help.output.utf8))?["command"])
    guard case .array(let arguments)? = command["arguments"] else {
      Issue.record("no arguments: \(help.log)")
      return
    }
    let groups: Set<JSON> = ["About it", "How it is served", "How it is pulled"]
    let options = arguments.filter { $0["sectionTitle"].map { groups.contains($0) } == true }
      .compactMap { argument -> String? in
        guard case .string(let name)? = argument["preferredName"]?["name"] else { return nil }
        return name
      }
    let several = ["mounts", "deny-agents", "request-headers", "metadata-candidates"]
    let keys = try #require(ConfigurationKeys.sections.first { $0.name == "stations" }).keys
      .map { several.contains($0) ? String($0.dropLast()) : $0 }
    let withoutOption = [
      "pause-timeout", "metaint", "auth", "connect-timeout", "data-timeout", "command", "prebuffer",
      "silence", "loudness", "clipping", "renditions", "programme", "shows",
    ]
    // Both are arguments, or options of their own.
    let rest = Set(keys).subtracting(withoutOption).subtracting(["id", "upstream"])
    #expect(
      Set(options.filter { !$0.hasPrefix("no-") })
        == rest.union(["source-password-file", "hls-segment", "hls-window"]))
  }

  @Test func `HLS of a station is set by options, and those that are not named stay`() async throws
  {
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(arguments, data: data.path)
    }
    func rule() async throws -> String {
      let yaml = try await longwave("station", "export").output
      return yaml.split(separator: "\n").drop { !$0.hasPrefix("    hls:") }.joined(separator: "\n")
    }
    let added = try await longwave(
      "station", "add", "jazz", "http://127.0.0.1:1/x", "--hls", "--hls-segment", "4")
    #expect(added.status == 0, "\(added.log)")
    #expect(try await rule() == "    hls:\n      segment: 4")
    for (arguments, expected) in [
      (["--hls-window", "2h"], "    hls:\n      segment: 4\n      window: 2h"),
      (["--hls"], "    hls:\n      segment: 4\n      window: 2h"),
      (["--hls-segment", "3"], "    hls:\n      segment: 3\n      window: 2h"),
      (["--no-hls"], "    hls: false"),
      (["--hls-segment", "8"], "    hls:\n      segment: 8"),
      (["--unset", "hls"], ""),
    ] {
      let edited = try await LongwaveProcess.command(
        ["station", "edit", "jazz"] + arguments, data: data.path)
      #expect(edited.status == 0, "\(edited.log)")
      #expect(try await rule() == expected, "\(arguments)")
    }
    let wrong = try await longwave("station", "edit", "jazz", "--hls-segment", "2.5")
    #expect(
      wrong.status == 64
        && wrong.complaint?.contains(
          "--hls-segment: \"2.5\" is no whole number of seconds from 2 to 10") == true,
      "\(wrong.log)")
    let both = try await longwave("station", "edit", "jazz", "--no-hls", "--hls-segment", "4")
    #expect(
      both.status == 64
        && both.complaint?.contains("--no-hls and --hls-segment exclude each other") == true,
      "\(both.log)")
    withExtendedLifetime(server) {}
  }

  @Test func `a wrong value of an option is told by the option's name`() async throws {
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    let added = try await LongwaveProcess.command(
      ["station", "add", "jazz", "http://127.0.0.1:1/x"], data: data.path)
    #expect(added.status == 0)
    for (arguments, complaint) in [
      (["record", "start", "jazz", "--for", "0"], "--for: 0 is out of range; "),
      (
        ["record", "start", "jazz", "--name", "{artst}"],
        "--name: has {artst}, which is unknown; did you mean {artist}? "
      ),
      (["record", "start", "jazz", "--max-size", "5"], "--max-size: 5 is out of range; "),
      (["listener", "ban", "192.0.2.1", "--for", "9x"], "--for: \"9x\" is not a duration; "),
      (
        ["listener", "unban", "nonsense"],
        "\"nonsense\" is neither the number of a ban nor an address"
      ),
      (["listener", "seek", "1", "--offset", "9x"], "--offset: \"9x\" is not a duration; "),
      (
        ["station", "add", "live", "push:", "--source-password", "x"], "--source-password: must be "
      ),
      (
        ["station", "edit", "jazz", "--request-header", "x"],
        "--request-header: a line does not begin with "
      ),
      (
        ["station", "edit", "jazz", "--record", "x"], "--record: \"x\" is no entry of a schedule; "
      ),
      (["station", "add", "a b", "http://127.0.0.1:1/x"], "id: \"a b\" has a character "),
      (
        ["station", "add", "a", "http://127.0.0.1:0/x"], "url: \"http://…/x\" has the port 0; "
      ),
      (["station", "history", "jazz", "--limit", "0"], "--limit: write a number from 1 "),
      (
        ["events", "--kinds", "statte"],
        "--kinds: \"statte\" is no kind of events; did you mean state?"
      ),
      (
        ["events", "--kinds", "state,bogus"],
        "--kinds: \"bogus\" is no kind of events; write state, connecting, buffering, "
      ),
      (["station", "list", "--server", "http://h:99999"], "--server: \"http://h:99999\" is not "),
    ] {
      let refused = try await LongwaveProcess.command(arguments, data: data.path)
      #expect(refused.status == 64)
      #expect(refused.complaint?.hasPrefix("longwave: " + complaint) == true, "\(refused.log)")
      let names = arguments.prefix(["events"].contains(arguments[0]) ? 1 : 2)
      #expect(
        refused.complaint?.hasSuffix(" (see longwave \(names.joined(separator: " ")) --help)")
          == true, "\(refused.log)")
    }
    // It is written well, and there is none.
    let gone = try await LongwaveProcess.command(
      ["listener", "unban", "192.0.2.1"], data: data.path)
    #expect(gone.status == 1)
    #expect(gone.complaint?.hasPrefix("longwave: There is no ban 192.0.2.1; ") == true)
    #expect(gone.complaint?.contains("--help") == false)
    withExtendedLifetime(server) {}
  }

  @Test(
    arguments: [
      (["station", "edit", "x", "--nme", "Y"], "nme", "name"),
      (["station", "edit", "x", "--nme=Y"], "nme", "name"),
      (["clip", "jazz", "--frm", "-10m"], "frm", "from"),
      (["listener", "seek", "17", "--ofset", "5m"], "ofset", "offset"),
      (["listener", "seek", "17", "--offset", "5m", "--live", "--colour"], "colour", nil),
      (["listener", "unban", "nonsense", "--jsn"], "jsn", "json"),
      (
        ["station", "list", "--token", "a", "--token-file", "b", "--serverCaFile", "c"],
        "serverCaFile", "server-ca-file"
      ),
      (["relay", "nonsense", "--listn", "127.0.0.1:0"], "listn", "listen"),
      (["record", "stop", "--jsn"], "jsn", "json"),
    ] as [([String], String, String?)])
  func `a misspelled option is told before what is wrong because of it`(
    arguments: [String], option: String, meant: String?
  ) async throws {
    let refused = try await LongwaveProcess.command(arguments)
    #expect(refused.status == 64)
    let suggestion = meant.map { ". Did you mean '--\($0)'?" } ?? ""
    #expect(
      refused.complaint?.hasPrefix(
        "longwave: Unknown option '--\(option)'\(suggestion) (see longwave ") == true,
      "\(refused.log)")
  }

  @Test(arguments: [
    (["clip", "jazz", "--to", "--frm"], "Missing expected argument '--from <time>'"),
    (["station", "edit", "x", "--name", "--nme"], "Missing value for '--name <name>'"),
    (["listener", "seek", "17", "--", "--ofset"], "give one of --offset, "),
    (["staton", "list", "--jsn"], "There is no command 'staton'; "),
    (["station", "edit", "x"], "Say what to change, "),
  ])
  func `a value that only looks like an option is none`(arguments: [String], complaint: String)
    async throws
  {
    let refused = try await LongwaveProcess.command(arguments)
    #expect(refused.status == 64)
    #expect(refused.complaint?.hasPrefix("longwave: " + complaint) == true, "\(refused.log)")
    #expect(refused.complaint?.contains("Did you mean '--") == false)
  }

  @Test func `a folder in the place of a secret is told`() async throws {
    let folder = TemporaryDirectory()
    for arguments in [
      ["station", "list", "--server", "http://127.0.0.1:1", "--token-file", folder.path],
      ["station", "add", "a", "push:", "--data", "/", "--source-password-file", folder.path],
    ] {
      let refused = try await LongwaveProcess.command(arguments)
      #expect(refused.status == 1)
      #expect(
        refused.complaint?.hasPrefix("longwave: cannot read \(folder.path): Is a directory; ")
          == true)
    }
  }

  @Test func `a number of listeners that nobody wrote is no promise to be warned about`()
    async throws
  {
    for (server, isWarned) in [("threads: 1", false), ("max-listeners: 50000", true)] {
      let data = TemporaryDirectory()
      data.write("longwave.yml", Array("server: {\(server)}\n".utf8))
      let process = try await LongwaveProcess(
        ["serve", "--config", data.path + "/longwave.yml"], data: data.path, openFiles: 1024)
      for id in ["a", "b"] {
        let added = try await LongwaveProcess.command(
          ["station", "add", id, "http://127.0.0.1:1/x"], data: data.path)
        #expect(added.status == 0)
      }
      #expect(process.process.log.contains("listeners are possible") == isWarned)
    }
  }

  @Test func `config check tells programs, too`() async throws {
    let folder = TemporaryDirectory()
    folder.write("bad.yml", Array("listeners:\n  brust: 4s\n".utf8))
    let bad = try await LongwaveProcess.command(
      ["config", "check", folder.path + "/bad.yml", "--json"])
    #expect(bad.status == 78 && bad.log.isEmpty)
    #expect(bad.json["problems"]?.items.first?["line"]?.integer == 2)
    folder.write("good.yml", Array("stations: [{id: a, upstream: http://a/}]\n".utf8))
    let good = try await LongwaveProcess.command(
      ["config", "check", folder.path + "/good.yml", "--json"])
    #expect(good.status == 0 && good.json["stations"]?.items.first?["id"]?.string == "a")
  }
}
