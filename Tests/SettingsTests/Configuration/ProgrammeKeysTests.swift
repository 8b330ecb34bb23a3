import Programmes
import Testing
import Wire

@testable import Settings

/// How `programme:` is read and written, whatever of it is played.
@Suite struct ProgrammeKeysTests {
  typealias Mistake = (yaml: String, lines: [String])

  /// Reads `programme:` from the lines behind it, of which the first one is the second of the file.
  static func read(_ yaml: String) throws -> (programme: Programme?, problems: [String]) {
    let lines = yaml.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    return try read(file: "programme:\n" + lines)
  }

  static func read(file: String) throws -> (programme: Programme?, problems: [String]) {
    let root = try YAMLDocument.root(of: file, file: "c.yml", known: ConfigurationKeys.names)
    let problems = SettingReader.Problems(file: "c.yml", sections: ConfigurationKeys.sections)
    let reader = SettingReader(root, path: "", known: ConfigurationKeys.station, problems: problems)
    let programme = Programme.read(reader)
    return (programme, problems.error?.problems.map(\.description) ?? [])
  }

  static let mistakes: [Mistake] = [
    (
      "order: shuffle",
      [
        "c.yml:2: programme.play: is missing; write what to play: a collection, folder:/PATH, "
          + "list:/PATH, a URL or station:ID"
      ]
    ),
    ("pla: hot", ["c.yml:2: programme.pla: unknown key; did you mean play?"]),
    (
      "play: hot\nwheel: [hot, gold]",
      ["c.yml:3: programme.wheel: has no place beside play:; write one of them"]
    ),
    ("play: []", ["c.yml:2: programme.play: is empty; write at least one source"]),
    (
      "play: \(Array(repeating: "a", count: 33))".replacing("\"", with: ""),
      ["c.yml:2: programme.play: has 33 entries; write at most 32"]
    ),
    (
      "wheel: \(Array(repeating: "a", count: 65))".replacing("\"", with: ""),
      ["c.yml:2: programme.wheel: has 65 entries; write at most 64"]
    ),
    (
      "play:\n  - hot\n  - {play: gold, weight: 101}\n  - {weight: 2}\n  - {play: new, count: 2}",
      [
        "c.yml:4: programme.play[1].weight: 101 is out of range; write a whole number from 1 to 100",
        "c.yml:5: programme.play[2].play: is missing; write a collection, folder:/PATH, list:/PATH, "
          + "a URL or station:ID",
        "c.yml:6: programme.play[3].count: unknown key; known here: play, weight",
      ]
    ),
    (
      "wheel: [{play: a, count: 21}, [b]]",
      [
        "c.yml:2: programme.wheel[0].count: 21 is out of range; write a whole number from 1 to 20",
        "c.yml:2: programme.wheel[1]: must hold keys, such as play:",
      ]
    ),
    (
      "play: /srv/music",
      ["c.yml:2: programme.play: \"/srv/music\" is a path alone; did you mean folder:/srv/music?"]
    ),
    (
      "play: folder:music",
      ["c.yml:2: programme.play: \"folder:music\" has no absolute path; write it from / on"]
    ),
    (
      "play: ftp://me:secret@h/x",
      [
        "c.yml:2: programme.play: \"ftp://h/x\" is not a URL that begins with http:// or https://"
      ]
    ),
    (
      "play: station:Church",
      [
        "c.yml:2: programme.play: \"Church\" has a character other than a-z, 0-9, - _ and .; "
          + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"
      ]
    ),
    (
      "play: [hot, \"station:church\"]",
      [
        "c.yml:1: programme: station:church has no end, so nothing would follow; "
          + "play it alone, in a part"
      ]
    ),
    (
      "play: \"\"",
      [
        "c.yml:2: programme.play: is empty; write a collection, folder:/PATH, list:/PATH, a URL or "
          + "station:ID"
      ]
    ),
    (
      "play: hot\norder: shufle\nrepeat: once\njoin: fades",
      [
        "c.yml:3: programme.order: \"shufle\" is unknown; did you mean shuffle?",
        "c.yml:4: programme.repeat: \"once\" is unknown; did you mean one?",
        "c.yml:5: programme.join: \"fades\" is unknown; did you mean fade?",
      ]
    ),
    (
      "play: hot\nseed: -1\nfade: 16s\nloudness: -31\nresume: 8d\npublish-next: 11",
      [
        "c.yml:3: programme.seed: -1 is out of range; write a whole number from 0 to 9007199254740991",
        "c.yml:4: programme.fade: 16s is out of range; write 0.5s to 15s",
        "c.yml:5: programme.loudness: \"-31\" is out of range; write LUFS from -30 to -8",
        "c.yml:6: programme.resume: 8d is out of range; write 0s to 7d",
        "c.yml:7: programme.publish-next: 11 is out of range; write a whole number from 0 to 10",
      ]
    ),
    (
      "play: hot\nseparate: {artist: 25h, title: 1.5s, albun: 1s}",
      [
        "c.yml:3: programme.separate.albun: unknown key; did you mean album?",
        "c.yml:3: programme.separate.artist: 25h is out of range; write 0s to 1d",
        "c.yml:3: programme.separate.title: \"1.5s\" is no whole number of seconds",
      ]
    ),
    (
      "play: hot\nseparate: 1h",
      ["c.yml:3: programme.separate: must hold keys, such as artist:"]
    ),
    (
      "play: hot\ntitle-format: \"{artist} - {song}\"",
      [
        "c.yml:3: programme.title-format: has {song}, which is unknown; "
          + "write {artist}, {title}, {album}, {year}"
      ]
    ),
    (
      "play: hot\ntitle-format: {title}",
      [
        "c.yml:3: programme.title-format: has keys of its own; "
          + "write a pattern in quotes, such as \"{artist} - {title}\""
      ]
    ),
    (
      "play: hot\ntitle-format: \"{artist - x\"",
      ["c.yml:3: programme.title-format: \"{artist - x\" has a { without its }"]
    ),
    (
      "play: hot\nformat: {codec: mp3, bitrate: 100}",
      [
        "c.yml:3: programme.format.bitrate: 100 is none of 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, "
          + "192, 224, 256, 320"
      ]
    ),
    (
      "play: hot\nformat: {codec: aac, bitrate: 128}",
      [
        "c.yml:3: programme.format.bitrate: is for codec: mp3; a programme of aac plays what is "
          + "already so"
      ]
    ),
    (
      "play: hot\nformat: {codec: opus, samplerate: 44100}",
      ["c.yml:3: programme.format.samplerate: is 44100; Opus has 48000"]
    ),
    (
      "play: hot\njoin: fade\nformat: {codec: aac}",
      [
        "c.yml:1: programme: fade is for mp3: a programme of aac plays what is already so, "
          + "and joins nothing"
      ]
    ),
    (
      "play: hot\ninsert:\n  - {play: jingles}\n  - {play: news, every: 20m, at: \":00\"}",
      [
        "c.yml:4: programme.insert[0]: needs every: or at:, one of them",
        "c.yml:5: programme.insert[1]: needs every: or at:, one of them",
      ]
    ),
    (
      "play: hot\ninsert:\n  - jingles\n  - {every: 4 tracks}\n  - \"\"",
      [
        "c.yml:4: programme.insert[0]: must hold keys, such as play:",
        "c.yml:5: programme.insert[1].play: is missing; write a collection, folder:/PATH, "
          + "list:/PATH, a URL or station:ID",
        "c.yml:6: programme.insert[2]: must hold keys, such as play:",
      ]
    ),
    (
      "play: hot\ninsert:\n"
        + ["1001 tracks", "0 tracks", "30s", "25h", "often", "4", "four tracks"]
        .map { "  - {play: a, every: \($0)}\n" }.joined(),
      [
        "c.yml:4: programme.insert[0].every: 1001 is out of range; "
          + "write a whole number from 1 to 1000",
        "c.yml:5: programme.insert[1].every: 0 is out of range; write a whole number from 1 to 1000",
        "c.yml:6: programme.insert[2].every: 30s is out of range; write 1m to 1d",
        "c.yml:7: programme.insert[3].every: 25h is out of range; write 1m to 1d",
        "c.yml:8: programme.insert[4].every: \"often\" is not a number of tracks or a duration, "
          + "such as 4 tracks or 20m",
        "c.yml:9: programme.insert[5].every: 4 is out of range; write 1m to 1d",
        "c.yml:10: programme.insert[6].every: \"four\" is not a whole number; "
          + "write one from 1 to 1000",
      ]
    ),
    (
      "play: hot\ninsert:\n  - {play: a, at: \":7\"}\n  - {play: a, at: [\":60\", \"24:00\", noon]}\n"
        + "  - {play: a, at: []}\n"
        + "  - {play: a, at: \(Array(repeating: ":00", count: 49))}",
      [
        "c.yml:4: programme.insert[0].at: \":7\" is no minute; write :07",
        "c.yml:5: programme.insert[1].at: \":60\" is no time; write :MM or HH:MM",
        "c.yml:5: programme.insert[1].at: \"24:00\" is no time; write :MM or HH:MM",
        "c.yml:5: programme.insert[1].at: \"noon\" is no time; write :MM or HH:MM",
        "c.yml:6: programme.insert[2].at: has no time; write :MM or HH:MM",
        "c.yml:7: programme.insert[3].at: has 49 entries; write at most 48",
      ]
    ),
    (
      "play: hot\ninsert: {play: a, every: 20m, on-time: hard, within: 0s, refresh: 30s, title: no}",
      [
        "c.yml:3: programme.insert.on-time: is for at:; every: waits for a border",
        "c.yml:3: programme.insert.refresh: 30s is out of range; write 1m to 1d",
        "c.yml:3: programme.insert.title: \"no\" is unknown; write show or hide",
        "c.yml:3: programme.insert.within: 0s is out of range; write 1s to 1h",
      ]
    ),
    (
      "play: hot\ninsert: {play: a, every: 20m, refresh: 15m, days: someday, from: 8}",
      [
        "c.yml:3: programme.insert.days: \"someday\" is no day; "
          + "write mon to sun, mon-fri, daily, weekdays or weekends",
        "c.yml:3: programme.insert.from: \"8\" is not a time of day, such as 18:00",
        "c.yml:3: programme.insert.refresh: is for a URL",
      ]
    ),
    (
      "play: hot\nparts:\n  - {from: \"20:00\", play: party}\n  - {from: \"1:00\", to: \"2:00\"}\n"
        + "  - {from: \"1:00\", to: \"2:00\", play: a, start: hard, late: 1m}\n"
        + "  - {from: \"1:00\", to: \"2:00\", repeat: one, late: 3h, seed: 1}",
      [
        "c.yml:4: programme.parts[0].to: is missing; write a time of day, such as 18:00",
        "c.yml:5: programme.parts[1]: changes nothing; write what it plays, or how",
        "c.yml:6: programme.parts[2].late: is for start: soft; start: hard waits for nothing",
        "c.yml:7: programme.parts[3].late: 3h is out of range; write 0s to 2h",
        "c.yml:7: programme.parts[3].seed: unknown key here; it belongs under programme:",
      ]
    ),
    (
      "play: hot\nlive: {start: hart, after-silence: 0s}",
      [
        "c.yml:3: programme.live.after-silence: 0s is out of range; write 1s to 10m",
        "c.yml:3: programme.live.start: \"hart\" is unknown; did you mean hard?",
        "c.yml:3: programme.live.station: is missing; write the id of a station",
      ]
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `a mistake in a programme is told with what would be right`(index: Int) throws {
    let (yaml, lines) = Self.mistakes[index]
    #expect(try Self.read(yaml).problems == lines)
  }

  @Test func `a programme is a source alone, keys, or nothing that can be played`() throws {
    let short = try Self.read(file: "programme: folder:/srv/music")
    #expect(
      short.problems == [] && short.programme == Programme(PlayRules(.play(.folder("/srv/music")))))
    #expect(try Self.read("play: folder:/srv/music").programme == short.programme)
    for (file, message) in [
      ("programme:", "c.yml:1: programme: is empty; write play:"),
      ("programme: [a]", "c.yml:1: programme: must hold keys, such as play:"),
      (
        "programme: folder:x",
        "c.yml:1: programme: \"folder:x\" has no absolute path; write it from / on"
      ),
    ] {
      let (programme, problems) = try Self.read(file: file)
      #expect(programme == nil && problems == [message])
    }
  }

  private static let whole = """
    play: [{play: hot, weight: 3}, {play: "folder:/srv/gold"}, "list:/srv/new.m3u"]
    order: shuffle
    repeat: none
    seed: 7
    separate: {artist: 30m}
    join: fade
    fade: 4.5s
    loudness: -18.5
    format: {codec: mp3, bitrate: 128, samplerate: 48000, mono: true}
    resume: 0s
    title-format: "{artist} - {title} ({year})"
    publish-next: 3
    insert:
      - {play: jingles, every: 4 tracks, title: hide}
      - {play: "https://example.org/news.mp3", at: [":00", "07:30"], days: weekdays, from: "06:00", to: "20:00", on-time: hard, within: 3m, refresh: 15m}
    parts:
      - {days: [fri, sat], from: "20:00", to: "02:00", wheel: [party, {play: gold, count: 2}], late: 1m, insert: []}
      - {days: sun, from: "10:00", to: "11:00", play: "station:church", start: hard, separate: {title: 1h}}
    live: {station: studio, start: soft, after-silence: 5s}
    """

  @Test func `every key of a programme is read`() throws {
    let (read, problems) = try Self.read(Self.whole)
    #expect(problems == [])
    let programme = try #require(read)
    let rules = programme.rules
    #expect(
      rules.choice
        == .play([
          .init(.collection("hot"), weight: 3), .init(.folder("/srv/gold")),
          .init(.list("/srv/new.m3u")),
        ]))
    #expect(rules.order == .shuffle && rules.repeats == .once && programme.seed == 7)
    #expect(rules.separate == Separate(artist: 1800, title: 14_400, album: 0))
    #expect(rules.join == .fade && rules.fade == 4.5 && rules.loudness == -18.5)
    #expect(
      programme.format
        == Programme.Format(codec: .mp3, bitrate: 128, sampleRate: 48_000, isMono: true))
    #expect(programme.resume == 0 && programme.publishNext == 3)
    #expect(programme.titleFormat == "{artist} - {title} ({year})")
    let weekdays: Set<Weekday> = [.mon, .tue, .wed, .thu, .fri]
    let marks = try [":00", "07:30"].map { try MinuteMark($0) }
    #expect(
      rules.inserts == [
        InsertRule(.collection("jingles"), .everyTracks(4), showsTitle: false),
        InsertRule(
          .url("https://example.org/news.mp3"), .at(marks, .hard),
          times: WeeklyTimes(days: weekdays, from: 21_600, to: 72_000), within: 180, refresh: 900),
      ])
    let party = PlayRules(
      .wheel([.init(.collection("party")), .init(.collection("gold"), count: 2)]), inserts: [])
    let church = PlayRules(
      .play(.station("church")), separate: Separate(artist: 3600, title: 3600, album: 0))
    #expect(
      programme.parts == [
        Programme.Part(
          WeeklyTimes(days: [.fri, .sat], from: 72_000, to: 7200), party, late: 60),
        Programme.Part(
          WeeklyTimes(days: [.sun], from: 36_000, to: 39_600), church, onset: .hard),
      ])
    #expect(programme.live == Programme.Live("studio", onset: .soft, afterSilence: 5))
  }

  private static let programmes = [
    whole, "play: hot", "wheel: [a, b]\nlive: studio\nformat: {codec: opus}",
    "play: {play: a, weight: 2}\ninsert: {play: b, every: 90s, from: \"6:00\"}\norder: newest",
    "play: a\njoin: gapless\ninsert: {play: b, every: 1 track, title: show}",
  ]

  @Test(arguments: programmes)
  func `what is read of a file, and written as a body, is read as the same`(yaml: String) throws {
    let (read, problems) = try Self.read(yaml)
    #expect(problems == [])
    let programme = try #require(read)
    var station = StationDefinition(id: "a", source: .programme(programme))
    let noted = SettingReader.Problems(file: "", sections: ConfigurationKeys.sections)
    let reader = SettingReader(
      SettingNode(json: station.json.withoutNulls), path: "", known: ConfigurationKeys.station,
      problems: noted)
    #expect(Programme.read(reader) == programme && noted.error == nil)
    // A value that has no key of its own is in the station's.
    station.source = .programme(Programme(PlayRules(.play(.folder("/srv")))))
    #expect(try StationBody.station(station.json) == station)
  }

  @Test func `a body has what differs from the defaults, in camel case`() throws {
    func written(_ yaml: String) throws -> String? { try Self.read(yaml).programme?.json.text }
    #expect(
      try written("play: folder:/srv\nresume: 10m\npublish-next: 1") == #"{"play":"folder:/srv"}"#)
    #expect(
      try written(
        "wheel: [a, {play: b, count: 2}]\npublish-next: 0\ninsert: {play: c, at: \":00\", on-time: hard}"
      )
        == #"{"wheel":["a",{"play":"b","count":2}],"insert":[{"play":"c","at":[":00"],"onTime":"hard"}],"publishNext":0}"#
    )
  }

  @Test func `sections of a programme may be told of by their names, and lead to each other`() {
    for rows in [
      Programme.rows.names(), Programme.Part.rows.names(), InsertRule.Keys.rows.names(),
      Programme.Live.rows.names(), Programme.Format.rows.names(), Separate.rows.names(),
    ] {
      #expect(Set(rows).count == rows.count)
      for name in rows { #expect(SettingKey.file(SettingKey.json(name)) == name) }
    }
  }

  @Test func `of a source people are shown what is no secret`() {
    #expect(Source.shown("folder:/srv/a@b") == "folder:/srv/a@b")
    #expect(Source.shown("night-music") == "night-music")
    #expect(Source.shown("https://h/news.mp3") == "https://h/news.mp3")
    for secret in [
      "https://me:secret@h/news.mp3", "https://h/n.mp3?key=secret", "ftp://a:secret@h/",
    ] {
      #expect(!Source.shown(secret).contains("secret"))
    }
  }
}
