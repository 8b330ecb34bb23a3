import Reactor
import Testing

@testable import Settings

@Suite struct OwnUpstreamTests {
  private static func configuration(
    listen: [String] = ["0.0.0.0:8000"], _ stations: (id: String, upstream: [String])...
  ) -> Configuration {
    var configuration = Configuration()
    configuration.server.listen = listen.compactMap { SocketAddress($0) }
    configuration.stations = stations.map { StationDefinition(id: $0.id, upstream: $0.upstream) }
    return configuration
  }

  private static func ways(_ configuration: Configuration) -> [String: [String]] {
    var ways: [String: [String]] = [:]
    let byID = Dictionary(configuration.stations.map { ($0.id, $0) }) { first, _ in first }
    for station in configuration.stations {
      if let loop = configuration.loops(of: station, among: byID).first {
        ways[station.id] = loop.ids
      }
    }
    return ways
  }

  @Test(arguments: [
    "http://localhost:8000/jazz", "http://127.0.0.1:8000/jazz?burst=10",
    "http://user:secret@127.0.0.2:8000/jazz", "icy://localhost:8000/jazz",
  ])
  func `a station that pulls itself is found`(url: String) {
    let own = Self.configuration(("jazz", ["http://example.org/live", url]))
    #expect(Self.ways(own) == ["jazz": ["jazz", "jazz"]])
  }

  @Test(arguments: [
    "http://localhost:8001/jazz", "http://example.org:8000/jazz", "http://localhost:8000/other",
    "http://localhost:8000/", "http://192.0.2.1:8000/jazz",
  ])
  func `a station that pulls another address does not pull itself`(url: String) {
    #expect(Self.ways(Self.configuration(("jazz", [url]))).isEmpty)
  }

  @Test func `a way over several stations, fallbacks and further paths is found and ends`() {
    var own = Self.configuration(
      ("a", ["http://localhost:8000/b"]), ("b", ["http://localhost:8000/path/c"]),
      ("c", ["http://example.org/live"]), ("d", ["http://localhost:8000/a"]))
    own.stations[2].mounts = ["/path/c"]
    #expect(Self.ways(own).isEmpty)
    own.stations[2].fallback = .station("a")
    #expect(Self.ways(own) == ["a": ["a", "b", "c", "a"], "b": ["b", "c", "a", "b"]])
  }

  @Test func `the public address is the relay's own, as is each it listens on`() {
    var own = Self.configuration(
      listen: ["192.0.2.1:80", "[::1]:9000"], ("jazz", ["https://radio.example.org/jazz"]))
    #expect(Self.ways(own).isEmpty)
    own.server.publicURL = "https://radio.example.org"
    #expect(Self.ways(own).count == 1)
    own.stations[0] = StationDefinition(id: "jazz", upstream: ["http://[::1]:9000/jazz"])
    #expect(Self.ways(own).count == 1)
    own.stations[0] = StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:80/jazz"])
    #expect(Self.ways(own).isEmpty)
  }
}
