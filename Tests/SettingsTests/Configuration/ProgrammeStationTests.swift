import Programmes
import TestSupport
import Testing

@testable import Settings

/// A station that is a programme, beside other keys and other stations.
@Suite struct ProgrammeStationTests {
  private static func problems(_ yaml: String) -> [String] {
    do throws(ConfigurationError) {
      _ = try Configuration.parse(yaml: "stations:\n" + yaml, file: "c.yml")
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test(
    arguments: [
      "upstream: http://a/", "command: [cat]", "of: b", "files: /srv", "type: mp3",
      "metadata: http://a/", "user-agent: x", "proxy: http://p:1/", "verify-tls: false",
      "icy: true", "title-shift: 1s", "metadata-encoding: auto", "allow-private: true",
    ])
  func `a key of upstreams has no place beside a programme`(line: String) {
    let key = line.prefix { $0 != ":" }
    let yaml = "  - id: a\n    \(line)\n    programme: folder:/srv\n"
    #expect(
      Self.problems(yaml) == [
        "c.yml:3: stations[0].\(key): has no place beside programme:, "
          + "which says where the audio comes from"
      ])
  }

  /// What is not played yet, with what is said of it.
  private static let limits: [(String, [String])] = [
    (
      "programme: https://h/a.mp3",
      [
        "c.yml:3: stations[0].programme: a URL cannot be played yet; "
          + "write folder:/PATH, list:/PATH or a collection"
      ]
    ),
    (
      "programme: {play: [\"list:/srv/a.m3u\", {play: \"https://h/a.mp3\"}, folder:/srv]}",
      [
        "c.yml:3: stations[0].programme.play[1].play: a URL cannot be played yet; "
          + "write folder:/PATH, list:/PATH or a collection"
      ]
    ),
    ("programme: {play: folder:/a, join: gapless, fade: 4s, loudness: -18}", []),
    (
      "programme: {play: folder:/a, format: {codec: aac}, live: studio, publish-next: 2}", []
    ),
    (
      "programme:\n      play: folder:/a\n      insert:\n"
        + "        - {play: \"http://h/n.mp3\", at: \":00\", refresh: 15m}\n"
        + "      parts:\n        - from: \"1:00\"\n          to: \"2:00\"\n          play: \"station:b\"\n",
      [
        "c.yml:6: stations[0].programme.insert[0].play: a URL cannot be played yet; "
          + "write folder:/PATH, list:/PATH or a collection",
        "c.yml:6: stations[0].programme.insert[0].refresh: has no effect yet; leave it out",
      ]
    ),
    ("programme: {play: folder:/a, live: {station: b, after-silence: 5s}}", []),
    // What is wrong is told first.
    (
      "programme: {play: hot, order: no}",
      [
        "c.yml:3: stations[0].programme.order: \"no\" is unknown; "
          + "write sequence, shuffle or newest"
      ]
    ),
  ]

  @Test(arguments: limits.indices)
  func `what is not played yet is told with what can be written`(index: Int) {
    let (yaml, lines) = Self.limits[index]
    #expect(Self.problems("  - id: a\n    \(yaml)\n") == lines)
  }

  @Test func `what can be played of folders is taken`() throws {
    let yaml = """
      stations:
        - id: night
          fallback: silence
          renditions: [64]
          programme:
            wheel: [folder:/srv/a, {play: folder:/srv/b, count: 2}]
            order: shuffle
            join: cut
            insert: {play: folder:/srv/jingles, every: 4 tracks}
            parts: [{from: "20:00", to: "02:00", play: folder:/srv/party}]
        - {id: later, of: night, delay: 1h}
      """
    let stations = try Configuration.parse(yaml: yaml, file: "c.yml").stations
    #expect(stations.map(\.id) == ["night", "night-64", "later"])
    let night = stations[0]
    #expect(night.programme?.parts.count == 1 && night.hasOwnLog && !night.isPulled)
    #expect(night.kind.word == "programme:" && night.kind.refusal == nil)
    #expect(try StationBody.station(night.json) == night)
    #expect(try night.validated() == night)
    #expect(
      night.namedPaths == [
        "programme.wheel[0]": "/srv/a", "programme.wheel[1]": "/srv/b",
        "programme.insert[0].play": "/srv/jingles", "programme.parts[0].play": "/srv/party",
      ])
  }

  @Test func `a body has the keys of a file, or a source alone`() throws {
    let whole = try StationBody.station(["id": "a", "programme": ["play": "folder:/srv"]])
    #expect(try StationBody.station(["id": "a", "programme": "folder:/srv"]) == whole)
    #expect(whole.json["programme"] == ["play": "folder:/srv"])
    let shuffled = try StationBody.patched(
      whole,
      with: ["programme": ["play": "folder:/srv", "order": "shuffle", "titleFormat": "{title}"]])
    #expect(
      shuffled.programme?.rules.order == .shuffle && shuffled.programme?.titleFormat == "{title}")
    let error = #expect(throws: RelayError.self) {
      try StationBody.station([
        "id": "a",
        "programme": ["play": "folder:/a", "insert": [["play": "folder:/b", "onTime": "hard"]]],
      ])
    }
    guard case .badField(let field, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(field == "programme.insert[0]")
  }

  @Test func `a programme is not valid where no file could say it`() throws {
    for programme in [
      Programme(PlayRules()), Programme(PlayRules(.play([]))),
      Programme(PlayRules(.play(.folder("srv")))), Programme(PlayRules(.play(.url("http://h/")))),
      Programme(PlayRules(.play(.folder("/srv"))), publishNext: 11),
    ] {
      let station = StationDefinition(id: "a", source: .programme(programme))
      #expect(throws: RelayError.self) { try station.validated() }
    }
  }

  @Test func `a folder that cannot be played is named with its place`() throws {
    let folder = TemporaryDirectory()
    func problem(_ sources: Source...) -> (key: String, message: String)? {
      let choice = Choice.play(sources.map { Choice.Weighted($0) })
      return StationDefinition(id: "a", source: .programme(Programme(PlayRules(choice))))
        .filesProblem
    }
    #expect(problem(.folder(folder.path)) == nil)
    let missing = try #require(problem(.folder(folder.path), .folder(folder.path + "/no")))
    #expect(missing.key == "programme.play[1]")
    #expect(
      missing.message
        == "\(folder.path)/no: No such file or directory; make the folder, or write where it is")
    #expect(
      problem(.list(folder.path))?.message
        == "\(folder.path): is another kind of file; write where it is")
  }

  // MARK: What may not be meant

  private func configuration(_ programmes: [(String, Programme)]) -> Configuration {
    var configuration = Configuration()
    configuration.stations = programmes.map {
      StationDefinition(id: $0.0, source: .programme($0.1))
    }
    return configuration
  }

  private func remarks(_ yaml: String) throws -> [String] {
    let programme = try #require(try ProgrammeKeysTests.read(yaml).programme)
    return configuration([
      ("night", programme), ("nights", Programme(PlayRules(.play(.folder("/a"))))),
    ])
    .programmeRemarks.map { "\($0.station) \($0.text)" }
  }

  @Test func `parts that overlap are told with their hours`() throws {
    let yaml = """
      play: a
      parts:
        - {days: [fri, sat], from: "20:00", to: "02:00", play: b}
        - {from: "22:00", to: "23:00", play: c}
        - {days: mon, from: "9:00", to: "10:00", play: d}
      """
    #expect(
      try remarks(yaml) == [
        "night parts[0] and parts[1] overlap, fri, sat 22:00-23:00; the first one counts there"
      ])
  }

  @Test func `an insert that no hour has is told`() throws {
    let yaml = """
      play: a
      insert:
        - {play: "https://h/n.mp3?key=secret", at: ":30", from: "10:00", to: "10:15"}
        - {play: b, at: ":10", from: "10:00", to: "10:15"}
      """
    let lines = try remarks(yaml)
    #expect(
      lines == [
        "night insert: https://h/n.mp3 ••• at :30 lies outside of its hours, and is never played"
      ])
  }

  @Test func `a station that is not there is told, and one that would play itself`() throws {
    #expect(
      try remarks("play: a\nlive: nigths") == [
        "night programme: there is no station \"nigths\"; did you mean \"nights\"? "
          + "(one that was added by command counts)"
      ])
    #expect(
      try remarks("play: station:night") == [
        "night programme: would play itself: night, night; name another station"
      ])
    var stations = configuration([("night", Programme(PlayRules(.play(.station("late")))))])
    stations.stations.append(StationDefinition(id: "late", source: .copy(of: "night", delay: 60)))
    #expect(
      stations.programmeRemarks.map(\.text) == [
        "programme: would play itself: late, night, late; name another station"
      ])
  }
}
