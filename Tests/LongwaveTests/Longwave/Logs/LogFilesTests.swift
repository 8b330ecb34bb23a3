import Foundation
import Glibc
import Logging
import Reactor
import Server
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAdmin

@Suite struct LogFilesTests {
  private static func request(
    _ target: String = "/jazz", from address: String = "203.0.113.77", user: String? = nil,
    player: String? = "mpv 0.35"
  ) -> FinishedRequest {
    FinishedRequest(
      origin: .tcp(SocketAddress(host: address, port: 1)!), user: user,
      line: ("GET", target, .http11), referer: nil, player: player, status: 200, bytes: 123_456,
      endedAt: WallTime(nanoseconds: 1_795_197_600_000_000_000), seconds: 61.6)
  }

  @Test func `a request is a line of Icecast's access log`() throws {
    let line = Self.request(user: "anna").accessLine(anonymised: false)
    let parts = try #require(
      line.wholeMatch(
        of: #/203\.0\.113\.77 - anna \[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] (.*)/#)
    )
    #expect(parts.2 == #""GET /jazz HTTP/1.1" 200 123456 "-" "mpv 0.35" 62"#)
    let hostile = Self.request("/a?token=x&b=\"", user: "a b", player: "x\" \"\r\n1.2.3.4 - -")
    #expect(
      hostile.accessLine(anonymised: true).hasSuffix(
        #""GET /a?token=-&b=\x22 HTTP/1.1" 200 123456 "-" "x\x22 \x22\x0d\x0a1.2.3.4 - -" 62"#))
    #expect(hostile.accessLine(anonymised: true).hasPrefix(#"203.0.113.0 - a\x20b ["#))
  }

  @Test func `a request that was none has no line, and the socket no address`() {
    var request = Self.request()
    request.line = nil
    request.origin = .unixSocket
    request.player = nil
    let line = request.accessLine(anonymised: false)
    #expect(line.hasPrefix("unix - - [") && line.hasSuffix(#"] "-" 200 123456 "-" "-" 62"#))
  }

  @Test func `a title is a line of Icecast's playlist log`() throws {
    let title = PlayedTitle(
      mount: "/Jazz_128.mp3", text: "A – B\r\nGET", listeners: 7, time: 1_795_197_600)
    let parts = title.playlistLine.split(separator: "|").map(String.init)
    #expect(parts.dropFirst() == ["/Jazz_128.mp3", "7", "A – B\\x0d\\x0aGET"])
    #expect(parts[0].contains("/Nov/2026:"))
  }

  private func lines(_ path: String) -> [String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private func settings(_ folder: String) -> LogSettings {
    var settings = LogSettings()
    settings.access = folder + "/access.log"
    settings.playlist = folder + "/playlist.log"
    return settings
  }

  @Test func `a file that was moved away is left, and not a line is lost`() async throws {
    let folder = TemporaryDirectory()
    let said = SaidLines()
    let logFiles = LogFiles(logger: said.logger)
    let settings = settings(folder.path)
    logFiles.use(settings)
    for round in 0..<20 {
      for number in 0..<50 { logFiles.record([Self.request("/\(round)/\(number)")]) }
      logFiles.note(Title(text: "\(round)"), of: "jazz", listeners: 0)
      if round > 0 {
        try FileManager.default.moveItem(
          atPath: settings.access!, toPath: folder.path + "/access.\(round)")
      }
      logFiles.reopen()
      try await eventually("a new file") {
        FileManager.default.fileExists(atPath: settings.access!)
      }
    }
    await logFiles.close()
    let files = ["access.log"] + (1..<20).map { "access.\($0)" }
    let all = files.map { lines(folder.path + "/" + $0) }.joined()
    let targets = all.map { $0.split(separator: " ")[6] }
    #expect(Set(targets).count == 1000 && targets.count == 1000)
    #expect(lines(settings.playlist!).count == 20 && said.all.isEmpty)
  }

  @Test func `a full disk is said once, and is over when it is`() async throws {
    let folder = TemporaryDirectory()
    let said = SaidLines()
    let logFiles = LogFiles(logger: said.logger)
    let path = folder.path + "/access.log"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    var settings = LogSettings()
    settings.access = path
    logFiles.use(settings)
    for _ in 0..<30 { logFiles.record([Self.request()]) }
    try await eventually("a warning") { said.all.count == 1 }
    #expect(said.all[0].contains("cannot write \(path): No space left on device"))
    try FileManager.default.removeItem(atPath: path)
    logFiles.reopen()
    var taken = 30
    try await eventually("a line in the new file") {
      logFiles.record([Self.request("/after")])
      taken += 1
      return !lines(path).isEmpty
    }
    await logFiles.close()
    let again = try #require(said.all.dropFirst().first)
    let lost = try #require(again.firstMatch(of: /is written again; ([0-9]+) lines/)).1
    #expect(Int(lost)! + lines(path).count == taken)
    #expect(said.all.count == 2 && logFiles.linesLost == UInt64(lost))
  }

  @Test func `a folder that is not there costs lines and nothing else`() async throws {
    let said = SaidLines()
    let logFiles = LogFiles(logger: said.logger)
    var settings = LogSettings()
    settings.access = "/nowhere/access.log"
    logFiles.use(settings)
    for _ in 0..<5 { logFiles.record([Self.request()]) }
    await logFiles.close()
    #expect(said.all.count == 1)
    #expect(said.all.first?.contains("cannot open /nowhere/access.log: No such file") == true)
    #expect(logFiles.linesLost == 5)
  }

  @Test func `lines that do not fit the queue are counted and told`() async throws {
    let folder = TemporaryDirectory()
    let said = SaidLines()
    let logFiles = LogFiles(logger: said.logger, entriesMax: 10)
    logFiles.use(settings(folder.path))
    logFiles.record((0..<25).map { Self.request("/\($0)") })
    await logFiles.close()
    #expect(lines(folder.path + "/access.log").count == 10)
    #expect(said.all == ["the logs cannot be written fast enough: 15 lines were lost"])
    #expect(logFiles.linesLost == 15)
  }

  @Test func `long lines fill the queue sooner, and what is lost is counted and said`() async throws
  {
    let folder = TemporaryDirectory()
    let said = SaidLines()
    let logFiles = LogFiles(logger: said.logger, bytesMax: 100_000)
    logFiles.use(settings(folder.path))
    let long = "/" + String(repeating: "x", count: 7_999)
    logFiles.record((0..<25).map { _ in Self.request(long) })
    await logFiles.close()
    let written = lines(folder.path + "/access.log").count
    #expect((10...12).contains(written))
    #expect(
      said.all == ["the logs cannot be written fast enough: \(25 - written) lines were lost"])
    #expect(logFiles.linesLost == UInt64(25 - written))
  }

  @Test func `a log without a file remembers nothing`() async {
    let logFiles = LogFiles(logger: SaidLines().logger)
    #expect(!logFiles.isOn)
    logFiles.use(LogSettings())
    logFiles.record([Self.request()])
    #expect(!logFiles.isOn)
    await logFiles.close()
  }

  @Test func `an upstream of very many titles gets so many of them a minute written down`()
    async throws
  {
    let folder = TemporaryDirectory()
    let said = SaidLines()
    let logFiles = LogFiles(logger: said.logger)
    let settings = settings(folder.path)
    logFiles.use(settings)
    for number in 0..<5000 {
      logFiles.note(
        Title(text: "\(number) " + String(repeating: "x", count: 3000)), of: "flood", listeners: 0)
    }
    logFiles.note(Title(text: "A title"), of: "jazz", listeners: 3)
    await logFiles.close()
    let written = lines(settings.playlist!)
    // A minute may have ended meanwhile.
    let perMinute = TitleQuota.perMinute
    #expect(written.count > perMinute && written.count <= 3 * perMinute + 1)
    #expect(written.allSatisfy { $0.utf8.count < 1100 })
    #expect(written.last?.hasSuffix("|/jazz|3|A title") == true)
    #expect(logFiles.linesLost == UInt64(5001 - written.count))
    #expect(said.all.allSatisfy { $0.hasPrefix("flood: ") && $0.contains(" titles of a minute") })
    #expect(!said.all.isEmpty && said.all.count <= 3)
  }

  @Test func `titles left out in a minute are told with the first of the next`() {
    var quota = TitleQuota()
    let start = WallTime(nanoseconds: 1_795_197_600_000_000_000)
    for _ in 0..<100 { #expect(quota.add("a", at: start).leftOut.isEmpty) }
    for number in 0..<40 { #expect(quota.add("b", at: start).isIn == (number < 30)) }
    let next = quota.add("c", at: start + MediaTime(seconds: 60))
    #expect(next.isIn && next.leftOut.map(\.station) == ["a", "b"])
    #expect(next.leftOut.map(\.count) == [70, 10])
    #expect(quota.add("a", at: start + MediaTime(seconds: 61)).isIn)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a named pipe that nobody reads holds up neither start nor end`() async {
    let folder = TemporaryDirectory()
    let said = SaidLines()
    let settings = settings(folder.path)
    mkfifo(settings.access!, 0o600)
    let logFiles = LogFiles(logger: said.logger)
    logFiles.use(settings)
    for _ in 0..<20 { logFiles.record([Self.request()]) }
    await logFiles.close()
    #expect(logFiles.linesLost == 20 && said.all.count == 1)
    #expect(said.all.first?.contains("cannot open \(settings.access!): No such device") == true)
  }

  @Test func `a named pipe that somebody reads gets all lines`() async throws {
    let folder = TemporaryDirectory()
    let settings = settings(folder.path)
    mkfifo(settings.access!, 0o600)
    let reader = open(settings.access!, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let logFiles = LogFiles(logger: SaidLines().logger)
    logFiles.use(settings)
    for number in 0..<20 { logFiles.record([Self.request("/\(number)")]) }
    await logFiles.close()
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(reader, &bytes, bytes.count)
    #expect(bytes.prefix(max(0, count)).count { $0 == 10 } == 20 && logFiles.linesLost == 0)
  }
}
