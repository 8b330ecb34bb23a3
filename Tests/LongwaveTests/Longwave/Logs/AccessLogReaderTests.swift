import Foundation
import Logging
import Reactor
import Server
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

/// Programs that count listeners read our access log as the manual says, word for word.
@Suite struct AccessLogReaderTests {
  /// More by hand: LONGWAVE_LOG_LINES=100000.
  private static let count =
    ProcessInfo.processInfo.environment["LONGWAVE_LOG_LINES"].flatMap { Int($0) } ?? 2_000

  private static let origins: [Peer] =
    ["203.0.113.77", "2001:db8::1", "::1", "fe80::1", "::ffff:192.0.2.1", "198.51.100.9"].map {
      .tcp(SocketAddress(host: $0, port: 1)!)
    } + [.unixSocket]
  private static let methods = ["GET", "GET", "GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"]
  private static let targets = [
    "/jazz", "/jazz.mp3?offset=30m", "/jazz.ogg", "/live.opus", "/shows/a%20b/c.mp3", "/",
    "/jazz/clip?from=-10m&to=-5m", "/a\"b\\c", "/é 日本", "http://x/y", "*", "/?a=%22&token=secret",
    "/" + String(repeating: "a", count: 2_000), "/\u{7f}\u{1}\t",
  ]
  private static let players: [String?] = [
    nil, "", "-", "mpv 0.35", "VLC/3.0.18 LibVLC/3.0.18", "Mozilla/5.0 (X11) \"quoted\" \\",
    "Winamp \u{1F3B5}", "x\r\n1.2.3.4 - - [", "%s%n ' [x] {y} (((",
    String(repeating: "u", count: 1_024),
  ]
  private static let referers: [String?] = [
    nil, "http://example.org/page?q=1", "https://example.org/\"", "android-app://com.x/", "é",
    String(repeating: "r", count: 1_024),
  ]
  private static let statuses = [
    200, 200, 200, 206, 302, 304, 400, 401, 403, 404, 416, 429, 499, 503,
  ]

  /// A log that `LogFiles` wrote; as AWStats wants, in the order of time.
  private static func log(in folder: String, lines count: Int) async throws -> String {
    let logFiles = LogFiles(logger: LineLogHandler.logger(level: .critical))
    var settings = LogSettings()
    settings.access = folder + "/access.log"
    logFiles.use(settings)
    var random = SplitMix(seed: 1)
    func any<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
    let begin: Int64 = 1_795_197_600
    for start in stride(from: 0, to: count, by: 1_000) {
      logFiles.record(
        (start..<min(count, start + 1_000)).map { number in
          FinishedRequest(
            origin: any(origins), user: any([nil, nil, "anna", "a b\""]),
            line: (any(methods), any(targets), any([.http10, .http11])), referer: any(referers),
            player: any(players), status: any(statuses),
            bytes: any([0, 12, 123_456, 99_999_999_999]),
            endedAt: WallTime(unixSeconds: begin + Int64(number)),
            seconds: any([0, 0.4, 61.6, 90_000]))
        })
    }
    await logFiles.close()
    #expect(logFiles.linesLost == 0)
    return folder + "/access.log"
  }

  /// The line of the manual's page on monitoring that begins so.
  private static func manual(_ beginning: String) throws -> String {
    let text = try Repository.text("Sources/Manual/monitoring.md")
    return String(try #require(text.split(separator: "\n").first { $0.hasPrefix(beginning) }))
  }

  @Test(.enabled(if: Binary.find("goaccess") != nil, "goaccess is a package of Debian"))
  func `GoAccess reads each line`() async throws {
    let folder = TemporaryDirectory()
    let log = try await Self.log(in: folder.path, lines: Self.count)
    let command = try Self.manual("goaccess ").replacing("access.log", with: log)
    let result = try await ChildProcess.run([
      "sh", "-c", command + " --no-global-config --no-progress -o '\(folder.path)/out.json'",
    ])
    #expect(result.status == 0, "\(result.log)")
    let answer = try #require(
      JSON.parse([UInt8](try Data(contentsOf: URL(filePath: folder.path + "/out.json")))))
    #expect(answer["general"]?["total_requests"] == JSON(Self.count))
    #expect(answer["general"]?["valid_requests"] == JSON(Self.count))
    #expect(answer["general"]?["failed_requests"] == JSON(0))
  }

  @Test(.enabled(if: Binary.find("webalizer") != nil, "webalizer is a package of Debian"))
  func `Webalizer reads each line`() async throws {
    let folder = TemporaryDirectory()
    let log = try await Self.log(in: folder.path, lines: Self.count)
    let command = try Self.manual("webalizer ").replacing("access.log", with: "'\(log)'")
    let result = try await ChildProcess.run([
      "sh", "-c",
      command.replacing("webalizer", with: "webalizer -c /dev/null -o '\(folder.path)'"),
    ])
    #expect(result.status == 0, "\(result.log)")
    #expect(result.output.contains("\(Self.count) records"), "\(result.output)")
    #expect(
      !result.output.contains("bad") && !result.output.contains("ignored"), "\(result.output)")
  }

  private static let awstats = "/usr/lib/cgi-bin/awstats.pl"

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: awstats), "awstats is a package of Debian"))
  func `AWStats reads each line`() async throws {
    let folder = TemporaryDirectory()
    let log = try await Self.log(in: folder.path, lines: Self.count)
    let configuration = """
      LogFile="\(log)"
      LogType=W
      \(try Self.manual("LogFormat="))
      SiteDomain="radio.example"
      HostAliases="radio.example"
      DirData="\(folder.path)"
      DNSLookup=0
      """
    folder.write("awstats.radio.conf", Array(configuration.utf8))
    let result = try await ChildProcess.run([
      "perl", Self.awstats, "-config=radio", "-configdir=\(folder.path)", "-update",
    ])
    #expect(result.status == 0, "\(result.log)")
    #expect(result.output.contains("Parsed lines in file: \(Self.count)"), "\(result.output)")
    for what in ["corrupted", "dropped", "old"] {
      #expect(result.output.contains("Found 0 \(what) records"), "\(what): \(result.output)")
    }
    #expect(result.output.contains("Found \(Self.count) new qualified records"))
  }
}
