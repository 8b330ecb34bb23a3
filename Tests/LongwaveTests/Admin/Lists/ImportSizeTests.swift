import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAdmin
@testable import Settings

/// Files of stations that are made to be much.
@Suite struct ImportSizeTests {
  /// Each level is nine times the one before.
  private func bomb(levels: Int, use: String = "stations: *a") -> String {
    var yaml = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
    for level in 1...levels {
      let names = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ",")
      yaml += "a\(level): &a\(level == levels ? "" : "\(level)") [\(names)]\n"
    }
    return yaml + use + "\n"
  }

  @Test(arguments: ["stations: *a", "? *a\n: x", "{*a : x, [*a]: y}", "<<: *a"])
  func `aliases of aliases are refused before anything is made of them`(use: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.parse(yaml: bomb(levels: 12, use: use), file: "bomb.yml")
    }
    #expect(error.map { "\($0)".contains("aliases") } == true)
    #expect(throws: ConfigurationError.self) {
      try StationCandidate.read(Array(bomb(levels: 12, use: use).utf8), name: "bomb.yml")
    }
  }

  @Test func `aliases as people write them are read`() throws {
    let yaml = """
      stations:
        - {id: a, upstream: "http://h/a", auth: &auth {tokens: ["a-good-token"]}}
        - {id: b, upstream: "http://h/b", auth: *auth}
      """
    let configuration = try Configuration.parse(yaml: yaml, file: "x.yml")
    #expect(configuration.stations.count == 2)
    #expect(configuration.stations[0].auth == configuration.stations[1].auth)
    #expect(YAMLMeasure.problem(in: bomb(levels: 3)) == nil)
  }

  @Test func `YAML nested too deep is refused with its line`() {
    let yaml = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(
      YAMLMeasure.problem(in: "x: 1\ny: " + yaml)
        == .init(line: 2, message: "is nested more than 64 deep"))
  }

  @Test func `ids that very many stations ask for are found in few steps`() {
    var naming = StationNaming(taken: [])
    var last = ""
    for _ in 0..<10_000 { last = naming.reserveID(name: "Jazz", url: "") }
    #expect(last == "jazz-10000" && naming.taken.count == 10_000)
    #expect(naming.reserveID(name: "Rock", url: "") == "rock")
  }

  @Test func `a list of more stations than a relay has is refused in words`() {
    func message(_ bytes: [UInt8], _ name: String) -> String {
      do {
        return "\(try StationCandidate.read(bytes, name: name).count)"
      } catch {
        return "\(error)"
      }
    }
    let m3u = (0...10_000).map { "#EXTINF:-1,J \($0)\nhttp://h/\($0)\n" }.joined()
    #expect(message(Array("#EXTM3U\n\(m3u)".utf8), "x.m3u").contains("has 10001 stations; at most"))
    let same = (0..<2000).map { "#EXTINF:-1,Jazz\nhttp://h/\($0)\n" }.joined()
    #expect(message(Array("#EXTM3U\n\(same)".utf8), "x.m3u") == "1")
    let yaml = (0...10_000).map { "- {id: s\($0), upstream: \"http://h/\($0)\"}\n" }.joined()
    #expect(message(Array(yaml.utf8), "x.yml").contains("has 10001 stations; a relay has at most"))
  }

  @Test func `Icecast's mounts are found by their path, and too many are refused`() throws {
    func xml(_ count: Int) -> [UInt8] {
      let mounts = (0..<count).map {
        "<mount><mount-name>/m\($0)</mount-name><fallback-mount>/m\($0 / 2)</fallback-mount></mount>"
      }
      let relays = (0..<count).map {
        "<relay><server>h\($0)</server><mount>/m\($0)</mount></relay>"
      }
      return Array("<icecast>\(relays.joined())\(mounts.joined())</icecast>".utf8)
    }
    let text = try IcecastImport(xml(5000), file: "icecast.xml").text
    #expect(text.split(separator: "\n").count { $0.hasPrefix("  - id: ") } == 5000)
    #expect(text.contains("fallback: station:m249\n"))
    let error = #expect(throws: ConfigurationError.self) {
      try IcecastImport(xml(5001), file: "icecast.xml")
    }
    #expect(error.map { "\($0)".contains("has 10002 relays and mounts") } == true)
  }

  @Test func `a chain of fallbacks is not walked to its end for each of its stations`() {
    let yaml = (0..<300).map {
      "  - {id: s\($0), upstream: \"http://h/\($0)\", fallback: \"station:s\($0 + 1)\"}\n"
    }.joined()
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.parse(
        yaml: "stations:\n\(yaml)  - {id: s300, upstream: \"http://h/\"}\n", file: "x.yml")
    }
    #expect(error.map { "\($0)".contains("leads over more than 64 stations") } == true)
  }
}
