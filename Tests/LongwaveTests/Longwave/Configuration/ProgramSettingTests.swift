import Ingest
import Reactor
import Testing
import Wire

@testable import Longwave

/// `command:` of a station in the configuration.
@Suite struct ProgramSettingTests {
  private func station(_ lines: String, file: String = "/etc/c.yml") throws -> StationDefinition {
    let yaml = "stations:\n- id: jazz\n  " + lines
    return try #require(try Configuration.parse(yaml: yaml, file: file).stations.first)
  }

  @Test func `a command is a list of a program and its arguments, read as they are`() throws {
    let call = try #require(
      try station(#"command: [ffmpeg, -re, -i, "a b$(x)", -b:a, 128k, -f, mp3, "-"]"#).program)
    #expect(
      call.arguments == ["ffmpeg", "-re", "-i", "a b$(x)", "-b:a", "128k", "-f", "mp3", "-"])
    #expect(call.folder == "/etc" && call.name == "ffmpeg")
    let settings = try station("command: [/opt/bin/play, x]").upstreamSettings(.init(urls: []))
    #expect(settings.program?.arguments == ["/opt/bin/play", "x"])
    #expect(settings.urls == ["command: play"])
    #expect(try station("command: [a]", file: "/c.yml").program?.folder == "/")
  }

  @Test(arguments: [
    ("command: ffmpeg -i x", "command: must be a list of the program and each argument"),
    ("command: []", "command: is empty; write the program and its arguments"),
    ("command: [\"\", x]", "command: names no program"),
    ("command: [a, b: c]", "command: has keys of its own; write a text, in quotes"),
    ("command: [a, [b]]", "command: has a list; write a text"),
    ("command:", "command: must be a list of the program and each argument"),
    ("command: [a]\n  upstream: http://x/", "upstream: has no place beside command:"),
    ("command: [a]\n  files: /srv", "command: has no place beside files:"),
    ("command: [a]\n  of: rock\n  delay: 1h", "command: has no place beside of:"),
    ("command: [a]\n  delay: 1h", "delay: goes with of:"),
    ("command: [\(Array(repeating: "a", count: 65).joined(separator: ", "))]", "has 65 entries"),
    ("command: [\(String(repeating: "a", count: 4097))]", "has an argument of 4097 bytes"),
  ])
  func `a command that cannot be is refused with the reason`(lines: String, words: String) {
    let error = #expect(throws: ConfigurationError.self) { try station(lines) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(words))
  }

  @Test func `a command may be long`() throws {
    let arguments = Array(repeating: String(repeating: "a", count: 4096), count: 64)
    let yaml = "command:\n" + arguments.map { "  - \($0)\n" }.joined()
    #expect(try station(yaml).program?.arguments == arguments)
  }

  @Test func `bodies of requests and of the store cannot name a program`() throws {
    let jazz = try station("command: [cat, x]")
    let sent = #expect(throws: RelayError.self) { _ = try StationBody.station(jazz.json) }
    #expect(sent?.description.contains("configuration file only") == true)
    #expect(throws: RelayError.self) { _ = try StationBody.stored(jazz.json) }
    // What is told of it can be read by whoever is told.
    #expect(try StationBody.told(jazz.json).program?.arguments == ["cat", "x"])
    let rock = StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:9/"])
    #expect(throws: RelayError.self) {
      _ = try StationBody.patched(rock, with: ["upstream": .null, "command": ["cat"]])
    }
  }

  @Test func `a sound input is an upstream whose samples are encoded`() throws {
    let desk = try station("upstream: alsa:hw:1,0\n  encode: {bitrate: 128, rate: 48000}")
    #expect(desk.isPulled && desk.hasOwnLog && desk.upstream.isEmpty)
    let settings = desk.upstreamSettings(.init(urls: []))
    #expect(settings.urls == ["alsa:hw:1,0"] && settings.encode?.raw == .s16le)
    let words = ["-f", "S16_LE", "-r", "48000", "-c", "2", "-t", "raw"]
    #expect(settings.program?.arguments == ["arecord", "-D", "hw:1,0"] + words)
    #expect(try StationBody.told(desk.json) == desk)
    #expect(throws: RelayError.self) { _ = try StationBody.station(desk.json) }
    #expect(throws: RelayError.self) { _ = try StationBody.stored(desk.json) }
    let jazz = StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:9/"])
    let sent = #expect(throws: RelayError.self) {
      _ = try StationBody.patched(
        jazz, with: ["upstream": "alsa:default", "encode": ["bitrate": .number(128)]])
    }
    #expect(sent?.description.contains("alsa: is taken from the configuration file") == true)
  }

  @Test(arguments: [
    ("upstream: alsa:default", "encode: is missing; the samples of a sound input are encoded"),
    ("upstream: [alsa:a, http://x/]\n  encode: {bitrate: 128}", "has alsa:a beside others"),
    ("upstream: \"alsa:\"\n  encode: {bitrate: 128}", "names no sound input; write alsa: and"),
    ("upstream: alsa:a b\n  encode: {bitrate: 128}", "names no sound input"),
    ("upstream: alsa:a\n  encode: {bitrate: 128, channels: 3}", "encode.channels"),
    ("upstream: alsa:a\n  encode: {bitrate: 128}\n  delay: 1h", "delay: goes with of:"),
  ])
  func `a sound input that cannot be is refused with the reason`(lines: String, words: String) {
    let error = #expect(throws: ConfigurationError.self) { try station(lines) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(words))
  }

  @Test func `a command's arguments are masked where a configuration is shown`() {
    var changes = ConfigurationChanges()
    changes.compare(
      "",
      "stations:\n- id: jazz\n  command:\n    - ffmpeg\n    - hunter2\n  name: Jazz\n"
        + "- id: rock\n  command: [play, hunter2]\n")
    let text = changes.json.text
    #expect(!text.contains("hunter2") && text.contains("stations.jazz.name: Jazz"))
  }
}
