import Ingest
import Server
import Testing

@testable import Settings

@Suite struct StationKeysTests {
  @Test func `people, the API and definitions are told of the same keys, each once`() {
    let names = StationKeys.all.names()
    #expect(Set(names).count == names.count)
    #expect(StationKeys.described.names().sorted() == names.sorted())
    #expect(StationKeys.written.names().sorted() == names.sorted())
  }

  @Test func `a key has one name in files and one in bodies, which lead to each other`() {
    let nested = [
      AuthSettings.rows.names(), MetadataSettings.rows.names(), RecordingRule.rows.names(),
    ]
    for name in StationKeys.all.names() + nested.flatMap(\.self) {
      #expect(SettingKey.file(SettingKey.json(name)) == name)
    }
  }

  @Test func `listeners' settings for all are read as a station reads them`() throws {
    let yaml =
      "burst: 7s\n  behind: drop\n  max-lag: 9s\n  shift: false\n  clip: true\n  metaint: 8192"
    let all = try Configuration.parse(yaml: "listeners:\n  " + yaml, file: "c.yml").listeners
    let station = try #require(
      try Configuration.parse(
        yaml: "stations:\n- id: a\n  upstream: http://a/\n  " + yaml, file: "c.yml"
      ).stations.first)
    #expect(station.listenerSettings(.init()) == all)
    #expect(all.allowsClips == true && !all.allowsShift)
  }
}
