import Longwave
import Programmes
import TestSupport
import Testing
import Wire

/// Programmes that are operated: by requests, and over restarts.
@Suite struct ProgrammeCommandTests {
  private static let path = "/api/v1/stations/night/programme"
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]

  private func withRelay(
    _ folder: TemporaryDirectory, _ data: TemporaryDirectory = TemporaryDirectory(),
    _ change: (inout Programme) -> Void = { _ in }, _ body: (TestRelay) async throws -> Void
  ) async throws {
    var programme = Programme(playing: .folder(folder.path))
    change(&programme)
    let station = StationDefinition(id: "night", source: .programme(programme))
    let jazz = StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:9/jazz"])
    try await Scenario.withRelay(
      [station, jazz], data: data, change: { $0.server.paths = [folder.path] }
    ) { relay in
      try await relay.until("night", is: "playing")
      try await body(relay)
    }
  }

  /// Songs of a minute and a half.
  private func songs(_ count: Int) -> TemporaryDirectory {
    let folder = TemporaryDirectory()
    for number in 0..<count { folder.writeSong(number, frames: 3400) }
    return folder
  }

  private func send(
    _ relay: TestRelay, _ method: String, _ body: String, path: String = Self.path
  ) async throws -> HTTPExchange {
    try await HTTPExchange(
      method, path, at: relay.address, fields: Self.admin + ["Content-Type: application/json"],
      body: body)
  }

  private func done(_ relay: TestRelay, _ method: String, _ body: String) async throws -> JSON {
    let answer = try await send(relay, method, body)
    #expect(answer.status == 200, "\(body): \(answer.text)")
    return try #require(JSON.parse(answer.body))
  }

  private func shown(_ relay: TestRelay) async throws -> JSON {
    try await RelayAPI(address: relay.address).json(Self.path)
  }

  private func titles(_ json: JSON) -> [String?] {
    (json["upcoming"]?.items ?? []).map { $0["title"]?.string }
  }

  @Test func `what is shown as next plays next, and next twice is two items`() async throws {
    try await withRelay(songs(5)) { relay in
      let before = try await shown(relay)
      #expect(before["now"]?["title"]?.string == "Title 0" && before["now"]?["item"]?.integer == 1)
      #expect(titles(before).prefix(4) == ["Title 1", "Title 2", "Title 3", "Title 4"])
      let first = try await done(relay, "POST", #"{"action":"next"}"#)
      let second = try await done(relay, "POST", #"{"action":"next"}"#)
      #expect(first["now"]?["title"]?.string == "Title 1")
      #expect(second["now"]?["title"]?.string == "Title 2" && titles(second).first == "Title 3")
      // As much as a live listener's player holds.
      #expect(second["heardAfter"]?.double == 4)
      #expect(second["now"]?["item"]?.integer == 3 && second["now"]?["why"]?.string == "skip")
      try await eventually("the title is on air") {
        try await relay.station("night")["nowPlaying"]?["item"]?.integer == 3
      }
      let station = try await relay.station("night")
      #expect(station["nowPlaying"]?["kind"]?.string == "track")
      #expect(station["programme"]?["next"]?["title"]?.string == "Title 3")
      #expect(station["programme"]?["state"]?.string == "playing")
      #expect(try await relay.station("jazz")["programme"]?.isNull == true)
      let third = try #require(second["upcoming"]?.items.first?["item"]?.integer)
      let skipped = try await done(relay, "POST", #"{"action":"skip","item":\#(third)}"#)
      #expect(titles(skipped).first == "Title 4" && skipped["heardAfter"]?.isNull == true)
      // It has just begun, so the track before it is meant, unless this machine took 3 s to ask.
      let back = try await done(relay, "POST", #"{"action":"previous"}"#)
      let title = back["now"]?["title"]?.string
      #expect(title == "Title 1" || title == "Title 2")
      #expect(back["now"]?["why"]?.string == "previous")
    }
  }

  @Test func `the queue plays in front of the order, and is there after a restart`() async throws {
    let (folder, data) = (songs(5), TemporaryDirectory())
    let file = folder.file("Artist 4 - Title 4.mp3")
    try await withRelay(folder, data) { relay in
      var json = try await done(relay, "POST", #"{"action":"queue","path":"\#(file)"}"#)
      #expect(titles(json).first == "Title 4")
      #expect(json["upcoming"]?.items.first?["why"]?.string == "queue")
      let key = try #require(json["now"]?["track"]?.string)
      json = try await done(
        relay, "POST", #"{"action":"queue","track":["\#(key)"],"at":"next"}"#)
      #expect(titles(json).prefix(2) == ["Title 0", "Title 4"])
      json = try await done(relay, "PATCH", #"{"repeat":"one"}"#)
      #expect(json["changed"]?.items.map(\.string) == ["repeat"])
      #expect(json["repeat"]?.string == "one")
    }
    try await withRelay(folder, data) { relay in
      // What plays goes on before the folder is looked through.
      try await eventually("the folder is looked through") {
        try await !titles(shown(relay)).isEmpty
      }
      var json = try await shown(relay)
      #expect(titles(json).prefix(2) == ["Title 0", "Title 4"])
      #expect(json["repeat"]?.string == "one" && json["now"]?["title"]?.string == "Title 0")
      #expect(json["now"]?["why"]?.string == "order" && json["now"]?["item"]?.integer == 1)
      let item = try #require(json["upcoming"]?.items.first?["item"]?.integer)
      json = try await done(relay, "POST", #"{"action":"unqueue","items":[\#(item)]}"#)
      #expect(titles(json).first == "Title 4")
      json = try await done(relay, "POST", #"{"action":"clear"}"#)
      json = try await done(relay, "PATCH", #"{"repeat":null}"#)
      #expect(titles(json).first == "Title 1" && json["changed"]?.items.isEmpty == true)
    }
  }

  @Test func `without a token nobody reads a path, nor more of what comes than is public`()
    async throws
  {
    let folder = songs(4)
    folder.write("empty.mp3", Array("no music".utf8))
    folder.age("empty.mp3")
    try await withRelay(folder, TemporaryDirectory(), { $0.publishNext = 2 }) { relay in
      try await eventually("the folder is looked through") {
        try await shown(relay)["refused"]?["count"]?.integer == 1
      }
      let identified = try await shown(relay)
      #expect(identified["upcoming"]?.items.count == 10)
      #expect(
        identified["refused"]?["tracks"]?.items.first?["path"]?.string?.hasSuffix("empty.mp3")
          == true)
      #expect(identified["play"]?.string == "folder:\(folder.path)")
      let text = try await relay.get(Self.path).text
      let open = try #require(JSON.parse(Array(text.utf8)))
      #expect(open["upcoming"]?.items.count == 2 && open["play"]?.string == "folder")
      #expect(open["refused"]?["count"]?.integer == 1)
      #expect(open["refused"]?["tracks"]?.items.isEmpty == true)
      #expect(!text.contains(folder.path))
      #expect(try await !relay.get("/api/v1/stations/night").text.contains(folder.path))
    }
  }

  @Test func `what cannot be done is said with its code`() async throws {
    try await withRelay(songs(2)) { relay in
      let wrong: [(String, Int, String)] = [
        (#"{"action":"skip","item":4711}"#, 404, "unknown-item"),
        (#"{"action":"unqueue","items":[4711]}"#, 404, "unknown-item"),
        (#"{"action":"queue","path":"/etc/passwd"}"#, 403, "path-not-allowed"),
        (
          #"{"action":"queue","track":"00000000000000000000000000000001"}"#, 404, "unknown-track"
        ),
        (#"{"action":"jump"}"#, 400, "bad-field"),
      ]
      for (body, status, code) in wrong {
        let answer = try await send(relay, "POST", body)
        #expect(answer.status == status, "\(body): \(answer.text)")
        #expect(JSON.parse(answer.body)?["error"]?["code"]?.string == code)
      }
      for (method, body) in [("GET", ""), ("POST", #"{"action":"next"}"#), ("PATCH", "{}")] {
        let answer = try await send(
          relay, method, body, path: "/api/v1/stations/jazz/programme")
        #expect(answer.status == 404 && answer.text.contains("no-programme"))
        #expect(
          answer.text.contains(
            "jazz is pulled from an upstream; only programmes have a next item"))
      }
      #expect(try await relay.get(Self.path + "/plan").status == 401)
      let slow = try await HTTPExchange(
        "POST", Self.path, at: relay.address, fields: ["Content-Type: application/json"],
        body: #"{"action":"next"}"#)
      #expect(slow.status == 401)
    }
  }

  @Test func `a plan says what would play, and changes nothing`() async throws {
    try await withRelay(songs(3)) { relay in
      let before = try await shown(relay)
      let plan = try await RelayAPI(address: relay.address).json(Self.path + "/plan?for=1h")
      let items = plan["items"]?.items ?? []
      #expect(items.first?["item"]?.integer == before["now"]?["item"]?.integer)
      #expect(items.dropFirst().prefix(10).map { $0["title"]?.string } == titles(before))
      // 88.8 s each.
      #expect((40...42).contains(items.count) && plan["truncated"] == .bool(false))
      #expect(plan["silent"]?.double == 0 && plan["missed"]?.items.isEmpty == true)
      let later = try await RelayAPI(address: relay.address)
        .json(Self.path + "/plan?from=23:59&for=10m")
      #expect((7...9).contains(later["items"]?.items.count ?? 0))
      #expect(titles(try await shown(relay)) == titles(before))
      let long = try await RelayAPI(address: relay.address).json(Self.path + "/plan?for=366d")
      #expect(long["items"]?.items.count ?? 0 >= 5000 && long["truncated"] == .bool(true))
    }
  }
}
