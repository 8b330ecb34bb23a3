import Glibc
import Longwave
import Programmes
import Settings
import TestSupport
import Testing
import Wire

/// Music that is queued and that the programme itself does not play, in a whole relay.
@Suite struct QueueScenarioTests {
  private static let path = "/api/v1/stations/night/programme"
  private static let fields = [
    "Authorization: Bearer \(Scenario.token)", "Content-Type: application/json",
  ]

  private let own = TemporaryDirectory()
  private let other = TemporaryDirectory()
  private let data = TemporaryDirectory()

  /// A relay whose programme plays one folder, and whose library has another.
  private func withRelay(_ body: (TestRelay) async throws -> Void) async throws {
    let programme = Programme(playing: .folder(own.path))
    let night = StationDefinition(id: "night", source: .programme(programme))
    try await Scenario.withRelay(
      [night], data: data,
      change: { [other] in
        $0.library.roots = [MusicRoot(id: "main", path: other.path)]
        $0.cache.keepFree = 0
      }
    ) { relay in
      try await relay.until("night", is: "playing")
      try await body(relay)
    }
  }

  private func queue(_ relay: TestRelay, _ body: String) async throws -> HTTPExchange {
    try await HTTPExchange(
      "POST", Self.path, at: relay.address, fields: Self.fields,
      body: #"{"action":"queue",\#(body)}"#)
  }

  private func queued(_ relay: TestRelay) async throws -> [String] {
    let shown = try await RelayAPI(address: relay.address).json(Self.path)
    return (shown["upcoming"]?.items ?? []).filter { $0["why"]?.string == "queue" }
      .compactMap { $0["title"]?.string }
  }

  private func track(_ relay: TestRelay, _ title: String) async throws -> String {
    try await eventually("the track \(title)") {
      // The database may be being opened.
      let found = try await HTTPExchange(
        "GET", "/api/v1/tracks?limit=100", at: relay.address, fields: Self.fields)
      return JSON.parse(found.body)?["tracks"]?.items.first { $0["title"]?.string == title }?[
        "track"]?.string
    }
  }

  @Test func `any track that the relay knows is queued, survives a restart, and is heard`()
    async throws
  {
    own.writeSong(1, frames: 3400)
    other.writeSong(2, frames: 200)
    other.writeSong(3, frames: 200)
    other.write(
      "4 - Flac.flac", try ToneFile(["-c:a", "flac"], "flac", 48_000, 2).bytes(seconds: 3))
    other.age("4 - Flac.flac")
    try await withRelay { relay in
      let key = try await track(relay, "Title 2")
      let file = other.file("Artist 3 - Title 3.mp3")
      for body in [#""track":"\#(key)""#, #""path":"\#(file)""#] {
        let answer = try await queue(relay, body)
        #expect(answer.status == 200, "\(answer.text)")
      }
      let flac = try await queue(relay, #""path":"\#(other.file("4 - Flac.flac"))","at":"next""#)
      #expect(flac.status == 200, "\(flac.text)")
      #expect(try await queued(relay) == ["Flac", "Title 2", "Title 3"])
      let shown = try await RelayAPI(address: relay.address).json(Self.path)
      #expect(shown["total"]?.integer == 1)
    }
    try await withRelay { relay in
      try await eventually("the queue is known again") {
        try await queued(relay) == ["Flac", "Title 2", "Title 3"]
      }
      let next = try await HTTPExchange(
        "POST", Self.path, at: relay.address, fields: Self.fields, body: #"{"action":"next"}"#)
      #expect(next.status == 200)
      for title in ["Flac", "Title 2", "Title 3", "Title 1"] {
        try await eventually("\(title) is on air") {
          try await relay.relay.history(of: "night", limit: 1).first?.playing.title == title
        }
      }
      let previous = try await HTTPExchange(
        "POST", Self.path, at: relay.address, fields: Self.fields, body: #"{"action":"previous"}"#)
      #expect(previous.status == 200, "\(previous.text)")
      try await eventually("the track before is played again") {
        try await relay.relay.history(of: "night", limit: 1).first?.playing.title == "Title 3"
      }
    }
  }

  @Test func `a collection is queued in its order, and what is not there is told`() async throws {
    own.writeSong(1, frames: 3400)
    for number in 2..<5 { other.writeSong(number, frames: 200) }
    try await withRelay { relay in
      let keys = try await [track(relay, "Title 4"), track(relay, "Title 2")]
      for (path, body) in [
        ("/api/v1/collections", #"{"collection":"party"}"#),
        ("/api/v1/collections", #"{"collection":"empty"}"#),
        (
          "/api/v1/collections/party/members",
          #"{"tracks":["\#(keys[0])","\#(keys[1])","\#(keys[0])"]}"#
        ),
      ] {
        let made = try await HTTPExchange(
          "POST", path, at: relay.address, fields: Self.fields, body: body)
        #expect((200..<300).contains(made.status), "\(made.text)")
      }
      let answer = try await queue(relay, #""collection":"party""#)
      #expect(answer.status == 200, "\(answer.text)")
      #expect(try await queued(relay) == ["Title 4", "Title 2", "Title 4"])
      for (body, status, code) in [
        (#""collection":"none""#, 404, "unknown-collection"),
        (#""collection":"empty""#, 409, "nothing-to-play"),
        (#""track":"\#(String(repeating: "0", count: 32))""#, 404, "unknown-track"),
        (#""path":"\#(other.path)/none.mp3""#, 403, "path-not-allowed"),
      ] {
        let refused = try await queue(relay, body)
        let isRefused = refused.status == status && refused.text.contains(code)
        #expect(isRefused, "\(body): \(refused.status) \(refused.text)")
      }
      #expect(try await queued(relay).count == 3)
    }
  }

  @Test func `of a collection what can be played is queued, and of two commands neither is lost`()
    async throws
  {
    own.writeSong(1, frames: 3400)
    for number in 2..<6 { other.writeSong(number, frames: 200) }
    try await withRelay { relay in
      var keys: [String] = []
      for number in 2..<6 { keys.append(try await track(relay, "Title \(number)")) }
      for (method, path, body) in [
        ("POST", "/api/v1/collections", #"{"collection":"party"}"#),
        (
          "POST", "/api/v1/collections/party/members",
          #"{"tracks":["\#(keys[0])","\#(keys[1])"]}"#
        ),
        ("PATCH", "/api/v1/tracks/\(keys[0])", #"{"excluded":true}"#),
      ] {
        let made = try await HTTPExchange(
          method, path, at: relay.address, fields: Self.fields, body: body)
        #expect((200..<300).contains(made.status), "\(made.text)")
      }
      let bodies = [
        #""collection":"party""#, #""track":"\#(keys[2])""#, #""track":"\#(keys[3])""#,
      ]
      try await withThrowingTaskGroup { group in
        for body in bodies {
          group.addTask {
            let answer = try await queue(relay, body)
            #expect(answer.status == 200, "\(answer.text)")
          }
        }
        try await group.waitForAll()
      }
      let titles = try await queued(relay)
      #expect(titles.sorted() == ["Title 3", "Title 4", "Title 5"])
    }
  }

  @Test func `over the network nothing is queued that lies in no open folder`() async throws {
    own.writeSong(1, frames: 3400)
    other.writeSong(2)
    let closed = TemporaryDirectory()
    closed.writeSong(3)
    try await withRelay { relay in
      _ = try await track(relay, "Title 2")
      let refused = try await queue(relay, #""path":"\#(closed.file("Artist 3 - Title 3.mp3"))""#)
      #expect(refused.status == 403 && refused.text.contains("path-not-allowed"))
      let link = other.file("link.mp3")
      let made = closed.file("Artist 3 - Title 3.mp3").withCString { from in
        link.withCString { symlinkat(from, AT_FDCWD, $0) }
      }
      #expect(made == 0)
      let linked = try await queue(relay, #""path":"\#(link)""#)
      #expect(linked.status == 403 || linked.status == 404, "\(linked.text)")
      #expect(try await queued(relay).isEmpty)
    }
  }
}
