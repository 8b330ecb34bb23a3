import Testing

@testable import Longwave
@testable import LongwaveAdmin

/// What becomes of the paths of Icecast's mounts, relays and aliases, and of what leads from one to another.
@Suite struct IcecastPathTests {
  private func yaml(_ xml: String) throws -> String {
    try IcecastImport(Array("<icecast>\n\(xml)\n</icecast>".utf8), file: "i.xml", on: .forTests)
      .text
  }

  private func stations(_ xml: String) throws -> [StationDefinition] {
    let text = try yaml(xml)
    do {
      return try Configuration.parse(yaml: text, file: "made.yml").stations
    } catch {
      Issue.record("\(error)\n\(text)")
      throw error
    }
  }

  private static func mount(_ path: String, _ more: String = "") -> String {
    "<mount><mount-name>\(path)</mount-name>\(more)</mount>"
  }

  private static func relay(_ host: String, _ path: String, _ more: String = "") -> String {
    "<relay><server>\(host)</server><mount>\(path)</mount>\(more)</relay>"
  }

  private static func alias(_ source: String, _ mount: String) -> String {
    "<paths><alias source=\"\(source)\" destination=\"\(mount)\"/></paths>"
  }

  /// XML, and the ids of its stations with their further paths.
  private static let paths: [(xml: String, made: [String])] = [
    (mount("/live.mp3") + mount("/live"), ["live-2 /live.mp3", "live"]),
    (mount("/live") + mount("/live.mp3"), ["live", "live-2 /live.mp3"]),
    (mount("/Live") + mount("/live"), ["live-2 /Live", "live"]),
    (mount("/north/a") + mount("/a"), ["a-2 /north/a", "a"]),
    (mount("/a.mp3") + mount("/a") + mount("/a-2"), ["a-3 /a.mp3", "a", "a-2"]),
    (relay("h", "/jazz.mp3") + mount("/jazz"), ["jazz-2 /jazz.mp3", "jazz"]),
    (
      relay("h", "/x", "<local-mount>jazz</local-mount>") + mount("/jazz.mp3"),
      ["jazz", "jazz-2 /jazz.mp3"]
    ),
    (
      mount("/radio.mp3") + mount("/main.mp3") + alias("/radio", "/main.mp3"),
      ["radio-2 /radio.mp3", "main /main.mp3 /radio"]
    ),
    // The id may be what leads to the station anyway.
    (mount("/radio.mp3") + alias("/radio", "/radio.mp3"), ["radio /radio.mp3 /radio"]),
    // A mount's path is not an alias's as well.
    (mount("/a") + mount("/b") + alias("/a", "/b"), ["a", "b"]),
    // A path that no station may have is not written, and its alias is.
    (mount("/a b") + alias("/c", "/a b"), ["a-b /c"]),
    // An alias of no mount keeps no name from a station.
    (mount("/a.mp3") + alias("/a", "/status.xsl"), ["a /a.mp3"]),
  ]

  @Test(arguments: Self.paths)
  func `every path goes on to lead where it led`(xml: String, made: [String]) throws {
    let stations = try stations(xml)
    #expect(stations.map { ([$0.id] + $0.mounts).joined(separator: " ") } == made)
  }

  @Test func `a path that only has a mount of its own is said to be none`() throws {
    for (xml, _) in Self.paths {
      #expect(try !yaml(xml).contains("it is no path here"), "\(xml)")
    }
  }

  @Test func `several relays to one path are one station, which asks them in order`() throws {
    let xml = ["a", "b", "a"].map { Self.relay($0, "/A.mp3") }.joined(separator: "\n")
    let made = try stations(xml)
    #expect(made.map(\.upstream) == [["http://a:8000/A.mp3", "http://b:8000/A.mp3"]])
    #expect(made.first?.mounts == ["/A.mp3"])
    let text = try yaml(xml)
    #expect(text.contains("# Line 3 is a further relay to /A.mp3: it is tried when those before"))
    #expect(text.contains("# Line 4 is a further relay to /A.mp3, from the same place."))
  }

  @Test func `a station has no more upstreams than it may have`() throws {
    let xml = (0..<70).map { Self.relay("h\($0)", "/A.mp3") }.joined(separator: "\n")
    #expect(try stations(xml).map(\.upstream.count) == [64])
    #expect(try yaml(xml).contains("/A.mp3, from http://h69:8000/A.mp3; a station has at most 64."))
  }

  @Test func `the first of several mounts of one path counts, and the others are told`() throws {
    let xml =
      Self.mount("/a", "<genre>One</genre>") + "\n" + Self.mount("a", "<genre>Two</genre>")
    #expect(try stations(xml).map(\.genre) == ["One"])
    let text = try yaml(xml)
    #expect(text.contains("# Line 3 is a further mount /a: as in Icecast, the first one counts."))
    #expect(text.contains("# Line 3, mount/genre: Two: "))
  }

  private static func falling(_ path: String, to other: String) -> String {
    mount(path, "<fallback-mount>\(other)</fallback-mount>")
  }

  @Test func `a chain of fallbacks is said to have one step only`() throws {
    let text = try yaml(
      Self.falling("/live", to: "/dj") + Self.falling("/dj", to: "/rest") + Self.mount("/rest"))
    let words =
      "# fallback: listeners of live get station:dj, but not its own fallback station:rest"
    #expect(text.contains(words), "\(text)")
    #expect(text.ranges(of: "but not its own").count == 1)
  }

  @Test func `a chain that is too long for a configuration is not written`() throws {
    let xml = (0..<100).map { Self.falling("/s\($0)", to: "/s\($0 + 1)") } + [Self.mount("/s100")]
    let made = try stations(xml.joined())
    #expect(made.count == 101 && made[0].fallback == nil && made[99].fallback == .station("s100"))
    #expect(try yaml(xml.joined()).contains("# fallback station:s1: leads over more than"))
  }

  @Test(arguments: [
    ("inf", "inf"), ("nan", "128"), ("65536", "inf"), ("65536", "nan"), ("65536", "0"),
    ("1e400", "1"),
    ("999999999999", "1"), ("-1", "-1"),
  ])
  func `a burst is a number of seconds that can be, or is not taken`(bytes: String, rate: String)
    throws
  {
    let xml = Self.mount(
      "/a", "<burst-size>\(bytes)</burst-size><bitrate>\(rate)</bitrate>")
    let burst = try stations(xml).first?.burst
    #expect(burst.map { (0...60).contains($0) } ?? true, "\(burst ?? -1)")
    if burst == nil { #expect(try yaml(xml).contains("mount/burst-size: \(bytes): write burst:")) }
  }

  @Test(arguments: [
    String(repeating: " ", count: 4 << 20), String(repeating: "<a/>", count: 400_000),
  ])
  func `a file that is far larger than people write is refused before it is read`(xml: String) {
    let error = #expect(throws: ConfigurationError.self) { try yaml(xml) }
    #expect(error?.description.hasPrefix("i.xml: has more than 4 MiB or 400000 tags; ") == true)
  }
}
