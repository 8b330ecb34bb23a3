import Glibc
import Longwave
import Programmes
import TestSupport
import Testing
import Wire

/// Collections over HTTP and by command, and a programme that plays one.
@Suite struct CollectionScenarioTests {
  private static let framesOfFile: UInt64 = 60

  /// Files of a second and a half, each with numbers of its own, an hour old.
  private func music(_ count: Int, in folder: TemporaryDirectory) {
    for number in 0..<count {
      let first = UInt64(number) * 1000
      let name = "Artist \(number) - Title \(number).mp3"
      write(name, NumberedFrames.stream(first..<first + Self.framesOfFile), in: folder)
    }
  }

  private func write(_ name: String, _ bytes: [UInt8], in folder: TemporaryDirectory) {
    folder.write(name, bytes)
    let time = timeval(tv_sec: Glibc.time(nil) - 3600, tv_usec: 0)
    #expect(
      [time, time].withUnsafeBufferPointer { utimes(folder.file(name), $0.baseAddress) } == 0)
  }

  private func longwave(_ arguments: String..., data: String) async throws -> ChildProcess.Result {
    try await LongwaveProcess.command(arguments, data: data)
  }

  private func admin(
    _ server: LongwaveProcess, _ method: String, _ path: String, _ body: String
  ) async throws -> HTTPExchange {
    try await HTTPExchange(
      method, path, at: server.address,
      fields: ["Authorization: Bearer \(Scenario.token)", "Content-Type: application/json"],
      body: body)
  }

  private func titles(_ members: JSON?) -> [String] {
    members?["members"]?.items.map { $0["title"]?.string ?? "" } ?? []
  }

  private func withRelay(
    _ stations: [String], _ body: (TemporaryDirectory, String, LongwaveProcess) async throws -> Void
  ) async throws {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    music(4, in: folder)
    let configuration = data.write(
      "c.yml", Array("admin: {token: \(Scenario.token)}\n".utf8))
    let server = try await LongwaveProcess(["serve", "--config", configuration], data: data.path)
    for station in stations {
      let added = try await longwave(
        "station", "add", station, "--folder", folder.path, data: data.path)
      #expect(added.status == 0)
      try await server.api.untilPublic(station, is: "playing")
    }
    try await body(folder, data.path, server)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  @Test func `a list is imported, changed, exported, and is the same when it is imported again`()
    async throws
  {
    try await withRelay(["all"]) { folder, data, server in
      let list = """
        #EXTM3U
        Artist 2 - Title 2.mp3
        artist 0 - title 0.MP3
        #EXTINF:2,Artist 3 - Title 3
        /old/place/x.mp3
        ../nowhere.mp3
        https://example.org/a.mp3
        \(String(repeating: "x", count: 60_000))
        """
      folder.write("party.m3u", Array(list.utf8))
      let file = folder.file("party.m3u")
      let imported = try await longwave("collection", "import", "party", file, data: data)
      #expect(imported.status == 0 && imported.output.hasPrefix("4 of 6 entries found; not found:"))
      #expect(imported.output.contains("line 6 \"../nowhere.mp3\" is no track of the library"))
      #expect(imported.output.contains("line 8 \"xxx") && imported.output.count < 1000)
      var shown = try await longwave("collection", "show", "party", "--json", data: data)
      let wanted = ["Title 2", "Title 0", "Title 3", ""]
      #expect(titles(shown.json) == wanted && shown.json["tracks"]?.integer == 3)

      let members = shown.json["members"]?.items.compactMap { $0["member"]?.integer } ?? []
      try #require(members.count == 4)
      let moved = try await longwave(
        "collection", "move", "party", "\(members[2])", "--before", "\(members[0])", data: data)
      #expect(moved.status == 0)
      let removed = try await longwave(
        "collection", "remove", "party", "\(members[3])", data: data)
      #expect(removed.status == 0)
      shown = try await longwave("collection", "show", "party", "--json", data: data)
      #expect(titles(shown.json) == ["Title 3", "Title 2", "Title 0"])

      let whole = try await longwave(
        "collection", "export", "party", "--format", "json", data: data)
      let path = "/api/v1/collections/party/export?format=json"
      let asked = try await admin(server, "GET", path, "")
      #expect(asked.head["content-type"] == "application/json")
      #expect(JSON.parse(asked.body) == whole.json && titles(whole.json) == titles(shown.json))

      for (name, paths) in [("a.m3u8", "relative"), ("a.xspf", "absolute"), ("b.m3u8", "url")] {
        let out = folder.file(name)
        let exported = try await longwave(
          "collection", "export", "party", "-o", out, "--paths", paths, data: data)
        #expect(exported.status == 0)
        let copy = name.replacing(".", with: "-")
        let again = try await longwave("collection", "import", copy, out, data: data)
        #expect(again.output == "3 of 3 entries found\n")
        let same = try await longwave("collection", "show", copy, "--json", data: data)
        #expect(titles(same.json) == titles(shown.json))
      }
    }
  }

  @Test func `five hundred files with long names are queued by one command`() async throws {
    try await withRelay(["all"]) { folder, data, _ in
      let deep = [String](repeating: String(repeating: "d", count: 100), count: 4)
        .joined(separator: "/")
      let name = deep + "/Artist 9 - Title 9.mp3"
      folder.makeFolders(of: name)
      write(name, NumberedFrames.stream(9000..<9060), in: folder)
      let file = folder.file(name)
      try await eventually("the file is known") {
        try await longwave("programme", "queue", "all", file, data: data).status == 0
      }
      let cleared = try await longwave("programme", "unqueue", "all", "--clear", data: data)
      #expect(cleared.status == 0)
      let words = ["programme", "queue", "all"] + [String](repeating: file, count: 500)
      let queued = try await LongwaveProcess.command(words, data: data)
      #expect(queued.status == 0 && queued.output == "queued 500 tracks on all\n")
      // What was taken from it by now leaves room for some, but not for as many.
      let more = try await LongwaveProcess.command(Array(words.dropLast(100)), data: data)
      let complaint = try #require(more.complaint)
      #expect(more.status == 1 && complaint.contains("500"), "\(complaint)")
    }
  }

  @Test func `a rule finds tracks, and goes by another collection`() async throws {
    try await withRelay(["all"]) { folder, data, _ in
      folder.write("l.m3u", Array("Artist 1 - Title 1.mp3\nArtist 2 - Title 2.mp3\n".utf8))
      _ = try await longwave("collection", "import", "two", folder.file("l.m3u"), data: data)
      for (name, rule, wanted) in [
        (
          "any", #"{"any":[{"is":{"title":"title 3"}},{"is":{"artist":"ARTIST 0"}}]}"#,
          ["Title 0", "Title 3"]
        ),
        ("rest", #"{"all":[{"notInCollection":"two"}],"sort":"-title","limit":1}"#, ["Title 3"]),
      ] {
        let made = try await longwave("collection", "create", name, "--rule", rule, data: data)
        #expect(made.status == 0)
        let shown = try await longwave("collection", "show", name, "--json", data: data)
        #expect(titles(shown.json) == wanted && shown.json["kind"]?.string == "rule")
      }
    }
  }

  @Test func `a programme plays a collection, and what is put into it later`() async throws {
    try await withRelay(["all"]) { folder, data, server in
      let list = "Artist 1 - Title 1.mp3\n"
      folder.write("l.m3u", Array(list.utf8))
      _ = try await longwave("collection", "import", "night", folder.file("l.m3u"), data: data)
      let path = "/api/v1/stations"
      let body = #"{"id":"night","programme":{"play":"night"}}"#
      let token = try await admin(server, "POST", path, body)
      #expect(token.status == 201)
      let waits = #"{"id":"waits","programme":{"play":"nihgt"}}"#
      #expect(try await admin(server, "POST", path, waits).status == 201)
      try await server.api.untilPublic("night", is: "playing")
      try await eventually("its only track") {
        try await server.api.history("night").values.contains("Title 1")
      }
      try await eventually("the unknown one is named") {
        let station = try await server.api.station("waits")
        return station["stateReason"]?.string?.contains("cannot be looked through") == true
      }
      let busy = try await longwave("collection", "delete", "night", data: data)
      #expect(busy.status == 1 && busy.complaint?.contains("is played by night") == true)
      folder.write("l.m3u", Array("Artist 3 - Title 3.mp3\n".utf8))
      _ = try await longwave("collection", "import", "night", folder.file("l.m3u"), data: data)
      try await eventually("the track that was added") {
        try await server.api.history("night").values.contains("Title 3")
      }
      let favourite = try await longwave("favourite", "night", data: data)
      #expect(favourite.status == 0 && favourite.output.contains("is a favourite"))
      let kept = try await longwave("collection", "show", "favourites", "--json", data: data)
      #expect(titles(kept.json).count == 1)
      let member = kept.json["members"]?.items.first
      let key = try #require(member?["track"]?["track"]?.string)
      let name = "\(member?["artist"]?.string ?? "") – \(member?["title"]?.string ?? "")"
      var gone = try await longwave("favourite", key.uppercased(), "--remove", data: data)
      #expect(gone.output == "\(name) is no favourite any more\n" && name.hasPrefix("Artist "))
      gone = try await longwave("favourite", key, "--remove", data: data)
      #expect(gone.status == 1)
    }
  }

  @Test func `a station over the network gets no tracks of folders that are closed to it`()
    async throws
  {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    music(2, in: folder)
    func text(_ paths: String) -> String {
      """
      admin: {token: \(Scenario.token)}
      server: {paths: [\(paths)]}
      stations: [{id: own, programme: "folder:\(folder.path)"}]
      """
    }
    let configuration = data.write("c.yml", Array(text("").utf8))
    let server = try await LongwaveProcess(["serve", "--config", configuration], data: data.path)
    try await server.api.untilPublic("own", is: "playing")
    folder.write("l.m3u", Array("Artist 1 - Title 1.mp3\n".utf8))
    _ = try await longwave(
      "collection", "import", "night", folder.file("l.m3u"), data: data.path)
    let body = #"{"id":"night","programme":{"play":"night"}}"#
    #expect(try await admin(server, "POST", "/api/v1/stations", body).status == 201)
    try await eventually("it says why it plays nothing") {
      let station = try await server.api.station("night")
      return station["stateReason"]?.string?.contains("cannot be played") == true
    }
    data.write("c.yml", Array(text("\"\(folder.path)\"").utf8))
    #expect(try await longwave("config", "reload", data: data.path).status == 0)
    try await server.api.untilPublic("night", is: "playing")
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  @Test func `what cannot be is refused with its code`() async throws {
    try await withRelay([]) { _, data, server in
      func refusal(_ method: String, _ path: String, _ body: String) async throws -> String {
        let answer = try await admin(server, method, "/api/v1/collections" + path, body)
        let code = JSON.parse(answer.body)?["error"]?["code"]?.string ?? ""
        return "\(answer.status) \(code)"
      }
      for name in ["a", "b"] {
        let made = try await admin(
          server,
          "POST", "/api/v1/collections", #"{"collection":"\#(name)"}"#)
        #expect(made.status == 201)
      }
      let into = #"{"collections":["a"]}"#
      #expect(try await admin(server, "POST", "/api/v1/collections/b/members", into).status == 200)
      let rule = #"{"collection":"r","rule":{"all":[{"inCollection":"a"}]}}"#
      #expect(try await admin(server, "POST", "/api/v1/collections", rule).status == 201)
      let track = String(repeating: "0", count: 32)
      for (method, path, body, wanted) in [
        ("POST", "", #"{"collection":"a"}"#, "409 collection-exists"),
        ("POST", "", #"{"collection":"A b"}"#, "400 bad-field"),
        ("POST", "", #"{"collection":"c","name":"two\nlines"}"#, "400 bad-field"),
        ("PATCH", "/a", #"{"name":"\#(String(repeating: "é", count: 201))"}"#, "400 bad-field"),
        ("PATCH", "/a", #"{"name":"\u0007"}"#, "400 bad-field"),
        ("POST", "", #"{"collection":"c","rule":{"all":[{"is":{"mood":"x"}}]}}"#, "400 bad-rule"),
        (
          "POST", "", #"{"collection":"c","rule":{"all":[{"inCollection":"none"}]}}"#,
          "404 unknown-collection"
        ),
        ("POST", "/a/members", #"{"collections":["b"]}"#, "409 circle"),
        ("POST", "/a/members", #"{"collections":["r"]}"#, "409 circle"),
        ("POST", "/a/members", #"{"tracks":["\#(track)"]}"#, "404 unknown-track"),
        ("POST", "/a/members", #"{"tracks":["x"]}"#, "400 bad-field"),
        ("POST", "/none/members", #"{"urls":["http://h/"]}"#, "404 unknown-collection"),
        ("POST", "/a/members/9/move", #"{"before":null}"#, "404 unknown-item"),
        ("PATCH", "/none", #"{"name":"x"}"#, "404 unknown-collection"),
        ("DELETE", "/a/members/9", "", "404 unknown-item"),
        ("POST", "/a/import", "<html>", "400 bad-list"),
      ] {
        #expect(try await refusal(method, path, body) == wanted, "\(method) \(path) \(body)")
      }
      let near = try await longwave("collection", "show", "aa", data: data)
      #expect(near.status == 1 && near.complaint?.contains("did you mean a?") == true)
    }
  }
}
