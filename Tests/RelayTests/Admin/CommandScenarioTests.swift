import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

@Suite struct CommandScenarioTests {
  private func withServer(
    _ body: (LongwaveProcess, String, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    try await body(server, data.path, upstream)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  private func longwave(_ arguments: String..., data: String) async throws -> ChildProcess.Result {
    try await LongwaveProcess.command(arguments, data: data)
  }

  @Test func `stations are added, shown, stopped, started and removed by command`() async throws {
    try await withServer { server, data, upstream in
      let added = try await longwave(
        "station", "add", "jazz", upstream.url("/live"), "--name", "All Jazz", "--genre", "Jazz",
        data: data)
      #expect(added.status == 0 && added.output == "added jazz\n" && added.log.isEmpty)
      let twice = try await longwave("station", "add", "jazz", upstream.url("/live"), data: data)
      #expect(twice.status == 1 && twice.output.isEmpty)
      #expect(twice.complaint == "longwave: There is a station \"jazz\" already.")
      try await server.api.untilPublic("jazz", is: "playing")
      let list = try await longwave("station", "list", "--json", data: data)
      #expect(list.status == 0)
      #expect(list.json["stations"]?.items.first?["name"]?.string == "All Jazz")
      let table = try await longwave("station", "list", data: data)
      #expect(table.status == 0 && table.output.contains("playing"))
      let shown = try await longwave("station", "show", "jazz", "--json", data: data)
      #expect(shown.json["genre"]?.string == "Jazz")
      let stopped = try await longwave("station", "stop", "jazz", data: data)
      #expect(stopped.status == 0 && stopped.output == "jazz: stopped\n")
      #expect(try await HTTPExchange("GET", "/jazz", at: server.address).status == 503)
      let started = try await longwave("station", "start", "jazz", data: data)
      #expect(started.status == 0 && started.output.hasPrefix("jazz: "))
      try await server.api.untilPublic("jazz", is: "playing")
      let edited = try await longwave("station", "edit", "jazz", "--name", "Cool", data: data)
      #expect(edited.status == 0)
      let cool = try await longwave("station", "show", "jazz", "--json", data: data)
      #expect(cool.json["name"]?.string == "Cool" && cool.json["genre"]?.string == "Jazz")
      let removed = try await longwave("station", "remove", "jazz", "--yes", data: data)
      #expect(removed.status == 0)
      #expect(try await HTTPExchange("GET", "/jazz", at: server.address).status == 404)
      let gone = try await longwave("station", "show", "jazz", data: data)
      #expect(gone.status == 1 && gone.complaint?.contains("jazz") == true)
    }
  }

  @Test func `a title is announced by command, with the artist apart`() async throws {
    try await withServer { server, data, upstream in
      _ = try await longwave("station", "add", "jazz", upstream.url("/live"), data: data)
      try await server.api.untilPublic("jazz", is: "playing")
      let announced = try await longwave(
        "station", "announce", "jazz", "Miles Davis - So What", data: data)
      #expect(announced.status == 0 && announced.output == "jazz: Miles Davis – So What\n")
      try await eventually("the title") {
        let history = try await longwave("station", "history", "jazz", "--json", data: data)
        let newest = history.json["history"]?.items.first
        return newest?["artist"]?.string == "Miles Davis" && newest?["title"]?.string == "So What"
      }
      let empty = try await longwave("station", "announce", "jazz", "", data: data)
      #expect(empty.status == 64 && empty.complaint?.hasPrefix("longwave: title: ") == true)
    }
  }

  @Test func `files that are not there are no station`() async throws {
    try await withServer { _, data, _ in
      for (path, complaint) in [
        ("/nowhere", "files: /nowhere: No such file or directory"),
        ("/dev/null", "files: /dev/null: neither a folder nor a file"),
      ] {
        let added = try await longwave("station", "add", "shows", "--files", path, data: data)
        #expect(added.status == 64 && added.complaint?.contains(complaint) == true, "\(added.log)")
      }
      let added = try await longwave("station", "add", "shows", "--files", "/usr", data: data)
      #expect(added.status == 0)
      let moved = try await longwave("station", "edit", "shows", "--files", "/none", data: data)
      #expect(moved.status == 64 && moved.complaint?.contains("No such file") == true)
      let list = try await longwave("station", "show", "shows", "--json", data: data)
      #expect(list.json["state"]?.string == "playing")
    }
  }

  @Test func `events are followed over a restart of the server`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    let follower = try ChildProcess([
      Binary.longwave, "events", "--kinds", "state", "--json", "--data", data.path,
    ])
    func states() -> [String] {
      follower.output.split(separator: "\n").compactMap {
        JSON.parse(Array($0.utf8))?["state"]?.string
      }
    }
    // It may not follow yet when the first one comes: then the next one is seen.
    try await eventually("an event", within: 60) {
      _ = try await longwave("station", "remove", "jazz", "--yes", data: data.path)
      _ = try await longwave("station", "add", "jazz", upstream.url("/live"), data: data.path)
      return !states().isEmpty
    }
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
    let before = states().count
    let again = try await LongwaveProcess(["serve"], data: data.path)
    try await eventually("events of the new server", within: 60) {
      states().dropFirst(before).contains("playing")
    }
    follower.signal(SIGTERM)
    _ = try await follower.end()
    let wrong = try await longwave("events", "--kinds", "statte", data: data.path)
    #expect(wrong.status == 64 && wrong.complaint?.contains("did you mean state?") == true)
    let short = try await longwave("events", "--session", "short", data: data.path)
    #expect(short.status == 64 && short.complaint?.contains("--session") == true)
    again.process.signal(SIGTERM)
    #expect(try await again.process.end() == 0)
    let absent = try await longwave("events", data: data.path)
    #expect(absent.status == 69 && absent.complaint?.contains("no longwave runs on") == true)
  }

  @Test func `listeners and figures are seen and kicked by command`() async throws {
    try await withServer { server, data, upstream in
      _ = try await longwave("station", "add", "jazz", upstream.url("/live"), data: data)
      let nobody = try await longwave("listener", "list", data: data)
      #expect(nobody.status == 0 && nobody.output == "nobody listens\n")
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await listener.until("a packet") { try !$0.numbers().isEmpty }
      let list = try await longwave("listener", "list", "jazz", "--json", data: data)
      let listed = try #require(list.json["listeners"]?.items.first)
      #expect(listed["station"]?.string == "jazz" && listed["player"]?.string == "test")
      let stats = try await longwave("stats", "--json", data: data)
      #expect(stats.status == 0 && stats.json["listeners"]?["now"]?.integer == 1)
      let table = try await longwave("stats", data: data)
      #expect(table.status == 0 && table.output.contains("jazz"))
      let id = try #require(listed["id"]?.integer)
      let shown = try await longwave("listener", "show", "\(id)", "--json", data: data)
      #expect(shown.json["id"]?.integer == id)
      #expect(try await longwave("listener", "kick", "\(id)", data: data).status == 0)
      try await eventually("the listener's end") {
        listener.drain()
        return listener.isEnded
      }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body)))
      let twice = try await longwave("listener", "kick", "\(id)", data: data)
      #expect(twice.status == 1 && twice.complaint?.contains("\(id)") == true)
    }
  }

  @Test func `a listener is paused and moved in time by command`() async throws {
    try await withServer { server, data, upstream in
      _ = try await longwave("station", "add", "jazz", upstream.url("/live"), data: data)
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await listener.until("a packet") { try !$0.numbers().isEmpty }
      let list = try await longwave("listener", "list", "jazz", "--json", data: data)
      let id = try #require(list.json["listeners"]?.items.first?["id"]?.integer)
      let paused = try await longwave("listener", "pause", "\(id)", "--json", data: data)
      #expect(paused.status == 0 && paused.json["state"]?.string == "paused")
      let moved = try await longwave(
        "listener", "seek", "\(id)", "--to", "track-start", "--json", data: data)
      #expect(moved.status == 0 && moved.json["state"]?.string == "paused")
      let resumed = try await longwave("listener", "resume", "\(id)", "--json", data: data)
      #expect(resumed.json["state"]?.string != "paused")
      let back = try await longwave("listener", "seek", "\(id)", "--live", data: data)
      #expect(back.status == 0 && back.output.contains("behind live"))
      let both = try await longwave(
        "listener", "seek", "\(id)", "--live", "--offset", "5m", data: data)
      #expect(both.status == 64)
      withExtendedLifetime(listener) {}
    }
  }

  @Test func `stations added by command survive a restart and stopped ones stay stopped`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let data = TemporaryDirectory()
    let first = try await LongwaveProcess(["serve"], data: data.path)
    for id in ["jazz", "rock"] {
      let added = try await longwave("station", "add", id, upstream.url("/live"), data: data.path)
      #expect(added.status == 0)
    }
    #expect(try await longwave("station", "stop", "rock", data: data.path).status == 0)
    try await first.api.untilPublic("jazz", is: "playing")
    first.process.signal(SIGTERM)
    #expect(try await first.process.end() == 0)
    let second = try await LongwaveProcess(["serve"], data: data.path)
    try await second.api.untilPublic("jazz", is: "playing")
    let list = try await longwave("station", "list", "--json", data: data.path)
    let states = list.json["stations"]?.items.map {
      [$0["id"]?.string ?? "", $0["state"]?.string ?? ""]
    }
    #expect(states == [["jazz", "playing"], ["rock", "stopped"]])
  }

  @Test func `wrong usage is 64, failure is 1, and both are one line on standard error`()
    async throws
  {
    let data = TemporaryDirectory()
    for (arguments, help) in [
      (["station", "add"], "station add"), (["nonsense"], ""), (["help", "nonsense"], ""),
      (["station", "nonsense"], "station"), (["help", "station", "nonsense"], "station"),
      (["help", "serve", "nonsense"], "serve"), (["serve", "--listen", "nowhere"], "serve"),
      (["relay", "not-a-url"], "relay"), (["station", "list", "--nonsense"], "station list"),
      (["listener", "kick", "abc"], "listener kick"),
      (["listener", "seek", "1"], "listener seek"),
      (["station", "add", "b", "--of", "a"], "station add"),
      (["station", "add", "b", "--encode", "64"], "station add"),
      (["station", "add", "b", "--of", "a", "--delay", "1h", "--encode", "64"], "station add"),
    ] {
      let result = try await LongwaveProcess.command(arguments)
      #expect(result.status == 64, "\(arguments)")
      let place = " (see longwave \(help.isEmpty ? "" : help + " ")--help)"
      #expect(
        result.output.isEmpty && result.complaint?.hasSuffix(place) == true,
        "\(arguments): \(result.log)")
    }
    let bare = try await LongwaveProcess.command(["station", "add", "b", "--of", "a"])
    #expect(bare.complaint?.contains("--of needs --delay TIME") == true, "\(bare.log)")
    let noServer = try await longwave("station", "list", data: data.path)
    #expect(noServer.status == 69 && noServer.output.isEmpty)
    #expect(noServer.complaint?.contains("no longwave runs on \(data.path)") == true)
    for arguments in [
      ["--help"], ["station", "--help"], ["station", "add", "--help"], ["help", "station", "add"],
      ["help"],
    ] {
      let help = try await LongwaveProcess.command(arguments)
      #expect(help.status == 0 && help.log.isEmpty && help.output.contains("EXAMPLES"))
    }
    let version = try await LongwaveProcess.command(["--version"]).output
    // A build outside of a repository names no commit.
    let form = /([0-9.]+) \((commit [0-9a-f]{12}(\+changes)?, )?Swift [0-9.]+\)\n/
    #expect(version.wholeMatch(of: form)?.1 == Substring(RelayVersion.number), "\(version)")
  }

  @Test func `a second server on the same data or port says so`() async throws {
    try await withServer { server, data, _ in
      let sameData = try await longwave("serve", "--listen", "127.0.0.1:0", data: data)
      #expect(sameData.status == 1)
      let clear = "longwave: another longwave (process \(server.process.id)) runs on \(data);"
      #expect(sameData.complaint?.hasPrefix(clear) == true, "\(sameData.log)")
      let other = TemporaryDirectory()
      let samePort = try await longwave(
        "serve", "--listen", server.address.description, data: other.path)
      #expect(samePort.status == 1)
      #expect(
        samePort.complaint?.hasPrefix("longwave: port in use: \(server.address)") == true,
        "\(samePort.log)")
    }
  }

  @Test func `config check tells every mistake by its line, and what a good file would run`()
    async throws
  {
    let folder = TemporaryDirectory()
    let good = """
      server:
        listen: ["127.0.0.1:8123"]
      stations:
        - id: jazz
          name: All Jazz
          upstream: [http://127.0.0.1:1/live]
      """
    folder.write("good.yml", Array(good.utf8))
    let fine = try await LongwaveProcess.command(["config", "check", folder.path + "/good.yml"])
    #expect(fine.status == 0 && fine.log.isEmpty)
    #expect(fine.output.contains("127.0.0.1:8123") && fine.output.contains("All Jazz"))
    let bad = """
      listeners:
        brust: 4s
        metaint: no
      stations:
        - id: Jazz!
          upstream: [ftp://127.0.0.1/live]
      """
    folder.write("bad.yml", Array(bad.utf8))
    let file = folder.path + "/bad.yml"
    let wrong = try await LongwaveProcess.command(["config", "check", file])
    #expect(wrong.status == 78 && wrong.output.isEmpty)
    let lines = wrong.log.split(separator: "\n")
    for (line, words) in [(2, "burst"), (3, "metaint"), (5, "id"), (6, "http://")] {
      #expect(
        lines.contains { $0.contains("\(file):\(line): ") && $0.contains(words) },
        "line \(line) in \(wrong.log)")
    }
    // A server does not start on it either, and says the same.
    let serve = try await LongwaveProcess.command(
      ["serve", "--config", file, "--listen", "127.0.0.1:0"], data: folder.path)
    #expect(serve.status == 78 && serve.log == wrong.log)
  }
}

extension RelayAPI {
  /// Waits for a state without a token.
  func untilPublic(_ id: String, is state: String) async throws {
    try await eventually("the state \(state) of \(id)") {
      let answer = try await HTTPExchange("GET", "/api/v1/stations/\(id)", at: address)
      return JSON.parse(answer.body)?["state"]?.string == state
    }
  }
}
