import Foundation
import Glibc
import Longwave
import TestSupport
import Testing

/// Another configuration while everything runs.
@Suite struct ReloadScenarioTests {
  private struct Setup {
    let server: LongwaveProcess
    let data: String
    let file: String
    let upstream: FakeUpstream

    func write(_ yaml: String) throws {
      try yaml.write(toFile: file, atomically: true, encoding: .utf8)
    }

    func reload() async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(["config", "reload"], data: data)
    }

    func station(_ id: String, _ more: String = "") -> String {
      "  - id: \(id)\n    upstream: \(upstream.url("/\(id)"))\n\(more)"
    }
  }

  private func withServer(_ body: (Setup) async throws -> Void) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    for id in ["jazz", "rock", "folk", "other"] { upstream.reply("/\(id)", with: .stream()) }
    let data = TemporaryDirectory()
    let file = data.path + "/longwave.yml"
    try "stations:\n  - id: jazz\n    upstream: \(upstream.url("/jazz"))\n"
      .appending("  - id: rock\n    upstream: \(upstream.url("/rock"))\n")
      .write(toFile: file, atomically: true, encoding: .utf8)
    let server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
    for id in ["jazz", "rock"] { try await server.api.until(id, is: "playing", within: 60) }
    try await body(Setup(server: server, data: data.path, file: file, upstream: upstream))
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  @Test func `a reload changes what differs, and listeners of the rest notice nothing`()
    async throws
  {
    try await withServer { setup in
      let listener = try StreamClient(to: setup.server.address, get: "/jazz")
      let dropped = try StreamClient(to: setup.server.address, get: "/rock")
      try await listener.until { $0.bodyCount > 10_000 }
      try await dropped.until { $0.bodyCount > 10_000 }
      try setup.write("stations:\n" + setup.station("jazz") + setup.station("folk"))
      let result = try await setup.reload()
      #expect(result.output == "added folk; removed rock\n" && result.status == 0)
      try await setup.server.api.until("folk", is: "playing", within: 60)
      try await dropped.until("its end") { $0.isEnded }
      #expect(areUnbroken(try NumberedFrames.numbers(in: dropped.body)))
      // Twenty more, each with something else.
      for round in 0..<20 {
        let name = "    name: Name \(round)\n    burst: \(round + 1)s\n"
        try setup.write(
          "stations:\n" + setup.station("jazz", name)
            + (round % 2 == 0 ? setup.station("folk") : ""))
        setup.server.process.signal(SIGHUP)
        try await eventually("the name of round \(round)", within: 60) {
          listener.drain()
          return try await setup.server.api.station("jazz")["name"]?.string == "Name \(round)"
        }
      }
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 20_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
      #expect(setup.upstream.requests(for: "/jazz").count == 1)
    }
  }

  @Test func `a fallback that Icecast's call sets counts until the file is read again`()
    async throws
  {
    try await withServer { setup in
      let stations = "stations:\n" + setup.station("jazz") + setup.station("rock")
      try setup.write("admin: {token: \(Scenario.token)}\n" + stations)
      #expect(try await setup.reload().status == 0)
      func ask(_ target: String) async throws -> HTTPExchange {
        try await HTTPExchange(
          "GET", target, at: setup.server.address,
          fields: ["Authorization: Bearer \(Scenario.token)"])
      }
      func fallback() async throws -> String? {
        try await ask("/admin/listmounts").text
          .firstMatch(of: /mount="\/jazz"><fallback>([^<]*)</).map { String($0.1) }
      }
      #expect(try await fallback() == nil)
      let set = try await ask("/admin/fallbacks?mount=/jazz&fallback=/rock")
      #expect(set.status == 200 && set.text.contains("<return>1</return>"), "\(set.text)")
      #expect(try await fallback() == "/rock")
      let circle = try await ask("/admin/fallbacks?mount=/rock&fallback=/jazz")
      #expect(circle.status == 400 && circle.text.contains("circle"))
      setup.upstream.reply("/jazz", with: .status(404))
      setup.upstream.dropConnections()
      try await eventually("the other one is heard", within: 60) {
        try await setup.server.api.station("jazz")["fallback"]?.string == "station:rock"
      }
      #expect(try await setup.reload().output == "changed jazz\n")
      #expect(try await fallback() == nil)
    }
  }

  @Test func `a new upstream keeps window and listeners`() async throws {
    try await withServer { setup in
      let listener = try StreamClient(to: setup.server.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 10_000 }
      let oldest = try await setup.server.api.station("jazz")["window"]?["oldestPosition"]?.integer
      try setup.write(
        "stations:\n  - id: jazz\n    upstream: \(setup.upstream.url("/other"))\n"
          + setup.station("rock"))
      #expect(try await setup.reload().output == "changed jazz\n")
      try await eventually("the other upstream", within: 60) {
        setup.upstream.requests(for: "/other").count == 1
      }
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 60_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
      let window = try await setup.server.api.station("jazz")["window"]
      #expect(window?["oldestPosition"]?.integer == oldest)
    }
  }

  @Test func `a station that becomes another one's past, and back, plays what it is`() async throws
  {
    try await withServer { setup in
      func upstreams() -> [Int] {
        ["/jazz", "/rock"].map { setup.upstream.requests(for: $0).count }
      }
      #expect(upstreams() == [1, 1])
      let listener = try StreamClient(to: setup.server.address, get: "/rock")
      try await listener.until { $0.bodyCount > 10_000 }
      let late = "  - {id: rock, of: jazz, delay: 1s}\n"
      try setup.write("stations:\n" + setup.station("jazz") + late)
      #expect(try await setup.reload().output == "changed rock\n")
      // Its old programme is over.
      try await listener.until("its end") { $0.isEnded }
      try await setup.server.api.until("rock", is: "playing", within: 60)
      let edge = try await setup.server.api.station("rock")["window"]?["livePosition"]?.integer
      let jazz = try await setup.server.api.station("jazz")["window"]?["livePosition"]?.integer
      #expect(try #require(edge) <= #require(jazz))
      try await eventually("nobody pulls it") { setup.upstream.openConnections == 1 }
      #expect(upstreams() == [1, 1])
      // Back again, and one goes on where its window ended.
      try setup.write("stations:\n" + setup.station("jazz") + setup.station("rock"))
      #expect(try await setup.reload().output == "changed rock\n")
      try await setup.server.api.until("rock", is: "playing", within: 60)
      let again = try StreamClient(to: setup.server.address, get: "/rock")
      try await again.until { $0.bodyCount > 60_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: again.body, mayEndInFrame: true)))
      #expect(upstreams() == [1, 2])
    }
  }

  @Test func `a copy added by command leaves with its original, and comes back with it`()
    async throws
  {
    try await withServer { setup in
      let copy = try await LongwaveProcess.command(
        ["station", "add", "late", "--of", "rock", "--delay", "1s"], data: setup.data)
      #expect(copy.status == 0, "\(copy.log)")
      try await setup.server.api.until("late", is: "playing", within: 60)
      let files = "  - {id: rock, files: \(setup.data)/recordings}\n"
      try FileManager.default.createDirectory(
        atPath: setup.data + "/recordings", withIntermediateDirectories: true)
      for without in ["", files] {
        try setup.write("stations:\n" + setup.station("jazz") + without)
        let left = try await setup.reload().output
        #expect(
          left.hasSuffix(
            (without.isEmpty ? "removed rock" : "changed rock") + "; left out, still stored: late\n"
          ),
          "\(left)")
        let nobody = try StreamClient(to: setup.server.address, get: "/late")
        #expect(try await nobody.answer().status == 404)
        try setup.write("stations:\n" + setup.station("jazz") + setup.station("rock"))
        let back = try await setup.reload().output
        #expect(back.contains(without.isEmpty ? "added rock, late" : "added late"), "\(back)")
        // What comes in from now on, not only what was left in the log.
        let listener = try StreamClient(to: setup.server.address, get: "/late")
        try await listener.until("it plays on", within: 60) { $0.bodyCount > 150_000 }
      }
    }
  }

  @Test func `a bad file changes nothing and says why, and what needs a restart is said`()
    async throws
  {
    try await withServer { setup in
      try setup.write("stations:\n" + setup.station("jazz", "    brust: 5s\n"))
      let bad = try await setup.reload()
      #expect(bad.status == 78 && bad.output.isEmpty)
      #expect(bad.log.contains("longwave.yml:4: stations[0].brust: unknown key"))
      #expect(try await setup.server.api.station("rock")["state"]?.string == "playing")
      try setup.write(
        "server:\n  threads: 3\nstations:\n" + setup.station("jazz") + setup.station("rock"))
      var fixed = try await setup.reload()
      // As long as it is so.
      for _ in 0..<2 {
        #expect(
          fixed.output == "no station has changed; from the next start on: server.threads\n")
        fixed = try await setup.reload()
      }
      try setup.write("stations:\n" + setup.station("jazz") + setup.station("rock"))
      #expect(try await setup.reload().output == "no station has changed\n")
    }
  }

  @Test func `rules for listeners and administrators change while the relay runs`() async throws {
    try await withServer { setup in
      let stations = "stations:\n" + setup.station("jazz") + setup.station("rock")
      let address = setup.server.address
      func listeners(_ token: String) async throws -> HTTPExchange {
        try await HTTPExchange(
          "GET", "/api/v1/listeners", at: address, fields: ["Authorization: Bearer \(token)"])
      }
      let listener = try StreamClient(to: address, get: "/jazz")
      try await listener.until { $0.bodyCount > 10_000 }
      #expect(try await listeners("first-token").status == 403)
      try setup.write(
        """
        server:
          max-listeners: 1
          public-url: https://radio.example.org/
          trusted-proxies: [127.0.0.1]
        admin:
          token: first-token

        """ + stations)
      // Nothing needs another start.
      let told = "no station has changed; new settings: server, "
      #expect(try await setup.reload().output == told + "admin\n")
      let shown = try await listeners("first-token")
      #expect(shown.status == 200)
      let full = try await HTTPExchange("GET", "/jazz", at: address)
      #expect(full.status == 503 && full.text.contains("all the listeners"))
      let playlist = try await HTTPExchange("GET", "/jazz.m3u", at: address)
      #expect(playlist.text.contains("https://radio.example.org/jazz"))
      let page = try await HTTPExchange("GET", "/status-json.xsl", at: address)
      #expect(page.text.contains("https://radio.example.org/jazz"))
      try setup.write(
        """
        server:
          trusted-proxies: [127.0.0.1]
          deny: [203.0.113.0/24]
        listeners:
          max-per-address: 1
        admin:
          token: second-token

        """ + stations)
      #expect(try await setup.reload().output == told + "listeners, admin\n")
      #expect(try await listeners("first-token").status == 401)
      func ask(as client: String) async throws -> StreamClient {
        try StreamClient(
          to: address,
          sending: "GET /jazz HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: \(client)\r\n\r\n")
      }
      let other = try await ask(as: "198.51.100.7")
      #expect(try await other.answer().status == 200)
      #expect(try await ask(as: "198.51.100.7").answer().status == 429)
      #expect(try await ask(as: "203.0.113.9").answer().status == 403)
      #expect(try await listeners("second-token").text.contains("198.51.100.7"))
      let own = try await HTTPExchange("GET", "/jazz.m3u", at: address)
      #expect(own.text.contains("http://relay.test/jazz"))
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 20_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
      withExtendedLifetime(other) {}
    }
  }

  @Test func `new settings are told by their section`() async throws {
    try await withServer { setup in
      let stations = "stations:\n" + setup.station("jazz") + setup.station("rock")
      let folder = setup.data
      for (text, told) in [
        ("webhooks: [{url: 'http://127.0.0.1:9/', kinds: [state]}]\n", "webhooks"),
        ("log: {access: \(folder)/access.log}\n", "log, webhooks"), ("", "log"),
        ("web: {title: Radio}\nrecordings: {keep: 5d}\n", "recordings, web"),
        ("listeners: {max-sessions: 5}\n", "recordings, listeners, web"),
      ] {
        try setup.write(text + stations)
        #expect(
          try await setup.reload().output == "no station has changed; new settings: \(told)\n")
      }
      try setup.write("listeners: {burst: 1s}\n" + stations)
      #expect(try await setup.reload().output == "changed jazz, rock; new settings: listeners\n")
    }
  }

  @Test func `a listener denied by a reload is ended, and no other`() async throws {
    try await withServer { setup in
      let start = "server:\n  trusted-proxies: [127.0.0.1]\n"
      let rock = setup.station("rock")
      try setup.write(start + "stations:\n" + setup.station("jazz") + rock)
      #expect(try await setup.reload().status == 0)
      func listen(_ station: String, from client: String) async throws -> StreamClient {
        let listener = try StreamClient(
          to: setup.server.address,
          sending: "GET /\(station) HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(client)\r\n\r\n")
        try await listener.until { $0.bodyCount > 1000 }
        return listener
      }
      let denied = try await listen("rock", from: "203.0.113.9")
      let outsider = try await listen("jazz", from: "198.51.100.1")
      let steady = try await listen("rock", from: "198.51.100.1")
      try setup.write(
        start + "  deny: [203.0.113.0/24]\nstations:\n"
          + setup.station("jazz", "    allow: [192.0.2.0/24]\n") + rock)
      setup.server.process.signal(SIGHUP)
      for listener in [denied, outsider] {
        try await listener.until("its end") { $0.isEnded }
        #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body)))
      }
      let before = steady.bodyCount
      try await steady.until { $0.bodyCount > before + 20_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: steady.body, mayEndInFrame: true)))
    }
  }

  @Test func `a window that is kept on disk from now on, and one that is not`() async throws {
    try await withServer { setup in
      let untouched = try StreamClient(to: setup.server.address, get: "/rock")
      for (window, storage) in [("0", "memory-only"), ("1h", "healthy")] {
        try setup.write(
          "stations:\n" + setup.station("jazz", "    window: \(window)\n") + setup.station("rock"))
        #expect(try await setup.reload().output == "changed jazz\n")
        try await eventually("jazz plays with a window of \(window)", within: 60) {
          let jazz = try await setup.server.api.station("jazz")
          return jazz["state"]?.string == "playing"
            && jazz["window"]?["storage"]?.string == storage
            && (jazz["window"]?["seconds"]?.double ?? 0) > 1
        }
        let listener = try StreamClient(to: setup.server.address, get: "/jazz")
        try await listener.until { $0.bodyCount > 10_000 }
        #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
      }
      // What was kept before is there again.
      try await untouched.until { $0.bodyCount > 10_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: untouched.body, mayEndInFrame: true)))
    }
  }

  @Test func `a station's window is taken off the disk and put there by PATCH as well`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    try await Scenario.withRelay([]) { relay in
      func ask(_ method: String, _ path: String, _ body: String) async throws -> HTTPExchange {
        try await HTTPExchange(
          method, "/api/v1/stations" + path, at: relay.address,
          fields: ["Authorization: Bearer \(Scenario.token)"], body: body)
      }
      let added = try await ask(
        "POST", "", #"{"id":"jazz","window":"1h","upstream":"\#(upstream.url("/live"))"}"#)
      #expect(added.status == 201)
      try await relay.until("jazz", has: 1)
      for (window, storage) in [("0", "memory-only"), ("\"30m\"", "healthy")] {
        let changed = try await ask("PATCH", "/jazz", #"{"window":\#(window)}"#)
        #expect(changed.status == 200 && changed.text.contains(#""storage":"\#(storage)""#))
        try await relay.until("jazz", has: 1, within: 60)
        try await relay.until("jazz", is: "playing", within: 60)
      }
    }
  }
}
