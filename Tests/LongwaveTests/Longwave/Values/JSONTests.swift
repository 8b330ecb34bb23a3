import Ingest
import Server
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Settings

@Suite struct JSONTests {
  @Test(arguments: [
    (0, "0"), (4, "4"), (0.5, "0.5"), (-1.25, "-1.25"), (1.23456, "1.235"), (0.0004, "0"),
    (-0.0004, "0"), (12.340, "12.34"), (1e12, "1000000000000"), (0.001, "0.001"),
    (.infinity, "null"), (.nan, "null"),
  ])
  func `a duration has at most three decimals`(value: Double, text: String) {
    #expect(JSON.number(value).text == text)
  }

  @Test func `text is escaped where JSON and event lines need it`() {
    #expect(
      JSON.string("a\"b\\c\n\r\t\u{1}\u{7F}\u{2028}ü/😀").text
        == #""a\"b\\c\n\r\t\u0001\u007f\u2028ü/😀""#)
  }

  @Test func `members keep their order and nothing is null`() {
    let json: JSON = ["b": 1.json, "a": nil, "c": ["x", nil], "d": [:], "e": []]
    #expect(json.text == #"{"b":1,"a":null,"c":["x",null],"d":{},"e":[]}"#)
  }

  @Test func `written JSON can be read, and broken JSON cannot`() {
    let json: JSON = ["a": .bool(true), "b": 1.json, "c": .number(0.5), "d": ["1", nil, []]]
    #expect(JSON.parse(json.bytes) == json)
    #expect(JSON.parse(Array("{".utf8)) == nil)
    #expect(JSON.parse([]) == nil)
  }
}

extension Int {
  fileprivate var json: JSON { JSON(self) }
}

@Suite struct StationBodyTests {
  @Test func `a definition survives its JSON`() throws {
    var station = StationDefinition(id: "jazz", name: "Jazz", upstream: ["http://a/", "http://b/"])
    station.isPublic = true
    station.isListed = false
    station.mounts = ["/x.mp3"]
    station.lagMax = 2.5
    station.behind = .skip
    station.metaint = 8192
    station.type = .aac
    let text = station.json.text
    #expect(
      text == #"{"id":"jazz","name":"Jazz","description":null,"genre":null,"homepage":null,"#
        + #""artwork":null,"upstream":["http://a/","http://b/"],"command":null,"of":null,"delay":null,"#
        + #""files":null,"throttleBypass":null,"programme":null,"public":true,"listed":false,"#
        + #""mounts":["/x.mp3"],"window":null,"burst":null,"behind":"skip","maxLag":2.5,"#
        + #""pauseTimeout":null,"stepDown":false,"metaint":8192,"userAgent":null,"type":"aac","encode":null,"renditions":null,"sourcePassword":null,"#
        + #""shift":null,"offsetMax":null,"clip":null,"hls":null,"maxListeners":null,"maxListeningTime":null,"#
        + #""onDemand":false,"runOn":30,"fallback":null,"fallbackAfter":1,"levels":"watched","#
        + #""silence":null,"loudness":null,"clipping":null,"metadataEncoding":null,"#
        + #""metadataCandidates":null,"titlePattern":null,"titleShift":0,"metadata":null,"record":null,"shows":null,"timeZone":null,"allow":null,"deny":null,"denyAgents":null,"auth":null,"connectTimeout":null,"#
        + #""dataTimeout":null,"prebuffer":null,"icy":null,"requestHeaders":null,"proxy":null,"verifyTls":null,"caFile":null,"allowPrivate":null}"#
    )
    let json = try #require(JSON.parse(Array(text.utf8)))
    #expect(try StationBody.station(json) == station)
  }

  @Test func `a definition's bounds of loudness survive its JSON, and are changed as a whole`()
    throws
  {
    var station = StationDefinition(id: "a", upstream: ["http://a/"])
    let json: JSON = ["id": "a", "upstream": "http://a/", "loudness": ["below": .number(-18.5)]]
    station.sound.loudness = SoundRules.Loudness()
    station.sound.loudness?.below = -18.5
    #expect(try StationBody.station(json) == station)
    #expect(try StationBody.station(station.json) == station)
    let changed = try StationBody.patched(
      station, with: ["loudness": ["above": .number(-9), "for": .number(5)]])
    #expect(changed.sound.loudness?.below == nil && changed.sound.loudness?.above == -9)
    #expect(changed.sound.loudness?.hold == 5)
    #expect(try StationBody.patched(changed, with: ["loudness": nil]).sound.loudness == nil)
  }

  @Test func `a definition's source of titles survives its JSON`() throws {
    var station = StationDefinition(id: "a", upstream: ["http://a/"])
    let short: JSON = ["id": "a", "upstream": "http://a/", "metadata": "http://b/now"]
    station.metadata = MetadataSettings(url: "http://b/now")
    #expect(try StationBody.station(short) == station)
    #expect(try StationBody.station(station.json) == station)
    station.metadata?.page.kind = .icecast
    station.metadata?.page.mount = "/x"
    #expect(try StationBody.station(station.json) == station)
    station.metadata?.page.kind = .audiovault
    station.metadata?.page.mount = nil
    station.metadata?.page.zone = ZoneOffsets(named: "Europe/Berlin")
    #expect(try StationBody.station(station.json) == station)
    let settings = station.upstreamSettings(UpstreamSettings(urls: []))
    #expect(settings.metadata == station.metadata)
    let changes = station.metadata?.page.zone?.changes ?? []
    // 2026-03-29 01:00 UTC.
    #expect(changes.contains(.init(from: 1_774_746_000, offset: 7200)))
    #expect(
      try StationBody.patched(station, with: ["metadata": nil]).metadata == nil)
  }

  @Test func `a definition's schedules survive its JSON`() throws {
    var station = StationDefinition(id: "a", upstream: ["http://a/"])
    station.timeZone = ZoneOffsets("Europe/Berlin")
    var rule = RecordingRule(from: 64_800, to: 70_200)
    station.record = [rule]
    let short: JSON = [
      "id": "a", "upstream": "http://a/", "record": "18:00-19:30", "timeZone": "Europe/Berlin",
    ]
    #expect(try StationBody.station(short) == station)
    #expect(try StationBody.station(station.json) == station)
    rule.times.days = [.fri, .sat, .sun, .mon]
    (rule.name, rule.splits, rule.overlap, rule.appends) = ("{title}", true, 2.5, true)
    rule.bytesMax = 500_000_000
    rule.keep = RecordingKeep(seconds: 86_400, count: 7)
    station.record.append(rule)
    #expect(try StationBody.station(station.json) == station)
    let body: JSON = [
      "record": [
        "18:00-19:30",
        [
          "days": ["fri-mon"], "from": "18:00", "to": "19:30", "name": "{title}",
          "split": .bool(true),
          "overlap": "2.5s", "append": .bool(true), "maxSize": "500MB", "keep": "1d",
          "keepCount": JSON(7),
        ],
      ]
    ]
    let bare = try StationBody.patched(station, with: ["record": nil])
    #expect(bare.record.isEmpty)
    #expect(try StationBody.patched(bare, with: body) == station)
  }

  @Test func `a definition's rules for listeners survive its JSON`() throws {
    var station = StationDefinition(id: "a", upstream: ["http://a/"])
    station.access.denyAgents = [Glob("Bad*")]
    var auth = AuthSettings()
    auth.tokens = ["12345678", "87654321"]
    station.auth = auth
    #expect(try StationBody.station(station.json) == station)
    auth.passwordFile = "/etc/users"
    auth.addURL = "http://b/add"
    auth.removeURL = "http://b/remove"
    station.auth = auth
    #expect(try StationBody.station(station.json) == station)
  }

  @Test func `a definition's reading of titles survives its JSON`() throws {
    var station = StationDefinition(id: "a", upstream: ["http://a/"])
    station.encoding = .detect([try CharsetName("koi8-r"), try CharsetName("windows-1251")])
    station.titlePatterns = [
      try TitlePattern("{title} by {artist}"), try TitlePattern("{title}~{*}"),
    ]
    #expect(try StationBody.station(station.json) == station)
    station.encoding = .named(try CharsetName("Shift_JIS"))
    #expect(try StationBody.station(station.json) == station)
    let settings = station.upstreamSettings(UpstreamSettings(urls: []))
    #expect(settings.encoding == station.encoding && settings.titlePatterns.count == 2)
  }

  @Test(arguments: [
    (#"{"id":"a","upstream":"http://x","metadataEncoding":"detect"}"#, "metadataEncoding"),
    (#"{"id":"a","upstream":"http://x","titlePattern":"{song}"}"#, "titlePattern"),
    (#"{"id":"a","upstream":"http://x","record":"18:00"}"#, "record[0]"),
    (
      #"{"id":"a","upstream":"http://x","record":["1:00-2:00",{"from":"1:00","to":"2:00","keepCount":0}]}"#,
      "record[1].keepCount"
    ),
    (#"{"id":"a","upstream":"http://x","timeZone":"Europe/Berlim"}"#, "timeZone"),
    (#"{"id":"a","upstream":"ftp://x"}"#, "upstream"), (#"{"id":"A","upstream":"http://x"}"#, "id"),
    (#"{"upstream":"http://x"}"#, "id"), (#"{"id":"a"}"#, "upstream"),
    (#"{"id":"a","upstream":["http://x"],"burst":99}"#, "burst"),
    (#"{"id":"a","upstream":["http://x"],"maxLagg":9}"#, "maxLagg"),
    (#"{"id":"a","upstream":["http://x"],"pauseTimeout":true}"#, "pauseTimeout"),
    (#"{"id":7,"upstream":[["http://x"]]}"#, "upstream"),
    (#"{"id":"a","upstream":["http://x"],"public":"maybe"}"#, "public"),
  ])
  func `a wrong field is named as JSON knows it`(body: String, field: String) throws {
    let json = try #require(JSON.parse(Array(body.utf8)))
    do throws(RelayError) {
      _ = try StationBody.station(json)
      Issue.record("\(body) was taken")
    } catch {
      #expect(APIError(error).status == 400)
      #expect(APIError(error).field == field)
    }
  }

  @Test(arguments: ["[]", "1", "\"a\"", "null"])
  func `a body that is no object is refused`(body: String) throws {
    let json = try #require(JSON.parse(Array(body.utf8)))
    #expect(throws: RelayError.badJSON) { try StationBody.station(json) }
  }

  @Test func `a patch changes what it names, and null takes away`() throws {
    var station = StationDefinition(id: "a", name: "A", upstream: ["http://x/"])
    station.burst = 8
    let patch: JSON = ["name": "B", "burst": nil, "genre": "Jazz"]
    let patched = try StationBody.patched(station, with: patch)
    #expect(patched.name == "B")
    #expect(patched.burst == nil)
    #expect(patched.genre == "Jazz")
    #expect(patched.upstream == ["http://x/"])
    #expect(throws: RelayError.self) { try StationBody.patched(station, with: ["id": "b"]) }
    #expect(throws: RelayError.self) { try StationBody.patched(station, with: ["upstream": nil]) }
    #expect(throws: RelayError.self) { try StationBody.patched(station, with: ["colour": "red"]) }
  }

  @Test func `texts are escaped as they were one character after the other`() {
    let scalars: [Unicode.Scalar] = [
      "a", "\"", "\\", "\n", "\r", "\t", "\0", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}",
      "é",
      "\u{2027}", "\u{2028}", "\u{2029}", "\u{202A}", "€", "😀",
    ]
    let seed = UInt64.random(in: 1 ... .max)
    print("seed \(seed)")
    var state = seed
    for _ in 0..<2_000 {
      var text = String.UnicodeScalarView()
      var expected = "\""
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      for place in 0..<Int(state >> 60) {
        let scalar = scalars[Int(state >> (place * 4) & 0xFFFF) % scalars.count]
        text.append(scalar)
        switch scalar {
        case "\"": expected += "\\\""
        case "\\": expected += "\\\\"
        case "\n": expected += "\\n"
        case "\r": expected += "\\r"
        case "\t": expected += "\\t"
        case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
          let digits = String(scalar.value, radix: 16)
          expected += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: expected.unicodeScalars.append(scalar)
        }
      }
      let written = JSON.string(String(text)).text
      #expect(written.unicodeScalars.elementsEqual((expected + "\"").unicodeScalars))
    }
  }
}
