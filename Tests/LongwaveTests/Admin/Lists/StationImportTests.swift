import Foundation
import Ingest
import Programmes
import Reactor
import Server
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAdmin
@testable import Settings

@Suite struct StationImportTests {
  private func candidates(_ text: String, name: String = "x") throws -> [StationCandidate] {
    try StationCandidate.read(Array(text.utf8), name: name)
  }

  private func steps(
    _ text: String, beside existing: [StationDefinition] = [], updating: Bool = false
  ) throws -> [StationImport.Step] {
    var plan = StationImport(existing: existing, isUpdating: updating)
    return try candidates(text).map { plan.step(for: $0) }
  }

  private func station(_ id: String, _ name: String?, _ urls: String...) -> StationDefinition {
    StationDefinition(id: id, name: name, upstream: urls)
  }

  @Test(arguments: [
    ("Österreich 1", "osterreich-1"), ("Радио Шансон", "radio-sanson"), ("Łódź – ß", "lodz-ss"),
    ("Ελλάδα 94.3", "ellada-94.3"), ("🎵 Rock'n'Roll!", "rocknroll"), ("Stream", "stream-radio"),
    ("API", "api-radio"), ("list.m3u", "list.m3u-radio"), ("???", nil),
    (
      String(repeating: "long ", count: 40),
      String(String(repeating: "long-", count: 13).prefix(64))
    ),
  ])
  func `an id is made from a name`(name: String, id: String?) {
    #expect(StationNaming.id(fromName: name) == id)
  }

  @Test func `header lines that Kodi's lists write behind an address are the station's`() throws {
    let text =
      "#EXTM3U\n#EXTINF:-1,Jazz\nhttp://h/a|User-Agent=VLC/3.0&Referer=http%3A//h/&seekable=0\n"
    let definition = try #require(try candidates(text, name: "x.m3u").first).definition
    #expect(definition.upstream == ["http://h/a"] && definition.userAgent == "VLC/3.0")
    #expect(definition.connection.requestHeaders == ["Referer: http://h/"])
  }

  @Test func `header lines of a list update a station, and a list without any leaves them`() throws
  {
    let with = "#EXTM3U\n#EXTINF:-1,Jazz\nhttp://h/a|User-Agent=VLC/3.0&Referer=http%3A//h/\n"
    let without = "#EXTM3U\n#EXTINF:-1,Jazz\nhttp://h/a\n"
    var jazz = station("jazz", "Jazz", "http://h/a")
    #expect(
      try steps(with, beside: [jazz], updating: true) == [
        .update("jazz", ["userAgent": "VLC/3.0", "requestHeaders": ["Referer: http://h/"]])
      ])
    jazz.userAgent = "VLC/3.0"
    jazz.connection.requestHeaders = ["Referer: http://h/"]
    for list in [with, without] {
      #expect(
        try steps(list, beside: [jazz], updating: true)
          == [.keep("jazz", reason: "is there already")])
    }
  }

  @Test func `ids that are taken get a number`() {
    var naming = StationNaming(taken: ["jazz", "jazz-2"])
    let ids = (0..<3).map { naming.reserveID(name: "Jazz", url: "http://\($0)/") }
    #expect(ids == ["jazz-3", "jazz-4", "jazz-5"])
    let long = String(repeating: "x", count: 64)
    let first = naming.reserveID(name: long, url: "http://a/")
    let second = naming.reserveID(name: long, url: "http://a/")
    #expect(first == long && second == String(long.dropLast(2)) + "-2")
    #expect(naming.reserveID(name: nil, url: "http://www.rock.example.org/") == "rock.example")
  }

  @Test func `neighbours of one name are one station with fallbacks`() throws {
    let text = """
      [playlist]
      File1=http://a/
      Title1=(#1 - 12/500) All Jazz
      File2=http://b/
      Title2=(#2 - 3/500) All Jazz
      File3=http://a/
      Title3=All Jazz
      File4=http://c/
      Title4=Rock
      File5=http://d/
      """
    #expect(
      try steps(text) == [
        .add(station("all-jazz", "All Jazz", "http://a/", "http://b/")),
        .add(station("rock", "Rock", "http://c/")), .add(station("d", nil, "http://d/")),
      ])
  }

  @Test func `stations that are there already stay, unless an import is to update them`() throws {
    var jazz = station("jazz", "Jazz", "http://a/")
    jazz.window = 60
    let there = [
      jazz, station("mine", "Another name", "http://b/"), station("rock", nil, "http://c/"),
    ]
    let text = """
      #EXTM3U
      #EXTINF:-1 tvg-logo="http://p/",Jazz
      http://new/
      #EXTINF:-1,B
      http://b/
      #EXTINF:-1,Rock
      http://c/
      #EXTINF:-1,Rock again
      http://c/
      """
    let different = "is there already, and different; --update changes it"
    #expect(
      try steps(text, beside: there) == [
        .keep("jazz", reason: different), .keep("mine", reason: different),
        .keep("rock", reason: different), .keep("rock", reason: "twice in the list"),
      ])
    #expect(
      try steps(text, beside: there, updating: true).prefix(3) == [
        .update("jazz", ["artwork": "http://p/", "upstream": ["http://new/"]]),
        .update("mine", ["name": "B"]), .update("rock", ["name": "Rock"]),
      ])
  }

  @Test func `a listed station is not taken for another one of its id`() throws {
    let there = [station("jazz", "Jazz of the North", "http://north/")]
    #expect(
      try steps("#EXTM3U\n#EXTINF:-1,Jazz\nhttp://a/\n", beside: there)
        == [.add(station("jazz-2", "Jazz", "http://a/"))])
  }

  @Test func `a fallback that many stations have does not make them one`() throws {
    let there = [station("jazz", "Jazz", "http://a/", "http://off/")]
    let text = """
      #EXTM3U
      #EXTINF:-1,Rock
      http://b/
      #EXTINF:-1,Rock
      http://off/
      #EXTINF:-1,Folk
      http://c/
      #EXTINF:-1,Folk
      http://off/
      #EXTINF:-1,Off air
      http://off/
      """
    #expect(
      try steps(text, beside: there, updating: true) == [
        .add(station("rock", "Rock", "http://b/", "http://off/")),
        .add(station("folk", "Folk", "http://c/", "http://off/")),
        .add(station("off-air", "Off air", "http://off/")),
      ])
  }

  @Test func `a station is known by a fallback under its own name`() throws {
    let there = [station("mine", "Jazz", "http://a/", "http://b/")]
    let text = "#EXTM3U\n#EXTINF:-1,JAZZ\nhttp://b/\n"
    #expect(
      try steps(text, beside: there, updating: true)
        == [.update("mine", ["name": "JAZZ", "upstream": ["http://b/"]])])
  }

  @Test func `a list that is imported again changes nothing`() throws {
    let text = "#EXTM3U\n#EXTINF:-1,Jazz!\nhttp://a/\n#EXTINF:-1,Jazz?\nhttp://b/\nhttp://c/\n"
    let added = try steps(text).compactMap { step in
      if case .add(let station) = step { station } else { nil }
    }
    #expect(added.map(\.id) == ["jazz", "jazz-2", "c"])
    let again = try steps(text, beside: added, updating: true)
    #expect(again == added.map { .keep($0.id, reason: "is there already") })
  }

  @Test func `stations that cannot be pulled are refused, and bad pictures left out`() throws {
    let text = "#EXTM3U\n#EXTINF:-1,A\nrtsp://a/x\n#EXTINF:-1,B\n#EXTIMG:front cover\nhttp://b/\n"
    let candidates = try candidates(text)
    let problem = "\"rtsp://a/x\" is not a URL that begins with http:// or https://"
    #expect(candidates.map(\.problem) == [problem, nil])
    #expect(candidates[1].notes == ["artwork left out: not a web URL"])
    #expect(try steps(text).first == .refuse(problem))
  }

  @Test func `a list saved as Unicode by Windows is read`() throws {
    let text = "[playlist]\r\nFile1=http://a/\r\nTitle1=Жаз\r\n"
    let words = text.utf16.map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let bytes: [UInt8] = [0xFF, 0xFE] + words.joined()
    #expect(try StationCandidate.read(bytes, name: "x.pls").map(\.label) == ["Жаз"])
  }

  @Test
  func `a list that ends in the middle of an address is told by line, and nothing of it is taken`()
  {
    let text =
      "<opml>\n<body>\n<outline text='A' URL='http://a/'/>\n<outline text='B' URL='http://b.exa"
    let error = #expect(throws: ConfigurationError.self) { try candidates(text, name: "my.opml") }
    #expect(
      error?.description
        == "my.opml:4: ends inside <body> of line 2; it is cut off: take a whole copy")
  }

  @Test func `mistakes in YAML are told by line, and nothing of it is taken`() {
    let text = "stations:\n  - id: jazz\n    upstream: [ftp://a/]\n  - id: Rock\n    upstrem: x\n"
    #expect {
      try candidates(text, name: "my.yml")
    } throws: { error in
      let lines = (error as? ConfigurationError)?.problems.map { "\($0)" } ?? []
      return lines.contains { $0.hasPrefix("my.yml:3: stations[0].upstream: ") }
        && lines.contains { $0.contains("did you mean upstream?") }
    }
  }
}

@Suite struct StationExportTests {
  private var stations: [StationDefinition] {
    get throws {
      var full = StationDefinition(
        id: "jazz", name: "No: \"all\" # Jazz\u{85}", upstream: ["https://u:p@a/x?b=1#c", "push:"])
      full.description = "- a list? {no}"
      full.genre = "yes"
      full.homepage = "https://h.example/?q=a%20b"
      full.artwork = "https://h.example/i.png"
      full.isPublic = true
      full.mounts = ["/stream.mp3", "/Live"]
      full.window = 5400
      full.burst = 2.5
      full.behind = .skip
      full.lagMax = 30
      full.pauseTimeout = 0
      full.stepsDown = true
      full.metaint = 8192
      full.userAgent = "Player 1.0"
      full.connection.requestHeaders = ["Referer: https://h.example/", "X: y"]
      full.connection.asksForTitles = false
      full.connection.proxy = "socks5h://127.0.0.1:1080"
      full.connection.verifyTLS = false
      full.connection.caFile = "/etc/ca.pem"
      full.connection.connectTimeout = 1.25
      full.access.allow = [try #require(AddressRange("10.0.0.0/8"))]
      full.access.deny = [try #require(AddressRange("10.1.2.3"))]
      full.access.denyAgents = [Glob("Bad*")]
      var auth = AuthSettings()
      auth.tokens = ["first:#token", "other-token"]
      auth.passwordFile = "/etc/longwave/users"
      auth.addURL = "https://h.example/add?a=b"
      full.auth = auth
      full.type = .mp3
      full.connection.dataTimeout = 20
      full.connection.prebuffer = 2.5
      full.connection.allowsPrivate = true
      full.listenersMax = 10
      full.listeningTimeMax = 86_400
      full.onDemand = true
      (full.shift, full.offsetMax, full.clip) = (true, 7200, false)
      full.hls = .on(HLSRule.Keys(segment: 4, window: 7200))
      full.runOn = 12
      full.fallback = .station("007")
      full.fallbackAfter = 4.5
      var show = Show()
      (show.name, show.text, show.picture) = ("Late: #1", "- a list?", "https://h.example/s.png")
      show.times = WeeklyTimes(days: [.mon, .sun], from: 79_200, to: 3600)
      show.recording = RecordingRule(from: 0, to: 0)
      show.recording?.keep.count = 3
      full.shows = [show]
      full.sound.levels = .always
      var silence = SoundRules.Silence()
      (silence.below, silence.hold, silence.startsFallback) = (-45.5, 20, true)
      full.sound.silence = silence
      var loudness = SoundRules.Loudness()
      (loudness.below, loudness.above, loudness.hold) = (-18.5, -9.25, 12.5)
      full.sound.loudness = loudness
      full.sound.clipping = SoundRules.Clipping()
      full.sourcePassword = "secret:#password"
      full.encoding = .detect([try CharsetName("windows-1251"), try CharsetName("koi8-r")])
      full.titlePatterns = [try TitlePattern("{artist} - {title}")]
      full.titleShift = -2.5
      full.metadata = metadata
      full.timeZone = ZoneOffsets("America/New_York")
      var rule = RecordingRule(from: 64_800, to: 5400)
      full.record = [rule]
      rule.times.days = [.mon, .sun]
      (rule.name, rule.splits, rule.overlap, rule.appends) = ("{station}: {title}", true, 1.5, true)
      rule.bytesMax = 123_456_789
      rule.keep = RecordingKeep(seconds: 30 * 86_400, count: 7)
      full.record.append(rule)
      return [full, StationDefinition(id: "007", name: "true", upstream: ["http://b/"])]
    }
  }

  private var metadata: MetadataSettings {
    var metadata = MetadataSettings(url: "https://h.example/now?a=b")
    metadata.page.kind = .json
    metadata.page.paths.title = "now.song.title"
    metadata.page.paths.artist = "now.song.@artist"
    metadata.page.paths.artwork = "now.art"
    metadata.interval = 12.5
    metadata.timeout = 2
    metadata.charset = try? CharsetName("koi8-r")
    metadata.isInstead = false
    return metadata
  }

  @Test func `stations in YAML are the same when they are read again, to the last key`() throws {
    let later = StationDefinition(id: "jazz-west", source: .copy(of: "jazz", delay: 3600))
    let shows = StationDefinition(
      id: "shows", source: .files("/srv/shows #1", throttleBypass: 12.5))
    // Read again, it runs in the folder of the file.
    let call = ProgramCall(
      ["play", "-", "a b", "c: d"], in: FileManager.default.currentDirectoryPath)
    var studio = StationDefinition(id: "studio", source: .command(call))
    studio.isListed = false
    var encode = PCMEncoding()
    (encode.bitrate, encode.sampleRate, encode.isMono) = (64, 22_050, true)
    (encode.raw, encode.rawRate, encode.rawChannels) = (.f32le, 96_000, 1)
    studio.encode = encode
    var small = StationDefinition(id: "small", source: .rendition(of: "studio"))
    var made = PCMEncoding()
    (made.bitrate, made.mode, made.loudness) = (96, .stereo, -18.5)
    small.encode = made
    let rules = PlayRules(
      .play(.folder("/srv/music #1")), order: .shuffle,
      inserts: [InsertRule(.folder("/srv/jingles"), .everyTracks(4))])
    let night = StationDefinition(
      id: "night", source: .programme(Programme(rules, seed: 7, titleFormat: "{title}: {album}")))
    let stations = try stations + [later, shows, studio, small, night]
    let yaml = StationExport(stations, as: .yaml)
    #expect(yaml.hasSecrets && yaml.leftOut.isEmpty)
    let read = try StationsYAML.read(Array(yaml.text.utf8), name: "x.yml")
    #expect(read == stations, "\(yaml.text)")
    // And they are what a configuration takes.
    #expect(try Configuration.parse(yaml: yaml.text, file: "x.yml").stations == stations)
    // Every key there is was in it: a new one must be written here too.
    // Entries of renditions are stations like any other when they are read.
    let keys = ConfigurationKeys.station.filter {
      $0 != "renditions" && !yaml.text.contains(" \($0):")
    }
    #expect(keys.isEmpty, "not tried: \(keys)")
  }

  @Test func `an export of no stations is an empty list`() throws {
    #expect(StationExport([], as: .yaml).text == "stations: []\n")
    #expect(try StationsYAML.read(Array("stations: []\n".utf8), name: "")?.isEmpty == true)
  }

  @Test func `stations that only sources push have no place in a playlist`() throws {
    let pushed = StationDefinition(id: "live", upstream: ["push:"])
    let list = StationExport(try stations + [pushed], as: .m3u)
    #expect(list.leftOut == ["live (push:)"] && !list.text.contains("push"))
    #expect(list.text.contains("\r\nhttps://u:p@a/x?b=1#c\r\n"))
  }
}
