import Testing
import Timeshift

@testable import Server
@testable import Settings

/// Whether stations are given as HLS, and how, as people write it.
@Suite struct HLSSettingTests {
  private func configuration(_ keys: String, _ listeners: String = "") throws -> Configuration {
    let own = keys.isEmpty ? "" : ", \(keys)"
    return try Configuration.parse(
      yaml: "listeners: {\(listeners)}\nstations:\n- {id: a, upstream: http://a/\(own)}\n",
      file: "c.yml")
  }

  private func settings(_ keys: String, _ listeners: String = "") throws -> HLSSettings {
    let configuration = try configuration(keys, listeners)
    return try #require(configuration.stations.first).listenerSettings(configuration.listeners).hls
  }

  private func problems(_ keys: String) -> [String] {
    do throws(ConfigurationError) {
      _ = try Configuration.parse(
        yaml: "stations:\n  - id: a\n    upstream: http://a/\n    \(keys)\n", file: "c.yml")
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  private typealias Row = (
    keys: String, listeners: String, isOn: Bool, segment: Int, window: Double?
  )

  @Test func `a station's own word counts, then that for all`() throws {
    let rows: [Row] = [
      ("", "", true, 6, nil),
      ("hls: true", "", true, 6, nil),
      ("hls: false", "", false, 6, nil),
      ("hls: {segment: 4}", "", true, 4, nil),
      ("hls: {segment: 4s}", "", true, 4, nil),
      ("hls: {window: 2h}", "", true, 6, 7200),
      ("hls: {}", "hls: false", true, 6, nil),
      ("", "hls: false", false, 6, nil),
      ("hls: true", "hls: false", true, 6, nil),
      ("hls: {window: 1h}", "hls: {segment: 2, window: 3h}", true, 2, 3600),
      ("hls: {segment: 10}", "hls: {segment: 2, window: 3h}", true, 10, 10_800),
      ("hls: false", "hls: {segment: 2, window: 3h}", false, 2, 10_800),
      ("hls: ", "hls: {segment: 2}", true, 2, nil),
    ]
    for row in rows {
      let settings = try settings(row.keys, row.listeners)
      #expect(settings.isOn == row.isOn, "\(row)")
      #expect(settings.segment == row.segment, "\(row)")
      #expect(settings.window?.seconds == row.window, "\(row)")
    }
  }

  @Test func `at least ten segments are listed, wherever their length comes from`() throws {
    #expect(
      try settings("hls: {segment: 8}", "hls: {segment: 2, window: 20s}").window?.seconds == 80)
    #expect(try settings("hls: {window: 20s}", "hls: {segment: 3}").window?.seconds == 30)
    #expect(try settings("hls: {window: 20s}", "hls: {segment: 2}").window?.seconds == 20)
  }

  @Test func `a wrong value is told with its range`() {
    let path = "c.yml:4: stations[0].hls"
    let rows: [(String, String)] = [
      (
        "hls: {segment: 2.5}",
        "\(path).segment: \"2.5\" is no whole number of seconds from 2 to 10"
      ),
      ("hls: {segment: 1}", "\(path).segment: \"1\" is no whole number of seconds from 2 to 10"),
      (
        "hls: {segment: 11s}", "\(path).segment: \"11s\" is no whole number of seconds from 2 to 10"
      ),
      (
        "hls: {segment: six}", "\(path).segment: \"six\" is no whole number of seconds from 2 to 10"
      ),
      ("hls: {window: 19s}", "\(path).window: 19s is out of range; write 20s to 7d"),
      ("hls: {window: 169h}", "\(path).window: 169h is out of range; write 20s to 7d"),
      (
        "hls: {segment: 6, window: 59s}",
        "\(path).window: is 59s, less than 10 segments; write 1m or more"
      ),
      ("hls: {windw: 1h}", "\(path).windw: unknown key; did you mean window?"),
      (
        "hls: yes",
        "\(path): \"yes\" is neither true nor false; write one of them, or keys such as {segment: 4}"
      ),
      ("hls: [true]", "\(path): must hold keys, such as segment:"),
      ("hls: {enabled: true}", "\(path).enabled: unknown key; write hls: true"),
      ("hls: {enabled: false}", "\(path).enabled: unknown key; write hls: false"),
      ("hls: {on: no}", "\(path).on: unknown key; write hls: true or hls: false"),
      (
        "hls: {enabled: true, segment: 4}",
        "\(path).enabled: unknown key; leave it out, as other keys turn HLS on"
      ),
      (
        "hls: {enabled: false, segment: 4}",
        "\(path).enabled: unknown key; write hls: false, without other keys"
      ),
    ]
    for (keys, problem) in rows { #expect(problems(keys) == [problem], "\(keys)") }
  }

  @Test func `a rendition's own hls is told to follow its station`() {
    let path = "c.yml:4: stations[0].renditions[0]"
    let message = "unknown key; HLS of a rendition follows its station; write hls: at the station"
    for keys in ["hls: true", "hls: false", "hls: {segment: 4}", "hls: {enabled: true}"] {
      let told = problems("renditions: [{bitrate: 64, \(keys)}]")
      #expect(told == ["\(path).hls: \(message)"], "\(keys)")
    }
  }

  @Test func `the store keeps it, and a request's body may have it`() throws {
    for keys in [
      "", "hls: true", "hls: false", "hls: {segment: 4}", "hls: {segment: 3, window: 5h}",
    ] {
      let written = try #require(try configuration(keys).stations.first)
      let json = try #require(JSON.parse(written.json.bytes))
      #expect(try StationBody.station(json) == written, "\(keys)")
    }
    let off = try #require(try configuration("hls: false").stations.first)
    #expect(off.json["hls"] == .bool(false))
    let on = try StationBody.patched(off, with: ["hls": ["segment": "4"]])
    #expect(on.hls == .on(HLSRule.Keys(segment: 4)) && on.json["hls"] == ["segment": .integer(4)])
    #expect(try StationBody.patched(on, with: ["hls": .null]).hls == nil)
  }

  @Test func `a rendition has what its original has, and may be left out itself`() throws {
    let configuration = try Configuration.parse(
      yaml: """
        listeners: {hls: {segment: 2}}
        stations:
          - {id: a, upstream: http://a/, hls: {segment: 4, window: 2h}, renditions: [64]}
          - {id: b, of: a, encode: {bitrate: 32}, hls: false}
          - {id: c, of: a, encode: {bitrate: 32}, hls: {window: 1h}}
          - {id: d, upstream: http://d/, hls: false, renditions: [64]}
        """, file: "c.yml")
    let stations = Dictionary(configuration.stations.map { ($0.id, $0) }) { first, _ in first }
    func hls(_ id: String) throws -> HLSSettings {
      let station = try #require(stations[id])
      let original = station.parent.flatMap { stations[$0] }
      return station.listenerSettings(configuration.listeners, of: original).hls
    }
    #expect(try hls("a-64") == hls("a"))
    #expect(try hls("a-64").segment == 4 && hls("a-64").window?.seconds == 7200)
    #expect(try hls("b").isOn == false)
    #expect(try hls("c").isOn && hls("c").segment == 4 && hls("c").window?.seconds == 3600)
    #expect(try hls("d-64").isOn == false)
    // What a program makes is read as a file is.
    #expect(throws: Never.self) { _ = try configuration.validated() }
  }

  @Test(arguments: ["encode: {bitrate: 64}", "delay: 1h"])
  func `the segments of a station of another one are cut as there`(kind: String) throws {
    let yaml = """
      stations:
        - {id: a, upstream: http://a/, window: 4h, hls: {segment: 4, window: 1h}}
        - id: b
          of: a
          \(kind)
          hls:

      """
    let good = try Configuration.parse(yaml: yaml, file: "c.yml")
    let settings = good.stations[1].listenerSettings(good.listeners, of: good.stations[0]).hls
    #expect(settings.segment == 4)
    do throws(ConfigurationError) {
      _ = try Configuration.parse(yaml: yaml + "      segment: 4\n", file: "c.yml")
      Issue.record("taken")
    } catch {
      #expect(
        error.problems.map(\.description) == [
          "c.yml:7: stations[1].hls.segment: is that of a, whose segments these are; write it there"
        ])
    }
  }

  @Test func `the secret of segments' paths is long enough, and shown nowhere`() throws {
    func read(_ value: String) throws -> Configuration {
      try Configuration.parse(yaml: "listeners: {hls-secret: \(value)}\n", file: "c.yml")
    }
    #expect(try read("0123456789abcdef").server.hlsSecret == "0123456789abcdef")
    #expect(try read("'a text of its own, with ü'").server.hlsSecret == "a text of its own, with ü")
    #expect(Configuration().server.hlsSecret == nil)
    for value in [
      "0123456789abcde", "''", "\"0123456789\\nabcdefg\"", String(repeating: "a", count: 257),
    ] {
      do throws(ConfigurationError) {
        _ = try Configuration.parse(yaml: "listeners: {hls-secret: \(value)}\n", file: "c.yml")
        Issue.record("\(value) is taken")
      } catch {
        #expect(
          error.problems.map(\.description) == [
            "c.yml:1: listeners.hls-secret: must be 16 to 256 characters on one line"
          ])
      }
    }
    let text = "listeners: {hls-secret: 0123456789abcdef}\n"
    let root = try #require(ConfigurationKeys.root(of: text))
    #expect(ConfigurationKeys.tree.secrets(in: root) == ["0123456789abcdef"])
    var shown: [String] = []
    ConfigurationKeys.tree.walk(root, beside: nil) { value, _ in
      shown.append(value.text(without: [], naming: ConfigurationKeys.names))
    }
    #expect(shown == ["listeners.hls-secret: •••"])
  }

  @Test func `no rendition may be called as HLS is, below a station`() {
    #expect(
      problems("renditions: [{bitrate: 64, id: hls}]") == [
        "c.yml:4: stations[0].renditions[0].id: \"hls\" means something else below a station; "
          + "choose another"
      ])
    #expect(problems("renditions: [{bitrate: 64, hls: {segment: 4}}]").count == 1)
  }
}
