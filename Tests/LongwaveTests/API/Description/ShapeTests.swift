import Ingest
import Reactor
import Testing
import Threads
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Programmes
@testable import Server
@testable import Timeshift

/// Values that every test of shapes begins with.
enum Sample {
  static var programme: ProgrammeSnapshot {
    var shown = ProgrammeSnapshot(
      station: "night", state: .playing, rules: PlayRules(.play(.folder("/srv/music"))), seed: 7,
      progress: .init(cycle: 12, left: 841, total: 1800), publishNext: 1)
    var item = ProgrammeItem(
      Planned(kind: .track, source: .folder("/srv/music"), why: .order, at: time.milliseconds))
    item.item = 118
    item.title = "Sinnerman"
    shown.now = item
    item.item = 119
    shown.upcoming = [item, item]
    shown.refusedCount = 1
    shown.refused = [.init(track: nil, path: "/srv/music/a.mp3", reason: "has no audio")]
    return shown
  }

  static var ban: BanRecord {
    BanRecord(
      id: 3, range: AddressRange("203.0.113.0/24")!, createdAt: time, until: nil,
      reason: "robots")
  }

  static var session: SessionSnapshot {
    SessionSnapshot(
      station: "jazz", state: .paused, position: 4180, offset: 12.5, oldest: time, live: time,
      canRewind: true, canForward: false)
  }

  static var recording: RecordingEntry {
    var entry = RecordingEntry(
      id: 4, options: .init(station: "jazz", name: "{station}"), startedAt: time.stored)
    entry.folder = "/recordings"
    entry.files = [.init(name: "jazz.mp3", bytes: 417, seconds: 0.026)]
    entry.fileCount = 1
    return entry
  }

  static let time = WallTime(nanoseconds: 1_795_197_600_123_000_000)

  static var station: StationSnapshot {
    var station = StationSnapshot(id: "jazz", sid: 1, name: "Jazz \"24\"", state: .playing)
    station.genre = "Jazz"
    station.auth = ["password"]
    station.upstream = .init(
      url: "http://user:secret@example.org/x?key=1", connectedSince: time, attempts: 2,
      bytes: 1_000_000, skipped: 417)
    station.format = ShownFormat(
      AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2), announced: .init())
    station.bitrate = 128
    station.window.oldest = time
    station.window.live = time.adding(seconds: 60)
    station.window.oldestPosition = 100
    station.window.livePosition = 960_100
    station.window.seconds = 60.0004
    station.window.bytes = 960_000
    station.window.secondsMax = 14_400
    station.window.bytesMax = 20_000_000_000
    station.window.onDisk = 970_000
    station.window.storage = .healthy
    station.listeners = .init(now: 3, peak: 5, total: 41, hls: 7)
    station.hls = .init(url: "/jazz/hls/live.m3u8", segment: 6, window: 14400)
    station.metadata = MetadataStatus(url: "http://example.org/now?key=1")
    station.metadata?.answers = 9
    station.metadata?.failures = 2
    station.fallback = .file("/srv/loop.mp3")
    station.nowPlaying = NowPlaying(
      TitleMark(
        position: 500, media: .zero,
        title: Title(text: "Nina Simone - Sinnerman", url: "https://x/y.jpg"), air: time))
    return station
  }

  static var listener: ListenerSnapshot {
    ListenerSnapshot(
      id: 7, station: "jazz", address: "192.0.2.7", user: "anna", player: "VLC",
      protocolName: "http/1.1", connectedAt: time, seconds: 12.3456, bytes: 200_000, offset: 4,
      lag: 0.1, state: .live,
      title: nil)
  }

  static var figures: RelayFigures {
    var server = ServerFigures()
    server.loops = 2
    server.listeners = 3
    server.listenersMax = 100
    server.bytesSent = 12_345
    var process = ProcessFigures()
    process.memory = 20_000_000
    process.cpuSeconds = 1.5
    var figures = RelayFigures(
      version: "1.0.0", startedAt: time, uptime: 90.5, stations: 1, listenersPeak: 5,
      listenersTotal: 41, logLinesLost: 7, wrongPasswords: 3, server: server, process: process)
    figures.threads = threads
    return figures
  }

  static var threads: ThreadFigures {
    var threads = ThreadFigures()
    threads.kinds = [.init(name: "ingest", count: 1), .init(name: "loop", count: 2)]
    threads.lanes = [.init(name: "passwords", busy: 2, limit: 2, waiting: 5)]
    return threads
  }
}

@Suite struct ShapeTests {
  @Test func `a station is exactly what the interface says`() {
    let expected = [
      #"{"id":"jazz","name":"Jazz \"24\"","description":null,"genre":"Jazz","homepage":null,"#,
      #""artwork":null,"auth":["password"],"listed":true,"state":"playing","stateReason":null,"#,
      #""pushed":false,"sid":1,"#,
      #""upstream":{"url":"http://example.org/x","command":null,"#,
      #""connectedSince":"2026-11-20T18:00:00.123Z","attempts":2,"bytes":1000000,"skipped":417},"#,
      #""format":{"codec":"mp3","mediaType":"audio/mpeg","bitrate":128,"sampleRate":44100,"#,
      #""channels":2},"window":{"oldest":"2026-11-20T18:00:00.123Z","#,
      #""live":"2026-11-20T18:01:00.123Z","oldestPosition":100,"livePosition":960100,"#,
      #""seconds":60,"bytes":960000,"secondsMax":14400,"bytesMax":20000000000,"onDisk":970000,"#,
      #""storage":"healthy"},"listeners":{"now":3,"peak":5,"total":41,"hls":7},"#,
      #""hls":{"url":"/jazz/hls/live.m3u8","reason":null,"segment":6,"window":14400,"listeners":7},"#,
      #""rights":{"shift":true,"offsetMax":null,"clip":true,"record":true},"#,
      #""renditionOf":null,"renditions":[],"beginsAt":null,"delay":null,"#,
      #""show":null,"nextShow":null,"#,
      #""metadata":{"url":"http://example.org/now","answers":9,"failures":2,"trouble":null},"#
        + #""fallback":"file","#,
      #""sound":{"state":"idle","reason":null,"channels":null,"loudness":null,"silent":null,"#
        + #""loudnessState":null},"#,
      #""nowPlaying":{"title":"Sinnerman","artist":"Nina Simone","url":"https://x/y.jpg","#,
      #""artwork":"https://x/y.jpg","since":"2026-11-20T18:00:00.123Z","#,
      #""position":500,"item":null,"kind":null},"programme":null}"#,
    ]
    #expect(Sample.station.json(identified: false).text == expected.joined())
  }

  @Test func `of a programme everybody reads what is public`() {
    let item =
      #""kind":"track","track":null,"title":"Sinnerman","artist":null,"album":null,"#
      + #""source":"folder","why":"order","rule":null,"seconds":null,"#
      + #""at":"2026-11-20T18:00:00.123Z","position":null,"join":"cut","made":false,"gain":null,"#
      + #""ready":"ready","relaxed":[]}"#
    let expected = [
      #"{"station":"night","state":"playing","play":"folder","order":"sequence","repeat":"all","#,
      #""seed":null,"join":"gapless","fade":4,"separate":{"artist":0,"title":0,"album":0},"#,
      #""loudness":null,"part":null,"live":null,"cycle":12,"left":841,"#,
      #""total":1800,"now":{"item":118,"# + item + #","upcoming":[{"item":119,"# + item,
      #"],"played":[],"format":null,"passThrough":null,"joinRefusal":null,"#
        + #""refused":{"count":1,"tracks":[]},"#,
      #""changed":[]}"#,
    ]
    #expect(Sample.programme.json(identified: false).text == expected.joined())
    let whole = Sample.programme.json(identified: true)
    #expect(whole["play"] == "folder:/srv/music")
    #expect(whole["refused"]?.text.contains("/srv/music/a.mp3") == true)
    #expect(Sample.programme.changedJSON.members.last?.key == "heardAfter")
  }

  @Test func `administrators see the query of an upstream, nobody the password`() {
    let url = Sample.station.json(identified: true)["upstream"]?["url"]
    #expect(url == "http://example.org/x?key=1")
  }

  @Test func `a station that nothing is known of has every key all the same`() {
    let station = StationSnapshot(id: "a", sid: 1, name: "a", state: .connecting)
    let expected = [
      #"{"id":"a","name":"a","description":null,"genre":null,"homepage":null,"artwork":null,"#,
      #""auth":[],"listed":true,"state":"connecting","stateReason":null,"pushed":false,"sid":1,"#,
      #""upstream":{"url":null,"command":null,"connectedSince":null,"attempts":0,"bytes":0,"skipped":0},"#,
      #""format":{"codec":null,"mediaType":null,"bitrate":null,"sampleRate":null,"#,
      #""channels":null},"window":{"oldest":null,"live":null,"oldestPosition":0,"#,
      #""livePosition":0,"seconds":0,"bytes":0,"secondsMax":0,"bytesMax":null,"onDisk":0,"#,
      #""storage":"memory-only"},"listeners":{"now":0,"peak":0,"total":0,"hls":0},"#,
      #""hls":{"url":null,"reason":null,"segment":0,"window":0,"listeners":0},"#,
      #""rights":{"shift":true,"offsetMax":null,"clip":true,"record":true},"#,
      #""renditionOf":null,"renditions":[],"beginsAt":null,"delay":null,"#,
      #""show":null,"nextShow":null,"#,
      #""metadata":null,"fallback":null,"#,
      #""sound":{"state":"idle","reason":null,"channels":null,"loudness":null,"silent":null,"#
        + #""loudnessState":null},"#,
      #""nowPlaying":{"title":null,"artist":null,"url":null,"artwork":null,"since":null,"#,
      #""position":null,"item":null,"kind":null},"programme":null}"#,
    ]
    #expect(station.json(identified: false).text == expected.joined())
  }

  @Test func `a listener is exactly what the interface says`() {
    let expected = [
      #"{"id":7,"station":"jazz","address":"192.0.2.7","user":"anna","player":"VLC","protocol":"http/1.1","#,
      #""connectedAt":"2026-11-20T18:00:00.123Z","seconds":12.346,"bytes":200000,"offset":4,"#,
      #""lag":0.1,"state":"live","session":null,"#,
      #""nowPlaying":{"title":null,"artist":null,"url":null,"artwork":null,"since":null,"#,
      #""position":null,"item":null,"kind":null}}"#,
    ]
    #expect(Sample.listener.json.text == expected.joined())
  }

  @Test func `an error names code, message and field`() {
    #expect(
      APIError.badField("burst", "no").json.text
        == #"{"error":{"code":"bad-field","message":"burst: no","field":"burst"}}"#)
    #expect(
      APIError(RelayError.unknownStation("x")).json.text
        == #"{"error":{"code":"unknown-station","message":"There is no station \"x\".","field":null}}"#
    )
  }

  @Test(
    arguments: [
      ("A - B", "A", "B"), ("A – B - C", "A – B", "C"), ("A-B", nil, "A-B"),
      (" - B", nil, " - B"), ("A - ", nil, "A - "), ("News", nil, "News"), ("", nil, nil),
    ] as [(String, String?, String?)])
  func `artist and song are taken apart`(text: String, artist: String?, title: String?) {
    let playing = NowPlaying(Title(text: text))
    #expect(playing.artist == artist)
    #expect(playing.title == title)
    #expect(playing.line == text && !playing.isApart)
  }

  @Test func `artist and song that came apart are one line with a dash`() {
    let parts = TitleParts(artist: "A", title: "B")
    let playing = NowPlaying(Title(text: "B by A", parts: parts))
    #expect(playing.line == "A - B" && playing.isApart)
    #expect(NowPlaying().line.isEmpty && !NowPlaying().isApart)
  }
}

@Suite struct MetricsTests {
  private static func text(of station: StationSnapshot) -> String {
    MetricsText([station], RelayMetrics(figures: Sample.figures), rows: []).text
  }

  private let text = Self.text(of: Sample.station)

  @Test(arguments: [
    "# HELP longwave_listeners Listeners now.\n# TYPE longwave_listeners gauge\n"
      + "longwave_listeners{station=\"jazz\"} 3\n",
    "# TYPE longwave_listeners_total counter\nlongwave_listeners_total{station=\"jazz\"} 41\n",
    "longwave_info{version=\"1.0.0\"} 1\n", "longwave_uptime_seconds 90.5\n",
    "longwave_station_state{station=\"jazz\",state=\"playing\"} 1\n",
    "longwave_window_seconds{station=\"jazz\"} 60\n",
    "# TYPE longwave_sent_bytes_total counter\nlongwave_sent_bytes_total 12345\n",
    "longwave_cpu_seconds_total 1.5\n", "longwave_log_lines_lost_total 7\n",
    "longwave_wrong_passwords_total 3\n", "longwave_named_threads{name=\"loop\"} 2\n",
    "longwave_lane_threads{lane=\"passwords\"} 2\n",
    "longwave_lane_threads_max{lane=\"passwords\"} 2\n",
    "longwave_lane_waiting{lane=\"passwords\"} 5\n",
  ])
  func `a metric stands under its help and type`(lines: String) {
    #expect(text.contains(lines))
  }

  @Test func `every line is a comment or one sample, and no name is declared twice`() {
    var declared: Set<Substring> = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE") {
        #expect(declared.insert(words[2]).inserted)
        let isCounter = words[3] == "counter"
        #expect(isCounter == words[2].hasSuffix("_total"))
      } else if !line.hasPrefix("#") {
        #expect(words.count == 2)
        #expect(Double(words[1]) != nil)
      }
    }
    #expect(text.hasSuffix("\n"))
    #expect(declared.count > 20)
  }

  @Test func `a rendition's metrics count no bytes as received from an upstream`() {
    var rendition = Sample.station
    rendition.renditionOf = "jazz"
    #expect(text.contains("longwave_upstream_received_bytes_total{station=\"jazz\"}"))
    #expect(!Self.text(of: rendition).contains("longwave_upstream_received_bytes_total{"))
  }

  @Test func `a station has a sample for each state, 1 for its own only`() {
    for state in StationState.allCases {
      let value = state == .playing ? 1 : 0
      #expect(
        text.contains("longwave_station_state{station=\"jazz\",state=\"\(state)\"} \(value)\n"))
    }
  }

  @Test func `a label is escaped`() {
    var station = Sample.station
    station.id = "a\"b\\c\nd"
    let text = Self.text(of: station)
    #expect(text.contains(#"longwave_listeners{station="a\"b\\c\nd"} 3"#))
    // A String has one character where a mark stands behind a quotation mark, and where LF stands behind CR.
    station.id = "a\"\u{301}b\\\u{301}c\r\nd"
    let marked = Self.text(of: station)
    #expect(
      marked.unicodeScalars.contains(
        "longwave_listeners{station=\"a\\\"\u{301}b\\\\\u{301}c\r\\nd\"} 3".unicodeScalars))
  }
}
