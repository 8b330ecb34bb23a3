import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// Stations whose upstream is a sound input, `alsa:DEVICE`: ALSA's devices that read a file stand in for hardware.
@Suite struct SoundInputScenarioTests {
  private struct Setup {
    let folder = TemporaryDirectory()
    var path: String { folder.path }
    var file: String { path + "/longwave.yml" }
    /// ALSA's own variable.
    var environment: [String] { ["ALSA_CONFIG_PATH=\(path)/asound.conf"] }

    /// A device `tone` of 44,100 Hz in stereo that gives 1 kHz for 40 s, and silence behind it.
    init() throws {
      let samples = Signals.sine(1000, rate: 44_100, channels: 2, seconds: 40, amplitude: 0.5)
      folder.write(
        "tone.raw",
        samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
      folder.write(
        "asound.conf",
        Array(
          """
          pcm.file {
            type file
            file "/dev/null"
            infile "\(path)/tone.raw"
            format "raw"
            slave.pcm { type null }
          }
          pcm.tone {
            type plug
            slave { pcm "file" format S16_LE rate 44100 channels 2 }
          }
          """.utf8))
    }

    func write(_ stations: String) throws {
      try "admin:\n  token: \(Scenario.token)\nstations:\n\(stations)"
        .write(toFile: file, atomically: true, encoding: .utf8)
    }
  }

  private func withServer(
    _ setup: Setup, environment: [String] = [], _ body: (LongwaveProcess) async throws -> Void
  ) async throws {
    let server = try await LongwaveProcess(
      ["serve", "--config", setup.file], data: setup.path + "/data",
      environment: environment + setup.environment)
    try await body(server)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  private static let bearer = "Authorization: Bearer \(Scenario.token)"

  @Test func `a sound input is heard as MP3, at the rate and in the channels that are wished`()
    async throws
  {
    let setup = try Setup()
    try setup.write(
      """
        - id: desk
          upstream: alsa:tone
          encode: {bitrate: 128}
        - id: speech
          upstream: alsa:tone
          encode: {bitrate: 64, rate: 48000, channels: 1}

      """)
    try await withServer(setup) { server in
      for (id, rate, channels) in [("desk", 44_100, 2), ("speech", 48_000, 1)] {
        try await server.api.until(id, is: "playing")
        try await expectTone(of: id, at: server.address, rate: rate, channels: channels)
        let upstream = try await server.api.station(id)["upstream"]
        #expect(upstream?["url"]?.string == "alsa:tone")
        let words = ["-f", "S16_LE", "-r", "\(rate)", "-c", "\(channels)", "-t", "raw"]
        #expect(
          upstream?["command"]?.items.map(\.string) == ["arecord", "-D", "tone"] + words)
      }
      let export = try await LongwaveProcess.command(
        ["station", "export"], data: setup.path + "/data")
      #expect(export.status == 0 && export.output.contains("alsa:"), "\(export.log)")
    }
  }

  @Test func `a sound input whose program is killed begins again, and a stop ends it`() async throws
  {
    let setup = try Setup()
    try setup.write("  - id: desk\n    upstream: alsa:tone\n    encode: {bitrate: 128}\n")
    try await withServer(setup) { server in
      try await server.api.until("desk", is: "playing")
      let first = try #require(try server.children.first)
      #expect(kill(first, SIGKILL) == 0)
      try await eventually("another one") {
        try server.children.contains { $0 != first }
      }
      try await server.api.until("desk", is: "playing")
      _ = try await HTTPExchange(
        "POST", "/api/v1/stations/desk/stop", at: server.address, fields: [Self.bearer], body: "")
      try await eventually("none is left") { try server.children.isEmpty }
    }
  }

  @Test func `a device that is not there fails by name, in words`() async throws {
    let setup = try Setup()
    try setup.write("  - id: desk\n    upstream: alsa:hw:7,0\n    encode: {bitrate: 128}\n")
    try await withServer(setup) { server in
      try await server.api.until("desk", is: "failed")
      let told =
        "alsa:hw:7,0: there is no such sound device (arecord ended with exit code 1)"
      let reason = try await server.api.station("desk")["stateReason"]?.string ?? ""
      #expect(reason.hasPrefix(told + "\n") && reason.contains("audio open error"), "\(reason)")
      let open = try await HTTPExchange("GET", "/api/v1/stations/desk", at: server.address)
      #expect(JSON.parse(open.body)?["stateReason"]?.string == told)
    }
  }

  @Test func `a sound input without its program names the package to install`() async throws {
    let setup = try Setup()
    try setup.write("  - id: desk\n    upstream: alsa:default\n    encode: {bitrate: 128}\n")
    try await withServer(setup, environment: ["PATH=\(setup.path)"]) { server in
      try await server.api.until("desk", is: "failed")
      let reason = try await server.api.station("desk")["stateReason"]?.string ?? ""
      #expect(
        reason.hasPrefix("alsa-utils is not installed: no such program: arecord"), "\(reason)")
    }
  }

  @Test func `a request cannot name a device`() async throws {
    let setup = try Setup()
    try setup.write("  - id: jazz\n    upstream: http://127.0.0.1:9/\n")
    try await withServer(setup) { server in
      for (method, path, body) in [
        ("POST", "stations", #"{"id":"x","upstream":"alsa:default","encode":{"bitrate":128}}"#),
        ("POST", "stations", #"{"id":"x","upstream":["alsa:hw:1,0"],"encode":{}}"#),
        ("POST", "stations/check", #"{"upstream":["alsa:default"]}"#),
      ] {
        let answer = try await HTTPExchange(
          method, "/api/v1/\(path)", at: server.address, fields: [Self.bearer], body: body)
        #expect(answer.status == 400, "\(body): \(answer.text)")
        let words = "alsa: is taken from the configuration file only"
        #expect(path != "stations" || answer.text.contains(words), "\(answer.text)")
      }
    }
  }

  @Test func `a sound input is relayed without a configuration`() async throws {
    let setup = try Setup()
    let server = try await LongwaveProcess(
      ["relay", "alsa:tone", "--encode", "128"], data: setup.path + "/data",
      environment: setup.environment)
    try await server.api.until("input", is: "playing")
    let refused = try await LongwaveProcess.command(["relay", "alsa:tone"])
    #expect(refused.status != 0 && refused.log.contains("--encode 192"), "\(refused.log)")
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }
}
