import Foundation
import Library
import Store
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAdmin
@testable import Settings

@Suite struct ConfigurationReportTests {
  private func report(_ yaml: String, openFiles: Int = 20_000) throws -> [String] {
    let configuration = try Configuration.parse(yaml: yaml, file: "c.yml")
    return ConfigurationReport(configuration, data: "/d", openFiles: openFiles).lines
  }

  @Test func `a report tells what would run with its disk and its limits`() throws {
    let lines = try report(
      """
      server: {listen: ["127.0.0.1:8000", "[::1]:8001"], max-listeners: 1000}
      timeshift: {window: 1h}
      stations:
        - {id: jazz, name: Jazz, upstream: ["http://u:p@a/x?key=1", "http://b/"]}
        - {id: rock, upstream: http://c/, window: 2h}
      """)
    // 3 h at 16 kB/s, and 2 % for the indexes.
    #expect(
      lines == [
        "listen     127.0.0.1:8000, [::1]:8001", "data       /d",
        "window     1h per station", "disk       176 MB needed at 128 kbit/s, 20 GB allowed",
        "listeners  1000 at once (open files: 20000)", "admin      Unix socket only",
        "stations   2", "  /jazz  Jazz  from http://a/x, http://b/",
        "  /rock  rock  from http://c/, window 2h",
      ])
  }

  @Test func `a public address with a path is told to have no pages`() throws {
    func file(_ path: String) -> String {
      """
      server: {public-url: "https://radio.example\(path)"}
      stations:
        - {id: jazz, upstream: http://a/}
      """
    }
    #expect(
      try report(file("/radio")).last
        == "  server.public-url  https://radio.example/radio has a path: players find streams and playlists "
        + "there, browsers no pages; give the relay a name of its own")
    #expect(try report(file("/")) == report(file("")))
  }

  @Test func `keys that change nothing are told`() throws {
    let lines = try report(
      """
      stations:
        - {id: jazz, upstream: http://a/, step-down: true}
        - {id: rock, upstream: http://b/, step-down: true, renditions: [64]}
        - {id: folk, upstream: http://c/, renditions: [{bitrate: 64, mode: stereo, mono: true}]}
      """)
    #expect(
      lines.suffix(2) == [
        "  /jazz  step-down: true has no effect without renditions; write renditions: [64], or add one "
          + "by command",
        "  /folk-64  mode: stereo has no effect beside mono: true; leave one of them out",
      ])
  }

  @Test func `a window of which HLS lists a part is told`() throws {
    func remarks(_ text: String) throws -> [String] {
      try report(text).filter { $0.contains("HLS") }
    }
    let lines = try remarks(
      """
      timeshift: {window: 48h}
      stations:
        - {id: jazz, upstream: http://a/, window: 30h, renditions: [64]}
        - {id: rock, upstream: http://b/, window: 400h, hls: {segment: 4}}
        - {id: folk, upstream: http://c/}
        - {id: soul, upstream: http://d/, window: 30h, hls: false}
        - {id: news, upstream: http://e/, window: 30h, hls: {window: 24h}}
      """)
    let reason = "is more than HLS playlists list, 24h (players reach the rest by ?at=); write"
    #expect(
      lines == [
        "  /jazz  window: 1d6h \(reason) hls: {window: 1d6h} for more, or 24h",
        "  /rock  window: 16d16h \(reason) hls: {window: 7d} for more, or 24h",
        "  timeshift.window  2d \(reason) listeners: hls: {window: 2d} for more, or 24h",
      ])
    #expect(
      try remarks(
        """
        timeshift: {window: 48h}
        listeners: {hls: {window: 12h}}
        stations: [{id: folk, upstream: http://c/}]
        """
      ).isEmpty)
    #expect(try remarks("stations: [{id: folk, upstream: http://c/}]").isEmpty)
  }

  @Test func `hls of a station of files is told to have no effect`() throws {
    func remarks(_ keys: String) throws -> [String] {
      try report("stations: [{id: tales, files: /srv/tales\(keys)}]").filter { $0.contains("HLS") }
    }
    let told =
      "  /tales  hls: has no effect, as stations of files have no HLS; leave it out (players load "
      + "parts of files by themselves, at each file's own address)"
    for keys in ["hls: true", "hls: {segment: 4}", "hls: {window: 30h}"] {
      #expect(try remarks(", \(keys)") == [told], "\(keys)")
    }
    // This is what it is anyway.
    for keys in ["", ", hls: false"] { #expect(try remarks(keys).isEmpty, "\(keys)") }
  }

  @Test func `what shows record for nobody is told`() throws {
    func lines(_ keys: String, _ listeners: String = "") throws -> [String] {
      try report(
        """
        listeners: {\(listeners)}
        stations:
          - {id: jazz, upstream: http://a/, \(keys)shows: [{name: x, from: "18:00", to: "19:00", record: true}]}
        """
      ).filter { $0.contains("shift: false keeps from listeners what shows record") }
    }
    #expect(try lines("shift: false, ").count == 1)
    #expect(try lines("", "shift: false").first?.hasPrefix("  /jazz  ") == true)
    #expect(try lines("shift: true, ", "shift: false") == [])
    #expect(try lines("") == [])
  }

  @Test func `a fallback that has one of its own is told, since that does not count`() throws {
    let lines = try report(
      """
      stations:
        - {id: live, upstream: http://a/, fallback: "station:autodj"}
        - {id: autodj, upstream: http://b/, fallback: "station:backup"}
        - {id: backup, upstream: http://c/}
      """)
    let words = "/live  fallback: listeners of live get station:autodj, but not its own fallback"
    #expect(lines.count { $0.contains("not its own fallback") } == 1)
    #expect(lines.last?.contains(words + " station:backup: while") == true, "\(lines)")
  }

  @Test func `a list of bit rates is a list of renditions`() throws {
    func stations(_ text: String) throws -> [StationDefinition] {
      let yaml = "stations:\n  - {id: jazz, upstream: http://a/, renditions: \(text)}\n"
      return try Configuration.parse(yaml: yaml, file: "c.yml").stations
    }
    let short = try stations("[64, 32]")
    #expect(short.map(\.id) == ["jazz", "jazz-64", "jazz-32"])
    #expect(short.map { $0.encode?.bitrate } == [nil, 64, 32])
    #expect(try stations("[{bitrate: 64}, {bitrate: 32}]") == short)
    #expect(try stations("[{id: 64, bitrate: 64}, {id: 32, bitrate: 32}]") == short)
    #expect(try stations("64") == Array(short.prefix(2)))
  }

  @Test func `scheduled recordings are told with how much of them stays`() throws {
    let lines = try report(
      """
      recordings: {disk-limit: 1GB}
      stations:
        - id: jazz
          upstream: http://a/
          record:
            - {days: weekdays, from: 18:00, to: 20:00, keep: 14d}
            - {from: 23:00, to: 01:00, keep: 30d, keep-count: 4}
            - {from: 0:00, to: 12:00, keep-count: 1, max-size: 50MB}
            - weekends 06:00-08:00
      """)
    // 2 h at 16 kB/s are 115.2 MB: 10 and 4 of them, with the two that are being recorded; and twice 50 MB.
    #expect(lines.contains("recordings 1.9 GB needed at 128 kbit/s, 1 GB allowed"))
    #expect(
      lines.contains(
        "           and 230 MB more every week, which nothing deletes: write keep:"))
    #expect(
      lines.contains("           less than needed: recordings end before their time"))
  }

  @Test func `recordings kept for ever need no room at once, and more every week`() throws {
    let lines = try report(
      "stations: [{id: a, upstream: http://a/, record: [{from: 0:00, to: 1:00}]}]")
    let place = try #require(lines.firstIndex { $0.hasPrefix("recordings") })
    #expect(
      lines[place...(place + 1)] == [
        "recordings 403 MB more every week, which nothing deletes: write keep:",
        "           at 128 kbit/s, 20 GB allowed",
      ])
  }

  @Test func `windows and recordings on one disk need their parts of it, on two each its own`()
    throws
  {
    let yaml =
      "stations: [{id: a, upstream: http://a/, record: [{from: 0:00, to: 1:00, keep-count: 1}]}]"
    let configuration = try Configuration.parse(yaml: yaml, file: "c.yml")
    // 4 h are 235 MB with their index; 2 h of recordings are 115 MB.
    func lines(_ free: UInt64, _ volume: UInt64, used: UInt64 = 0) -> [String] {
      let data = MachineFacts.Folder(path: "/d", bytesFree: free, volume: 1)
      let other = MachineFacts.Folder(
        path: "/d/recordings", bytesFree: free, bytesUsed: used, volume: volume)
      return ConfigurationReport(
        configuration, data: "/d", openFiles: 20_000, folders: .init(data: data, recordings: other)
      ).freeLines
    }
    #expect(lines(400_000_000, 1) == ["free       400 MB"])
    #expect(lines(300_000_000, 1) == ["free       300 MB", "           50 MB too little"])
    #expect(lines(300_000_000, 1, used: 100_000_000) == ["free       300 MB"])
    #expect(
      lines(300_000_000, 2) == ["free       300 MB for the windows, 300 MB for recordings"])
    #expect(lines(100_000_000, 2).last == "           150 MB too little")
  }

  @Test func `a port for sources is told, and whether there is anybody to take them`() throws {
    let server = "server: {shoutcast-listen: \"127.0.0.1:8001\"}\n"
    let push = "stations: [{id: a, upstream: push, source-password: 12345678}]\n"
    let line = "sources    127.0.0.1:8001 (SHOUTcast 1)"
    let advice = "           no station takes them: write push: among a station's upstreams"
    #expect(try report(server + push).contains(line))
    #expect(try !report(server + push).contains(advice))
    #expect(try report(server).contains(advice))
    #expect(try !report(push).contains { $0.hasPrefix("sources") })
  }

  @Test func `limits that will be met are told`() throws {
    let lines = try report(
      """
      server: {max-listeners: 100000}
      timeshift: {window: 10d, disk-limit: 1GB}
      admin: {token: 12345678}
      stations: [{id: a, upstream: http://a/}]
      """, openFiles: 4096)
    #expect(lines.contains("           less than needed: the oldest is given up first"))
    #expect(lines.contains("listeners  3383 at once (open files: 4096)"))
    #expect(
      lines.contains(
        "           100000 are configured: raise the limit on open files (ulimit -n)"))
    #expect(lines.contains("admin      Unix socket, and TCP with the token"))
    // A number that nobody wrote is no promise.
    #expect(try !report("admin: {}", openFiles: 4096).contains { $0.contains("are configured") })
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1540, "1.5 kB"), (57_600_000, "58 MB"),
    (9_960_000, "10 MB"), (2e10, "20 GB"), (3.2e15, "3200 TB"),
  ])
  func `bytes are told in two figures or so`(count: Double, text: String) {
    #expect(HumanText.bytes(count) == text)
  }

  @Test(arguments: [(0, "0s"), (4.04, "4s"), (4.16, "4.2s"), (59.7, "1m"), (5400.2, "1h30m")])
  func `durations are told in what they are written in`(seconds: Double, text: String) {
    #expect(HumanText.duration(seconds) == text)
  }

  @Test(arguments: [
    ("brust", "burst"), ("user_agent", "user-agent"), ("pauseTimeout", "pause-timeout"),
    ("metint", "metaint"),
  ])
  func `a slip of the pen is recognised`(key: String, meant: String) {
    let known = ConfigurationKeys.station + ConfigurationKeys.upstream
    #expect(KeySuggestion.nearest(to: key, among: known) == meant)
  }

  @Test(arguments: ["preroll", "", "xyz"])
  func `a word far from any key is not taken for a slip`(key: String) {
    #expect(KeySuggestion.nearest(to: key, among: ConfigurationKeys.station) == nil)
  }
}

@Suite struct SingleStationTests {
  @Test func `a URL is enough for a station`() throws {
    let station = try #require(
      try Configuration.relaying("http://x.example/Jazz.mp3").stations.first)
    #expect(station == StationDefinition(id: "jazz", upstream: ["http://x.example/Jazz.mp3"]))
    #expect(try Configuration.relaying("http://x/", id: "own").stations.first?.id == "own")
  }

  @Test func `a text that is no URL, id or address is refused in one line`() {
    #expect(throws: RelayError.self) { try Configuration.relaying("jazz") }
    #expect(throws: RelayError.self) { try Configuration.relaying("http://x/", id: "api") }
    #expect(throws: RelayError.self) { try RelayOptions(data: nil, listen: ["8000"]) }
  }
}

@Suite struct MusicForecastTests {
  @Test func `a check says what a programme plays, what is made to fit, and what is left out`()
    async throws
  {
    let (music, data) = (TemporaryDirectory(), TemporaryDirectory())
    try FileManager.default.createDirectory(
      atPath: music.file("sub"), withIntermediateDirectories: false)
    music.write("a.mp3", NumberedFrames.stream(0..<500))
    music.write("sub/b.flac", try ToneFile(["-c:a", "flac"], "flac", 44_100, 2).bytes(seconds: 90))
    music.write("sub/c.mp3", Array("<html>".utf8))
    for name in ["a.mp3", "sub/b.flac", "sub/c.mp3"] { music.age(name) }
    let yaml = """
      stations:
        - id: night
          programme: {play: "folder:\(music.path)", insert: {play: "folder:\(music.path)/sub", every: 4 tracks}}
        - {id: aac, programme: {play: "folder:\(music.path)", format: {codec: aac}}}
        - {id: none, programme: "folder:\(music.path)/none"}
      """
    let configuration = try Configuration.parse(yaml: yaml, file: "c.yml")
    let report = try await ConfigurationReport.checking(configuration, data: data.path)
    let lines = report.lines.filter { $0.contains("  programme: ") }
    #expect(lines.count >= 2)
    #expect(
      lines.first?.contains(
        "/night  programme: plays 2 tracks, 1m43s: 1 as they are, 1 made to fit (2s of a processor, "
          + "2.2 MB), 1 left out: \(music.file("sub/c.mp3")) has no audio of a known format")
        == true,
      "\(lines)")
    #expect(lines[1].contains("/aac  programme: plays 0 tracks"), "\(lines)")
    #expect(lines[1].contains("3 left out: \(music.file("a.mp3")) is of another format"))
    guard case .array(let told)? = report.json["programmes"] else {
      Issue.record("programs are told nothing of programmes")
      return
    }
    #expect(told.count == 2 && told[0]["made"] == .integer(1))
    // What people said of tracks counts, whether a relay runs or not.
    let store = try await StationStore.open(data.file("longwave.db"))
    let keys = MusicScan(music.path, tags: nil).look().folder.files.map(\.key)
    try await store.keep(TrackNote(isExcluded: true), of: keys[0])
    try await store.keep(TrackNote(cueIn: 10, cueOut: 40), of: keys[1])
    for isOpen in [true, false] {
      if !isOpen { await store.close() }
      let names = Set(data.names)
      let forecast = try #require(configuration.musicForecasts(data: data.path).first)
      #expect(forecast.tracks == 1 && forecast.seconds == 30 && forecast.madeSeconds > 80)
      #expect(forecast.left == 2 && Set(data.names) == names)
    }
    let late = configuration.musicForecasts(data: data.path, within: 0)
    #expect(late.map(\.isWhole) == [false, false])
  }
}

@Suite struct ConfigurationJSONTests {
  @Test func `a report for programs is an object`() throws {
    let yaml = "stations: [{id: jazz, name: Jazz, upstream: \"http://u:p@a/x?key=1\", window: 1h}]"
    let configuration = try Configuration.parse(yaml: yaml, file: "c.yml")
    let json = ConfigurationReport(configuration, data: "/d", openFiles: 20_000).json
    #expect(json["problems"] == [] && json["disk"]?["needed"] == .integer(58_752_000))
    #expect(
      json["stations"] == [
        [
          "id": "jazz", "name": "Jazz", "upstream": ["http://a/x"], "window": .number(3600),
          "fallback": nil,
        ]
      ])
  }

  @Test func `mistakes are told for programs too`() {
    #expect {
      try Configuration.parse(yaml: "listeners:\n  brust: 4s\n", file: "c.yml")
    } throws: { error in
      let problem = (error as? ConfigurationError)?.json["problems"]
      guard case .array(let items)? = problem, items.count == 1 else { return false }
      return items[0]["file"] == "c.yml" && items[0]["line"] == .integer(2)
        && items[0]["key"] == "listeners.brust"
    }
  }
}
