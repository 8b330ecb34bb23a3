import Testing
import Wire

@testable import Programmes

/// Rules as values: texts in, problems out.
@Suite struct RulesTests {
  @Test(arguments: [
    ("hot", Source.collection("hot")), ("folder:/srv/music", .folder("/srv/music")),
    ("list:/srv/a b.m3u", .list("/srv/a b.m3u")), ("station:studio", .station("studio")),
    ("https://example.org/feed", .url("https://example.org/feed")),
    ("http://example.org/a.mp3", .url("http://example.org/a.mp3")),
    ("Folder:/srv", .collection("Folder:/srv")),
  ])
  func `a source is what people write`(text: String, source: Source) throws {
    #expect(try Source(text) == source)
    #expect(source.text == text)
  }

  @Test(arguments: [
    ("", ProgrammeProblem.sourceIsEmpty), ("station:", .sourceIsEmpty),
    ("folder:music", .pathIsRelative("folder:music")), ("list:", .pathIsRelative("list:")),
    (String(repeating: "x", count: 4097), .sourceIsLong),
  ])
  func `a text that is no source says why`(text: String, problem: ProgrammeProblem) {
    #expect(throws: problem) { try Source(text) }
  }

  @Test func `minutes are written with two digits, of each hour or of one`() throws {
    #expect(try MinuteMark(":07") == MinuteMark(hour: nil, minute: 7))
    #expect(try MinuteMark("6:30").text == "06:30")
    #expect(try MinuteMark("23:59") == MinuteMark(hour: 23, minute: 59))
    for text in [
      "", ":", ":7", ":60", "24:00", "7", "1:2:3", "a:00", ":+7", "+1:00", "123:00", ":0x",
    ] {
      #expect(throws: ProgrammeProblem.minute(text)) { try MinuteMark(text) }
    }
    #expect(ProgrammeProblem.minute(":7").description == "\":7\" is no minute; write :07")
  }

  private static let song = PlayRules(.play(Music.hot))

  private static func with(_ change: (inout Programme) -> Void) -> Programme {
    var programme = Programme(song)
    change(&programme)
    return programme
  }

  private static let studio = Source.station("studio")

  static let faults: [(Programme, ProgrammeProblem)] = [
    (Programme(PlayRules()), .nothingToPlay),
    (Programme(PlayRules(.play([]))), .nothingToPlay),
    (
      Programme(PlayRules(.play(Array(repeating: .init(Music.hot), count: 33)))),
      .tooMany(what: "sources", max: 32)
    ),
    (
      Programme(PlayRules(.play([.init(Music.hot, weight: 101)]))),
      .outside(what: "weight", range: "1 to 100")
    ),
    (
      Programme(PlayRules(.wheel([.init(Music.hot, count: 0)]))),
      .outside(what: "count", range: "1 to 20")
    ),
    (
      Programme(PlayRules(.play([.init(Music.hot), .init(studio)]))), .stationHasNoEnd("studio")
    ),
    (Programme(PlayRules(.wheel([.init(studio)]))), .stationHasNoEnd("studio")),
    (
      with { $0.rules.inserts = [InsertRule(studio, .everyTracks(1))] }, .stationHasNoEnd("studio")
    ),
    (
      with { $0.rules.inserts = [InsertRule(Music.hot, .everyTracks(0))] },
      .outside(what: "every", range: "1 to 1000")
    ),
    (
      with { $0.rules.inserts = [InsertRule(Music.hot, .every(seconds: 59))] },
      .outside(what: "every", range: "60 to 86400")
    ),
    (with { $0.rules.inserts = [InsertRule(Music.hot, .at([], .soft))] }, .insertWithoutMinutes),
    (
      with { $0.rules.inserts = [InsertRule(Music.hot, .everyTracks(1), refresh: 900)] },
      .refreshWithoutURL("hot")
    ),
    (with { $0.rules.fade = 20 }, .outside(what: "fade", range: "0.5 to 15.0")),
    (with { $0.rules.loudness = .nan }, .outside(what: "loudness", range: "-30.0 to -8.0")),
    (with { $0.seed = -1 }, .outside(what: "seed", range: "0 to 9007199254740991")),
    (with { $0.publishNext = 11 }, .outside(what: "publish-next", range: "0 to 10")),
    (
      with { $0.parts = [.init(WeeklyTimes(from: 0, to: 3600), PlayRules())] },
      .partWithoutRules(0)
    ),
    (
      with {
        $0.rules.join = .fade
        $0.format = .init(codec: .opus)
      }, .codecIsPassedOn("opus")
    ),
    (
      with { $0.rules.separate = Separate(artist: 90_000, title: 0, album: 0) },
      .outside(what: "separate", range: "0 to 86400")
    ),
  ]

  @Test func `rules that contradict each other say where`() throws {
    for (programme, problem) in Self.faults {
      #expect(throws: problem, "\(problem)") { try programme.validate() }
      #expect(!problem.description.isEmpty)
    }
    let news = InsertRule(Music.news, .at([MinuteMark(hour: nil, minute: 0)!], .hard), refresh: 900)
    let part = Programme.Part(
      WeeklyTimes(days: [.sun], from: 36_000, to: 39_600), PlayRules(.play(Self.studio)),
      onset: .hard)
    try Self.with {
      $0.rules.inserts = [news]
      $0.parts = [part]
      $0.format = .init(codec: .aac)
      $0.rules.join = .cut
      $0.live = .init("studio")
    }.validate()
  }

  @Test func `parts that are on at once are named with their hours`() {
    func part(_ days: Set<Weekday>, _ from: Int, _ to: Int) -> Programme.Part {
      Programme.Part(WeeklyTimes(days: days, from: from * 3600, to: to * 3600), Self.song)
    }
    let programme = Programme(
      Self.song,
      parts: [
        part([.fri, .sat], 20, 2), part([.sun], 1, 3), part([.mon], 8, 9), part([.mon], 9, 10),
      ])
    #expect(
      programme.overlaps == [
        .init(first: 0, second: 1, hours: [145 * 3600..<146 * 3600])
      ])
  }

  @Test func `inserts whose minutes lie outside of their hours are named`() {
    func rule(_ mark: String, _ from: Int, _ to: Int) -> InsertRule {
      InsertRule(
        Music.news, .at([try! MinuteMark(mark)], .soft),
        times: WeeklyTimes(days: [.mon], from: from, to: to))
    }
    let rules = [
      rule(":00", 3600, 7200), rule(":30", 3600, 5000), rule("12:00", 3600, 7200),
      rule("01:00", 3600, 7200), rule("02:00", 3600, 7200), rule("00:30", 82_800, 3600),
    ]
    var programme = Programme(Self.song)
    programme.rules.inserts = rules
    #expect(programme.insertsWithoutHour.map(\.rule) == [rules[1], rules[2], rules[4]])
  }

  @Test func `a part keeps what it does not change`() {
    var programme = Programme(PlayRules(.play(Music.hot), order: .shuffle, join: .fade, fade: 3))
    programme.parts = [.init(WeeklyTimes(), PlayRules(.play(Music.gold), join: .cut))]
    #expect(
      programme.rules(in: 0)
        == PlayRules(.play(Music.gold), order: .shuffle, join: .cut, fade: 3))
    #expect(programme.rules(in: nil) == programme.rules)
    #expect(programme.sources == [Music.hot, Music.gold])
  }

  @Test(
    arguments: [
      ([:], nil), (["a": ["b"], "b": ["c"]], nil), (["a": ["a"]], ["a"]),
      (["a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []], nil),
      (["a": ["b"], "b": ["c", "d"], "d": ["b"]], ["b", "d"]),
      (["z": ["y"], "y": ["x"], "x": ["z"]], ["x", "z", "y"]),
    ] as [([String: [String]], [String]?)])
  func `stations that would play themselves are found`(
    played: [String: [String]], circle: [String]?
  ) {
    #expect(Programme.circle(played) == circle)
  }

  @Test func `a circle of ten thousand stations is found in one pass`() {
    let ids = (0..<10_000).map { "s\($0 + 10_000)" }
    let played = Dictionary(zip(ids, ids.dropFirst().map { [$0] })) { first, _ in first }
    #expect(Programme.circle(played) == nil)
    #expect(Programme.circle(played.merging([ids[9999]: [ids[0]]]) { $1 })?.count == 10_000)
  }

  @Test func `a programme names the stations that it plays`() {
    var programme = Programme(PlayRules(.play(Music.hot)))
    programme.live = .init("studio")
    programme.parts = [
      .init(WeeklyTimes(), PlayRules(.play(.station("church")))),
      .init(WeeklyTimes(), PlayRules(.play(.station("studio")))),
    ]
    #expect(programme.stations == ["studio", "church"])
  }

  @Test func `rules are told in short`() {
    #expect(InsertRule(Music.hot, .everyTracks(4)).text == "every 4 tracks")
    #expect(InsertRule(Music.hot, .every(seconds: 1200)).text == "every 20m")
    #expect(
      InsertRule(Music.hot, .at([try! MinuteMark(":00"), try! MinuteMark("6:30")], .soft)).text
        == "at :00, 06:30")
  }

  // MARK: Tracks

  @Test func `a track's key is 32 hex digits`() {
    let key = TrackKey(high: 0x0123_4567_89ab_cdef, low: 1)
    #expect(key.description == "0123456789abcdef0000000000000001")
    #expect(TrackKey(key.description) == key && TrackKey(key.description.uppercased()) == key)
    for text in ["", "0123", String(repeating: "g", count: 32), key.description + "0"] {
      #expect(TrackKey(text) == nil)
    }
  }

  @Test func `a track is 48 bytes, and absurd lengths are held to bounds`() {
    #expect(MemoryLayout<Catalogue.Track>.stride == 48)
    for (seconds, milliseconds) in [
      (231.4, 231_400), (-1, 0), (.nan, 0), (1e300, 2_147_483_647), (0.0996, 100),
    ] as [(Double, Int64)] {
      for isExact in [true, false] {
        let track = Music.track(1, seconds, isExact: isExact, added: .max)
        #expect(track.milliseconds == milliseconds && track.isExact == isExact)
      }
    }
  }

  @Test func `what is unknown of a track is equal to nothing`() {
    let track = Catalogue.Track(key: Music.key(1), seconds: 10, isExact: true)
    #expect([track.artist, track.title, track.album] == [0, 0, 0])
    #expect(Music.track(1, artist: "a", title: "b").title != Music.track(1, artist: "ab").title)
  }
}
