import Foundation
import Longwave
import Programmes
import TestSupport
import Testing
import Timeshift
import Wire

/// The music library of a whole relay, over HTTP.
@Suite struct LibraryScenarioTests {
  private let folder = TemporaryDirectory()

  private func music(_ name: String, _ number: UInt64) {
    folder.makeFolders(of: name)
    folder.write(name, NumberedFrames.stream(number * 1000..<number * 1000 + 60))
    folder.age(name)
  }

  private func withLibrary(
    _ stations: [StationDefinition] = [], data: TemporaryDirectory = TemporaryDirectory(),
    _ body: (TestRelay) async throws -> Void
  ) async throws {
    try await Scenario.withRelay(stations, data: data) {
      $0.library.roots = [MusicRoot(id: "main", path: folder.path)]
    } _: {
      try await body($0)
    }
  }

  private func ask(
    _ relay: TestRelay, _ method: String, _ path: String, _ body: String? = nil,
    fields: [String] = []
  ) async throws -> HTTPExchange {
    try await HTTPExchange(
      method, "/api/v1/" + path, at: relay.address,
      fields: fields + ["Authorization: Bearer \(Scenario.token)"], body: body ?? "")
  }

  private func json(_ relay: TestRelay, _ path: String) async throws -> JSON {
    try await RelayAPI(address: relay.address).json("/api/v1/" + path)
  }

  private func titles(_ relay: TestRelay, _ query: String) async throws -> [String] {
    try await json(relay, "tracks?" + query)["tracks"]?.items.compactMap { $0["title"]?.string }
      ?? []
  }

  /// Waits until the database has so many tracks.
  private func until(_ relay: TestRelay, has tracks: Int) async throws {
    try await eventually("\(tracks) tracks in the library") {
      try await json(relay, "library")["tracks"]?.integer == tracks
    }
  }

  @Test func `what lies in a root is found by words, listed and counted`() async throws {
    music("Nina Simone - Sinnerman.mp3", 1)
    music("talk/Talk Talk - New Grass.mp3", 2)
    music("talk/Röyksopp - Eple.mp3", 3)
    folder.write("talk/broken.mp3", Array("no audio at all".utf8))
    folder.age("talk/broken.mp3")
    try await withLibrary { relay in
      try await until(relay, has: 3)
      #expect(try await titles(relay, "q=nina%20sinner") == ["Sinnerman"])
      #expect(try await titles(relay, "q=nina+sinner") == ["Sinnerman"])
      #expect(try await titles(relay, "q=royksopp&root=main") == ["Eple"])
      #expect(try await titles(relay, "artist=talk") == ["New Grass"])
      #expect(try await titles(relay, "q=path:talk&sort=title") == ["Eple", "New Grass"])
      #expect(try await titles(relay, "q=%22%27;DROP%20TABLE%20track--").isEmpty)
      let first = try await json(relay, "tracks?limit=2")
      #expect(first["total"]?.integer == 3)
      let next = try #require(first["next"]?.string)
      let second = try await json(relay, "tracks?limit=2&after=\(next)")
      #expect(second["tracks"]?.items.count == 1 && second["next"] == .null)

      let artists = try await json(relay, "artists")["artists"]?.items ?? []
      #expect(artists.map { $0["artist"]?.string } == ["Nina Simone", "Röyksopp", "Talk Talk"])
      #expect(try await json(relay, "albums")["albums"]?.items.isEmpty == true)
      let roots = try await json(relay, "folders")["folders"]?.items ?? []
      #expect(roots.map { $0["path"]?.string } == [folder.path])
      let folders = try await json(relay, "folders?path=\(folder.path)")["folders"]?.items ?? []
      #expect(folders.map { $0["path"]?.string } == [folder.path + "/talk"])
      #expect(folders.first?["files"]?.integer == 2)

      let problems = try await json(relay, "library/problems")["problems"]?.items ?? []
      #expect(problems.map { $0["path"]?.string } == ["talk/broken.mp3"])
      #expect(problems.first?["reason"]?.string?.isEmpty == false)
      let root = try await json(relay, "library")["roots"]?.items.first
      #expect(root?["root"]?.string == "main" && root?["state"]?.string == "ok")
      #expect(root?["files"]?.integer == 3 && root?["problems"]?.integer == 1)
      let metrics = try await relay.get("/metrics").text
      #expect(metrics.contains("longwave_library_tracks 3\n"))
      #expect(metrics.contains("longwave_library_problems{root=\"main\"} 1\n"))
      #expect(metrics.contains("longwave_library_search_seconds_count "))
    }
  }

  @Test func `a track has its files, its picture and its audio with ranges`() async throws {
    music("a/One - Two.mp3", 1)
    let picture = [0xFF, 0xD8, 0xFF, 0xE0] + Array("a picture".utf8)
    folder.write("a/cover.jpg", picture)
    try await withLibrary { relay in
      try await until(relay, has: 1)
      let found = try await json(relay, "tracks?q=two")["tracks"]?.items.first
      let key = try #require(found?["track"]?.string)
      let track = try await json(relay, "tracks/\(key)")
      #expect(track["guessed"] == .bool(true) && track["playable"] == .bool(true))
      #expect(track["artwork"] == .bool(true) && found?["artwork"] == .bool(true))
      let file = track["files"]?.items.first
      #expect(file?["path"]?.string == "a/One - Two.mp3" && file?["root"]?.string == "main")
      #expect(file?["pathBytes"] == .null && file?["missingSince"] == .null)
      let artwork = try await ask(relay, "GET", "tracks/\(key)/artwork")
      #expect(artwork.status == 200 && artwork.body == picture)
      #expect(artwork.head["content-type"] == "image/jpeg")
      let audio = try await ask(relay, "GET", "tracks/\(key)/audio")
      #expect(audio.status == 200 && audio.body == folder.read("a/One - Two.mp3"))
      let part = try await ask(relay, "GET", "tracks/\(key)/audio", fields: ["Range: bytes=10-19"])
      #expect(part.status == 206 && part.body == Array(folder.read("a/One - Two.mp3")[10...19]))
    }
  }

  @Test func `a part that a cue sheet names is a track wherever tracks are asked for`()
    async throws
  {
    folder.write("mix.mp3", NumberedFrames.stream(0..<600))
    folder.age("mix.mp3")
    let sheet = """
      FILE "mix.mp3" MP3
      TRACK 01 AUDIO
      TITLE "Opening"
      PERFORMER "One"
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      TITLE "Closing"
      INDEX 01 00:06:00
      """
    folder.write("mix.cue", Array(sheet.utf8))
    folder.age("mix.cue")
    folder.write("cover.jpg", [0xFF, 0xD8, 0xFF, 0xE0])
    let station = StationDefinition(
      id: "night", source: .programme(Programme(playing: .list(folder.file("mix.cue")))))
    try await withLibrary([station]) { relay in
      try await until(relay, has: 1)
      let added = try await eventually("it is on air, and a favourite") { () -> JSON? in
        let answer = try await ask(
          relay, "POST", "collections/favourites/members", #"{"station":"night"}"#)
        return answer.status == 200 ? JSON.parse(answer.body) : nil
      }
      let member = try #require(added["members"]?.items.first?["track"])
      let key = try #require(member["track"]?.string)
      #expect(member["title"]?.string == "Opening" && member["seconds"]?.double == 6)
      let track = try await json(relay, "tracks/\(key)")
      #expect(track["track"]?.string == key && track["title"]?.string == "Opening")
      let whole = try await json(relay, "tracks")["tracks"]?.items.first
      #expect(track["partOf"] == whole?["track"] && whole?["partOf"] == .null)
      #expect(try await ask(relay, "GET", "tracks/\(key)/artwork").status == 200)
      #expect(try await ask(relay, "PATCH", "tracks/\(key)", #"{"gain":-3}"#).status == 200)
      #expect(try await json(relay, "tracks/\(key)")["gain"]?.double == -3)
      #expect(try await ask(relay, "PATCH", "tracks/\(key)", #"{"cueIn":1}"#).status == 400)
      let file = "tracks/" + (try #require(whole?["track"]?.string))
      for isOut in [true, false] {
        #expect(try await ask(relay, "PATCH", file, #"{"excluded":\#(isOut)}"#).status == 200)
        #expect(try await json(relay, "tracks/\(key)")["excluded"] == .bool(isOut))
      }
      // The other part alone is played from now on.
      #expect(try await ask(relay, "PATCH", "tracks/\(key)", #"{"excluded":true}"#).status == 200)
      try await eventually("the other one follows itself") {
        let programme = try await json(relay, "stations/night/programme")
        return programme["total"]?.integer == 1
          && programme["upcoming"]?.items.first?["title"]?.string == "Closing"
      }
    }
  }

  @Test func `a track that there is not is told as such, whatever its name`() async throws {
    try await withLibrary { relay in
      func code(_ method: String, _ path: String, _ body: String? = nil) async throws -> String {
        let answer = try await ask(relay, method, path, body)
        return "\(answer.status) \(JSON.parse(answer.body)?["error"]?["code"]?.string ?? "")"
      }
      try await eventually("the library is open") {
        try await code("GET", "tracks") == "200 "
      }
      for key in ["x", "gone", String(repeating: "0", count: 32)] {
        for end in ["", "/artwork", "/audio"] {
          #expect(try await code("GET", "tracks/\(key)\(end)") == "404 unknown-track", "\(key)")
        }
        #expect(
          try await code("PATCH", "tracks/\(key)", "{\"excluded\":true}") == "404 unknown-track")
        #expect(try await code("GET", "tracks?after=\(key)") == "400 bad-parameter")
      }
      #expect(try await code("DELETE", "tracks/x") == "405 method-not-allowed")
    }
  }

  @Test func `a root that is taken out and named again has all its tracks`() async throws {
    for number in 0..<300 { music("\(number).mp3", UInt64(number)) }
    try await withLibrary { relay in
      try await until(relay, has: 300)
      let with = await relay.relay.configuration
      var without = with
      without.library.roots = []
      for _ in 0..<6 {
        _ = try await relay.relay.apply(without)
        _ = try await relay.relay.apply(with)
      }
      try await eventually("all are there") {
        let root = try await json(relay, "library")["roots"]?.items.first
        return root?["missing"]?.integer == 0 && root?["tracks"]?.integer == 300
      }
      // A pass that the last naming began may go on behind that.
      try await eventually("all can be played") {
        try await json(relay, "tracks?playable=true")["total"]?.integer == 300
      }
    }
  }

  @Test func `a track whose first copy is away is sent from the other one`() async throws {
    let (one, two) = (TemporaryDirectory(), TemporaryDirectory())
    for folder in [one, two] {
      folder.write("a.mp3", NumberedFrames.stream(0..<60))
      folder.age("a.mp3")
    }
    try await Scenario.withRelay([]) {
      $0.library.roots = [
        MusicRoot(id: "one", path: one.path), MusicRoot(id: "two", path: two.path),
      ]
    } _: { relay in
      try await eventually("both copies are known") {
        let roots = try await json(relay, "library")["roots"]?.items ?? []
        return roots.count == 2 && roots.allSatisfy { $0["tracks"]?.integer == 1 }
      }
      let track = try await json(relay, "tracks")["tracks"]?.items.first?["track"]?.string
      let key = try #require(track)
      for away in [one, two] {
        rename(away.path, away.path + "-away")
        let audio = try await ask(relay, "GET", "tracks/\(key)/audio")
        rename(away.path + "-away", away.path)
        #expect(audio.status == 200 && audio.body == one.read("a.mp3"))
      }
    }
  }

  @Test func `an excluded track is played no more, also after a restart`() async throws {
    music("1.mp3", 1)
    music("2.mp3", 2)
    let data = TemporaryDirectory()
    let night = StationDefinition(
      id: "night", source: .programme(Programme(playing: .folder(folder.path))))
    var key = ""
    try await withLibrary([night], data: data) { relay in
      try await until(relay, has: 2)
      key = try #require(
        try await json(relay, "tracks?q=1")["tracks"]?.items.first?["track"]?.string)
      let answer = try await ask(relay, "PATCH", "tracks/\(key)", "{\"excluded\":true}")
      #expect(answer.status == 200)
      #expect(JSON.parse(answer.body)?["excluded"] == .bool(true))
    }
    try await withLibrary([night], data: data) { relay in
      try await until(relay, has: 2)
      #expect(try await json(relay, "tracks/\(key)")["excluded"] == .bool(true))
      try await relay.until("night", is: "playing")
      try await eventually("three items") {
        try await relay.relay.history(of: "night", limit: 100).count >= 3
      }
      let played = try await relay.relay.history(of: "night", limit: 2).map(\.playing.title)
      #expect(played == ["2", "2"])
    }
  }

  @Test func `a programme levels music without gains by what was measured, or by what people say`()
    async throws
  {
    for (number, decibels) in [-8, -30].enumerated() {
      let sine = "pow(10\\,\(decibels)/20)*sin(2*PI*\(900 + number)*t)"
      try Tool.must(
        [
          "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
          "aevalsrc=\(sine)|\(sine):s=44100:d=3:c=stereo", "-b:a", "128k",
          folder.file("\(number).mp3"),
        ], in: folder)
      folder.age("\(number).mp3")
    }
    var programme = Programme(playing: .folder(folder.path))
    programme.rules.loudness = -20
    let night = StationDefinition(id: "night", source: .programme(programme))
    try await withLibrary([night]) { relay in
      try await until(relay, has: 2)
      try await eventually("both are measured") {
        try await json(relay, "library")["measured"]?.integer == 2
      }
      let tracks = try await json(relay, "tracks?sort=title")["tracks"]?.items ?? []
      let loud = try #require(tracks.first?["loudness"]?.double)
      #expect(abs(loud + 8) < 1, "\(loud)")
      var gains: Set<Double> = []
      func noteGain() async throws {
        let shown = try await json(relay, "stations/night/programme")
        gains.formUnion([shown["now"]?["gain"]?.double?.rounded()].compactMap { $0 })
      }
      // In steps of 1.5 dB: -12 and 10.5.
      try await eventually("items are levelled") {
        try await noteGain()
        return gains.isSuperset(of: [-12, 11])
      }
      let key = try #require(tracks.first?["track"]?.string)
      let said = try await ask(relay, "PATCH", "tracks/\(key)", "{\"gain\":4}")
      #expect(JSON.parse(said.body)?["gain"]?.double == 4)
      // 1.5.
      try await eventually("people are believed") {
        try await noteGain()
        return gains.contains(2)
      }
      #expect(try await ask(relay, "PATCH", "tracks/\(key)", "{\"gain\":null}").status == 200)
      #expect(try await json(relay, "tracks/\(key)")["gain"] == .null)
    }
  }

  @Test func `a database that is deleted comes back by itself`() async throws {
    music("1.mp3", 1)
    let data = TemporaryDirectory()
    try await withLibrary(data: data) { relay in
      try await until(relay, has: 1)
      for end in ["", "-wal", "-shm"] { unlink(data.path + "/library.db" + end) }
      music("2.mp3", 2)
      #expect(try await ask(relay, "POST", "library/scan", "{}").status == 202)
      try await eventually("both are found") {
        // Busy while it is made again.
        (try? await titles(relay, "sort=title")) == ["1", "2"]
      }
      #expect(FileManager.default.fileExists(atPath: data.path + "/library.db"))
      // Once more with the same music, of which a look has nothing new to write.
      for end in ["", "-wal", "-shm"] { unlink(data.path + "/library.db" + end) }
      #expect(try await ask(relay, "POST", "library/scan", "{}").status == 202)
      try await eventually("both are found again") {
        (try? await titles(relay, "sort=title")) == ["1", "2"]
      }
    }
  }

  @Test func `a track is played from where people say to where they say`() async throws {
    // 60 frames are 1.567 s.
    music("One - Two.mp3", 1)
    let station = StationDefinition(
      id: "night", source: .programme(Programme(playing: .folder(folder.path))))
    let data = TemporaryDirectory()
    var path = ""
    try await withLibrary([station], data: data) { relay in
      try await until(relay, has: 1)
      let key = try #require(
        try await json(relay, "tracks")["tracks"]?.items.first?["track"]?.string)
      path = "tracks/\(key)"
      for (body, words) in [
        ("{\"cueIn\":1,\"cueOut\":1}", "it would begin at 1"),
        ("{\"cueIn\":2}", "the track's end is at 1.5"),
        ("{\"cueOut\":1.6}", "the track ends after 1.5"),
        ("{\"cueOut\":0}", "its cueOut is at 0"),
      ] {
        let answer = try await ask(relay, "PATCH", path, body)
        #expect(answer.status == 400 && answer.text.contains(words), "\(answer.text)")
      }
      let changed = try await ask(relay, "PATCH", path, "{\"cueIn\":0.5,\"cueOut\":1.25}")
      let track = JSON.parse(changed.body)
      #expect(changed.status == 200 && track?["cueIn"]?.double == 0.5)
      // One of the two is held against the other.
      #expect(try await ask(relay, "PATCH", path, "{\"cueIn\":1.3}").status == 400)
      #expect(track?["cueOut"]?.double == 1.25 && (track?["seconds"]?.double ?? 0) > 1.5)
      try await eventually("the shorter item") {
        let now = try await json(relay, "stations/night/programme")["now"]
        return now?["seconds"]?.double == 0.75
      }
    }
    try await withLibrary([station], data: data) { relay in
      try await until(relay, has: 1)
      #expect(try await json(relay, path)["cueOut"]?.double == 1.25)
      let changed = try await ask(relay, "PATCH", path, "{\"cueIn\":null,\"cueOut\":null}")
      #expect(JSON.parse(changed.body)?["cueIn"] == .null)
      try await eventually("the whole item") {
        let now = try await json(relay, "stations/night/programme")["now"]
        return (now?["seconds"]?.double ?? 0) > 1.5
      }
    }
  }

  @Test func `a track says how often it was played, also after a restart`() async throws {
    music("One - Two.mp3", 1)
    let data = TemporaryDirectory()
    let station = StationDefinition(
      id: "night", source: .programme(Programme(playing: .folder(folder.path))))
    var played = 0
    try await withLibrary([station], data: data) { relay in
      try await until(relay, has: 1)
      try await eventually("it was played") {
        let track = try await json(relay, "tracks")["tracks"]?.items.first
        return track?["plays"]?.integer ?? 0 > 1 && track?["lastPlayed"]?.string != nil
      }
      _ = try await ask(relay, "POST", "stations/night/stop")
      let key = try await json(relay, "tracks")["tracks"]?.items.first?["track"]?.string
      played = try await json(relay, "tracks/\(key ?? "")")["plays"]?.integer ?? 0
    }
    music("Five - Six.mp3", 5)
    try await withLibrary(data: data) { relay in
      try await until(relay, has: 2)
      try await eventually("it is known again") {
        let tracks = try await json(relay, "tracks?sort=lastPlayed")["tracks"]?.items ?? []
        return tracks.map { $0["title"]?.string } == ["Two", "Six"]
          && (tracks[0]["plays"]?.integer ?? 0) >= played
      }
      let last = try await json(relay, "tracks?sort=lastPlayed")["tracks"]?.items.last
      #expect(last?["plays"]?.integer == 0 && last?["lastPlayed"] == .null)
    }
  }

  @Test func `what is wrong with a question is said`() async throws {
    try await withLibrary { relay in
      let none = "0123456789abcdef0123456789abcdef"
      let cases: [(String, String, String?, Int, String)] = [
        ("GET", "tracks?q=year:x", nil, 400, "bad-parameter"),
        ("GET", "tracks?year=x", nil, 400, "bad-parameter"),
        ("GET", "tracks?sort=plays", nil, 400, "bad-parameter"),
        ("GET", "tracks?limit=1001", nil, 400, "bad-parameter"),
        ("GET", "tracks?after=x", nil, 400, "bad-parameter"),
        ("GET", "tracks?playable=2", nil, 400, "bad-parameter"),
        ("GET", "tracks?root=nas", nil, 404, "unknown-root"),
        ("GET", "tracks/\(none)", nil, 404, "unknown-track"),
        ("GET", "tracks/\(none)/audio", nil, 404, "unknown-track"),
        ("GET", "folders?path=/etc", nil, 404, "unknown-root"),
        ("GET", "folders?path=\(folder.path)/../x", nil, 404, "unknown-root"),
        ("GET", "albums?after=x", nil, 400, "bad-parameter"),
        ("GET", "library/problems?root=nas", nil, 404, "unknown-root"),
        ("POST", "library/scan", "{\"root\":\"nas\"}", 404, "unknown-root"),
        ("POST", "library/scan", "{\"rot\":1}", 400, "bad-field"),
        ("PATCH", "tracks/\(none)", "{\"gain\":71}", 400, "bad-field"),
        ("PATCH", "tracks/\(none)", "{\"cueIn\":-1}", 400, "bad-field"),
        ("PATCH", "tracks/\(none)", "{\"cueOut\":\"1:00\"}", 400, "bad-field"),
        ("PATCH", "tracks/\(none)", "{\"cueIn\":1}", 404, "unknown-track"),
        ("PATCH", "tracks/\(none)", "{\"excluded\":true}", 404, "unknown-track"),
      ]
      for (method, path, body, status, code) in cases {
        let answer = try await ask(relay, method, path, body)
        #expect(answer.status == status, "\(method) \(path): \(answer.text)")
        #expect(JSON.parse(answer.body)?["error"]?["code"]?.string == code, "\(method) \(path)")
      }
      #expect(try await relay.get("/api/v1/tracks").status == 401)
    }
  }
}
