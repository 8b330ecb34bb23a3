import Foundation
import Logging
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import LongwaveAdmin
@testable import Settings
@testable import Store

/// Fallbacks as they are written down.
@Suite struct FallbackSettingTests {
  static let mistakes: [ConfigurationMistakeTests.Mistake] = [
    ConfigurationMistakeTests.Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    fallback: loud\n    fallback-after: 0\n",
      "c.yml:4: stations[0].fallback: \"loud\" is not silence, station:ID, or file: and a path such as "
        + "file:/srv/loop.mp3; did you mean station:loud?",
      "c.yml:5: stations[0].fallback-after: 0 is out of range; write 1s to 1h"),
    ConfigurationMistakeTests.Mistake(
      "stations:\n  - {id: a, upstream: http://a/, fallback: silent}\n"
        + "  - {id: b, upstream: http://a/, fallback: /srv/a.mp3}\n"
        + "  - {id: c, upstream: http://a/, fallback: a b}\n",
      "c.yml:2: stations[0].fallback: \"silent\" is not silence, station:ID, or file: and a path such as "
        + "file:/srv/loop.mp3; did you mean silence?",
      "c.yml:3: stations[1].fallback: \"/srv/a.mp3\" is not silence, station:ID, or file: and a path such "
        + "as file:/srv/loop.mp3; did you mean file:/srv/a.mp3?",
      "c.yml:4: stations[2].fallback: \"a b\" is not silence, station:ID, or file: and a path such as "
        + "file:/srv/loop.mp3"),
    ConfigurationMistakeTests.Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    fallback: station:b\n",
      "c.yml:4: stations.a.fallback: there is no station \"b\""),
    ConfigurationMistakeTests.Mistake(
      "stations:\n  - {id: a, upstream: http://a/, fallback: \"station:b\"}\n"
        + "  - {id: b, upstream: http://a/, fallback: \"station:a\"}\n"
        + "  - {id: c, of: a, delay: 1h, fallback: silence}\n"
        + "  - {id: d, upstream: http://a/, fallback: \"station:c\"}\n",
      "c.yml:2: stations.a.fallback: goes round in a circle: a, b, a",
      "c.yml:3: stations.b.fallback: goes round in a circle: b, a, b",
      "c.yml:4: stations.c.fallback: has no place beside of:, which plays on while \"a\" is away",
      "c.yml:5: stations.d.fallback: \"c\" is itself another station, later; name \"a\""),
    ConfigurationMistakeTests.Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    fallback: file:/nowhere/loop.mp3\n",
      "c.yml:4: stations.a.fallback: /nowhere/loop.mp3 cannot be opened: No such file or directory"),
  ]

  @Test(arguments: mistakes)
  func `a fallback that could never be heard is told with its line`(
    _ mistake: ConfigurationMistakeTests.Mistake
  ) {
    do throws(ConfigurationError) {
      _ = try Configuration.parse(yaml: mistake.yaml, file: "c.yml")
      Issue.record("no mistake")
    } catch {
      #expect(error.problems.map(\.description) == mistake.lines)
    }
  }

  @Test(arguments: [
    FallbackSetting.silence, .station("jazz-2"), .file("/srv/a loop: one.mp3"),
  ])
  func `a written fallback is read as it was, and its public text has no path`(
    _ setting: FallbackSetting
  ) throws {
    #expect(try ValueRule<FallbackSetting>.fallback.parse(setting.text) == setting)
    #expect(!setting.publicText.contains("/"))
  }

  @Test func `a file is known by its first packet, behind tags as long as a picture`() throws {
    let folder = TemporaryDirectory()
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 16, 0, 0]
    let picture = [UInt8](repeating: 0x41, count: 16 << 14)
    folder.write("loop.mp3", tag + picture + NumberedFrames.stream(0..<20))
    let format = try FallbackFile(path: folder.path + "/loop.mp3").format()
    #expect(format.codec == .mp3 && format.sampleRate == 44_100 && format.channels == 2)
    folder.write("short.mp3", [])
    #expect(throws: FallbackFile.Failure.self) {
      try FallbackFile(path: folder.path + "/short.mp3").format()
    }
    #expect(throws: FallbackFile.Failure.self) { try FallbackFile(path: folder.path).format() }
  }

  @Test func `a format other than the one of the window on the disk is told with its line`()
    throws
  {
    let folder = TemporaryDirectory()
    try write("a", .mp3, in: folder)
    try write("b", .aac, in: folder)
    try write("d", .opus, in: folder)
    folder.write("loop.mp3", NumberedFrames.stream(0..<20))
    let upstream = "upstream: http://a/, fallback:"
    let yaml =
      "stations:\n  - {id: a, \(upstream) \"station:b\"}\n"
      + "  - {id: b, \(upstream) \"file:\(folder.path)/loop.mp3\"}\n"
      + "  - {id: c, \(upstream) silence}\n  - {id: d, \(upstream) silence}\n"
      + "  - {id: e, \(upstream) \"station:a\"}\n"
    let configuration = try Configuration.parse(yaml: yaml, file: "c.yml")
    let told = configuration.fallbackMisfits(data: folder.path).map(\.description)
    try #require(told.count == 3)
    #expect(told[0].hasPrefix("c.yml:2: stations.a.fallback: its format is aac"))
    #expect(told[1].hasPrefix("c.yml:3: stations.b.fallback: its format is mp3"))
    #expect(told[2].hasPrefix("c.yml:5: stations.d.fallback: silence cannot be made in opus"))
    #expect(configuration.fallbackMisfits(data: folder.path + "/nothing").isEmpty)
  }

  /// Leaves a window of one packet for a station.
  private func write(_ station: String, _ codec: Codec, in folder: TemporaryDirectory) throws {
    let directory = DataDirectory.logPath(station: station, in: folder.path)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let log = try PacketLog.open(
      directory: directory, configuration: LogConfiguration(retention: MediaTime(seconds: 60)),
      storage: Storage(), at: .now(), report: { _ in })
    let packet = NumberedFrames.frame(0)
    let format = AudioFormat(codec: codec, sampleRate: 44_100, channels: 2)
    log.append(packet.span, samples: 1152, format: format)
    log.publish(at: .now())
    log.close()
  }

  /// Keeps what is logged.
  private struct Lines: LogHandler {
    final class Kept: Sendable {
      let lines = Mutex<[String]>([])
    }

    let kept: Kept
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      kept.lines.withLock { $0.append("\(event.level) \(event.message)") }
    }
  }

  @Test func `a fallback that does not fit its window is warned of, not refused`() async throws {
    let folder = TemporaryDirectory()
    try write("a", .mp3, in: folder)
    try write("b", .aac, in: folder)
    try write("c", .aac, in: folder)
    let music = TemporaryDirectory()
    music.write("loop.mp3", NumberedFrames.stream(0..<20))
    let upstream = "upstream: http://127.0.0.1:9/, fallback:"
    let yaml =
      "stations:\n  - {id: a, \(upstream) \"station:b\"}\n  - {id: b, upstream: http://127.0.0.1:9/}\n"
      + "  - {id: c, \(upstream) \"file:\(music.path)/loop.mp3\"}\n"
    let configuration = try Configuration.parse(yaml: yaml, file: "c.yml")
    // Before it runs, as while it runs.
    let report = try await ConfigurationReport.checking(configuration, data: folder.path)
    let words = "players would stop at the change, so it is not heard while that is so"
    let told = report.lines.filter { $0.hasSuffix(words) }
    #expect(told.count == 2 && told[0].contains("c.yml:2: stations.a.fallback: its format is aac"))
    #expect(report.json["misfits"] == .array(report.misfits.map { .string($0.description) }))
    var options = RelayOptions(
      data: folder.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    let kept = Lines.Kept()
    options.logger = Logger(label: "test") { _ in Lines(kept: kept) }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    for id in ["a", "b", "c"] {
      try await eventually("the window is read") {
        await relay.log(of: id)?.snapshot().format != nil
      }
    }
    kept.lines.withLock { $0 = [] }
    var changed = configuration
    changed.stations[0].name = "Another"
    #expect(try await relay.apply(changed).changed == ["a"])
    let warnings = kept.lines.withLock { $0.filter { $0.hasSuffix(words) } }
    #expect(warnings.count == 2, "\(warnings)")
    #expect(warnings.first?.hasPrefix("warning c.yml:2: stations.a.fallback: its format") == true)
    await relay.stop()
  }
}
