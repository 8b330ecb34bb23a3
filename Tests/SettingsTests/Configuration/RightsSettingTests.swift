import Testing
import Timeshift

@testable import Server
@testable import Settings

/// What a station lets nobody do, as people write it.
@Suite struct RightsSettingTests {
  private func station(_ keys: String, _ listeners: String = "") throws -> (
    StationDefinition, ListenerSettings
  ) {
    let yaml = "listeners: {\(listeners)}\nstations: [{id: a, upstream: http://a/, \(keys)}]\n"
    let configuration = try Configuration.parse(yaml: yaml, file: "x")
    let station = try #require(configuration.stations.first)
    return (station, station.listenerSettings(configuration.listeners))
  }

  private typealias Row = (keys: String, listeners: String, shift: Bool, clip: Bool, max: Double?)

  @Test func `a station's own word counts, then that for all`() throws {
    let rows: [Row] = [
      ("burst: 4s", "", true, true, nil),
      ("shift: false", "", false, false, nil),
      ("shift: false, clip: true", "", false, true, nil),
      ("clip: false", "", true, false, nil),
      ("offset-max: 2h", "", true, true, 7200),
      ("burst: 4s", "shift: false", false, false, nil),
      ("shift: true", "shift: false", true, true, nil),
      ("shift: false", "clip: true", false, false, nil),
      ("burst: 4s", "clip: false, offset-max: 1h", true, false, 3600),
      ("offset-max: 2h, clip: true", "clip: false, offset-max: 1h", true, true, 7200),
    ]
    for row in rows {
      let (_, settings) = try station(row.keys, row.listeners)
      #expect(settings.allowsShift == row.shift, "\(row)")
      #expect(settings.givesClips == row.clip, "\(row)")
      #expect(settings.offsetMax?.seconds == row.max, "\(row)")
    }
  }

  @Test(arguments: [
    "shift: no", "clip: 1", "offset-max: 0", "offset-max: 10000d", "record: no",
    "shift: false, offset-max: 1h",
  ])
  func `a right that cannot be set is refused`(keys: String) {
    #expect(throws: ConfigurationError.self) { try station(keys) }
  }

  @Test func `the store keeps rights, and a request's body may have them`() throws {
    for keys in [
      "shift: false", "shift: true, clip: false", "offset-max: 90", "record: false",
      "record: [weekdays 18:00-19:30]",
    ] {
      let (written, _) = try station(keys)
      let json = try #require(JSON.parse(written.json.bytes))
      #expect(try StationBody.station(json) == written, "\(keys)")
    }
    let (off, _) = try station("record: false")
    #expect(!off.allowsRecording && off.record.isEmpty)
    let on = try StationBody.patched(off, with: ["record": "weekdays 18:00-19:30"])
    #expect(on.allowsRecording && on.record.count == 1)
    let again = try StationBody.patched(on, with: ["record": .bool(false)])
    #expect(!again.allowsRecording && again.record.isEmpty)
    let unset = try StationBody.patched(again, with: ["record": .null])
    #expect(unset.allowsRecording)
  }
}
