import TestSupport
import Testing

@testable import Settings

@Suite struct ManualTests {
  static var text: String {
    get throws { try Repository.text("Config/longwave.yml") }
  }

  @Test func `the manual's configuration is that of a relay without one`() throws {
    var defaults = Configuration()
    (defaults.file, defaults.text) = ("longwave.yml", try Self.text)
    defaults.server.isListenersMaxWritten = true
    #expect(try Configuration.parse(yaml: Self.text, file: "longwave.yml") == defaults)
  }

  @Test func `the manual shows every key`() throws {
    let text = try Self.text
    for (section, keys) in ConfigurationKeys.sections {
      for key in keys {
        #expect(text.contains("\(key):"), "\(section).\(key) is missing")
      }
    }
  }

  @Test func `each section of the manual shows its own keys`() throws {
    let lines = try Self.text.split(separator: "\n", omittingEmptySubsequences: false)
    for (section, rows) in GlobalKeys.sections {
      let inside = lines.drop { $0 != "\(section):" }.dropFirst()
        .prefix { $0.isEmpty || "# ".contains($0.first ?? "#") }
      let shown = inside.compactMap { $0.wholeMatch(of: #/  (?:# )?([a-z-]+):(?: .*)?/#)?.1 }
      for key in rows.names() { #expect(shown.contains(key[...]), "\(section).\(key) is missing") }
    }
  }

  @Test func `the manual says which keys only a start reads`() throws {
    let said = try #require(
      try Self.text.firstMatch(of: /The keys ([a-z, \n#-]+) apply from the next start on/)?.1)
    let keys = said.matches(of: /[a-z]+(?:-[a-z]+)*/).map { String($0.output) }
    let rows = GlobalKeys.sections.flatMap(\.rows).filter { $0.takesEffect == .start }
    #expect(Set(keys) == Set(rows.names() + ["and"]))
  }

  @Test func `the example station in the manual is right`() throws {
    let text = try Self.text
    let example = try #require(text.firstRange(of: "\n# stations:\n"))
    let yaml = text[example.lowerBound...].split(separator: "\n")
      .map { $0.dropFirst(2) }.joined(separator: "\n")
    let stations = try Configuration.parse(yaml: yaml, file: "example").stations
    let station = try #require(stations.first)
    #expect(station.id == "jazz")
    #expect(station.userAgent == "Mozilla/5.0")
    for key in ConfigurationKeys.station { #expect(yaml.contains("\(key):")) }
  }
}
