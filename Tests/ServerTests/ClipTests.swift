import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Pieces of the window as files.
@Suite(.serialized)
struct ClipTests {
  /// A minute of numbered packets that nobody adds to.
  private func withMinute(
    settings: ListenerSettings = .init(), _ body: (TestServer, LogSnapshot) async throws -> Void
  ) async throws {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    try await withServer(seconds: 60, isFed: false, settings: settings, log: log) {
      try await body($0, log.snapshot())
    }
  }

  @Test func `a clip may be paused as long as a listener, and no longer`() async throws {
    for (pause, isLost) in [(300.0, false), (2, true)] {
      var settings = ListenerSettings()
      settings.pauseTimeout = pause
      var window = LogConfiguration()
      window.windowBytes = 4 << 20
      let log = PacketLog(memoryOnly: window, at: .now())
      try await withServer(
        seconds: 60, isFed: false, settings: settings, log: log, change: { $0.replyTimeout = 1 }
      ) { server in
        let client = try StreamClient(
          to: server.address,
          sending: "GET /jazz/clip?from=\(time(0, after: log.snapshot())) HTTP/1.1\r\nHost: a\r\n"
            + "Connection: close\r\n\r\n", receiveBuffer: 8 * 1024)
        _ = try client.head()
        if isLost {
          // Not "it is there" first: on a busy machine it may be gone before anybody looks.
          try await eventually("it came and is gone") {
            let figures = await server.server.figures()
            return figures.clipsTotal == 1 && figures.clips == 0
          }
        } else {
          try await Task.sleep(for: .seconds(5))
        }
        try await client.until { $0.isEnded }
        #expect((client.body == NumberedFrames.stream(0..<(packet(at: 60) - 1))) == !isLost)
      }
    }
  }

  @Test func `a clip that is woken while it waits stands in the row once`() async throws {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    try await withServer(
      seconds: 120, threads: 1, isFed: false, log: log, change: { $0.clipSpeed = 1 }
    ) { server in
      // The first minute of media time is owed at once, the second one in a minute.
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz/clip?from=\(time(0, after: log.snapshot())) HTTP/1.1\r\nHost: a\r\n"
          + "Connection: close\r\n\r\n")
      try await client.until { $0.bodyCount > 900_000 }
      let loop = server.server.loops[0]
      for _ in 0..<50 { await loop.wakeReplies() }
      #expect(await loop.clipsInRow <= 1)
      withExtendedLifetime(client) {}
    }
  }

  /// So long behind the oldest packet, as Unix seconds.
  private func time(_ seconds: Double, after log: LogSnapshot) -> String {
    let moment = log.oldestAir.adding(seconds: seconds).stored
    let fraction = String(1_000_000_000 + moment % 1_000_000_000).dropFirst()
    return "\(moment / 1_000_000_000).\(fraction)"
  }

  private func clip(
    _ server: TestServer, _ log: LogSnapshot, _ from: Double, _ to: Double, _ fields: String = "",
    method: String = "GET"
  ) async throws -> StreamClient {
    try await server.fetch(
      "/jazz/clip?from=\(time(from, after: log))&to=\(time(to, after: log))", fields,
      method: method)
  }

  /// The first packet that begins at or after that many seconds.
  private func packet(at seconds: Double) -> UInt64 {
    UInt64((seconds * 44_100 / 1152).rounded(.up))
  }

  @Test(arguments: [(10.0, 20.0), (0, 1), (59, 70), (-100, 100), (30, 30.02), (12.345, 12.4)])
  func `a clip is the packets that begin in its span, and no other byte`(
    from: Double, to: Double
  ) async throws {
    try await withMinute { server, log in
      let client = try await clip(server, log, from, to)
      let head = try client.head()
      let last = min(packet(at: to), packet(at: 60) - 1)
      #expect(client.body == NumberedFrames.stream(packet(at: max(0, from))..<last))
      #expect(head.status == 200)
      #expect(head["Content-Length"] == "\(client.bodyCount)")
      #expect(head["Content-Type"] == "audio/mpeg" && head["Accept-Ranges"] == "bytes")
      #expect(head["Content-Disposition"]?.hasPrefix("attachment; filename=\"jazz-20") == true)
      #expect(head["Content-Disposition"]?.hasSuffix("Z.mp3\"") == true)
    }
  }

  @Test func `two clips that meet are the clip of both`() async throws {
    try await withMinute { server, log in
      for middle in [20.0, 20.013, 33.3333, 41.7] {
        let both = try await clip(server, log, 11.1, 55).body
        let parts = try await [
          clip(server, log, 11.1, middle).body, clip(server, log, middle, 55).body,
        ]
        #expect(parts[0] + parts[1] == both)
      }
    }
  }

  @Test func `a clip may be named by times before now, and without an end`() async throws {
    try await withMinute { server, log in
      let numbers = try NumberedFrames.numbers(
        in: await server.fetch("/jazz/clip?from=-50s").body)
      // A slow machine is later, and gets fewer.
      #expect(numbers.last == packet(at: 60) - 2 && (numbers.first ?? 0) >= packet(at: 9.9))
      let earlier = try await server.fetch("/jazz/clip?from=-1h&to=-50")
      #expect(try NumberedFrames.numbers(in: earlier.body).first == 0)
    }
  }

  @Test(arguments: [
    ("", 400, "from"), ("?from=x", 400, "from"), ("?from=-10s&to=10m", 400, "to"),
    ("?from=-5s&to=-10s", 400, "to"), ("?from=-5s&from=-6s", 400, "from"),
    ("?from=1790000000000", 400, "from"),
    ("?from=2001-01-01T00:00:00Z&to=2001-01-01T00:00:00Z", 400, "to"),
    ("?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z", 404, ""),
    ("?from=2199-01-01T00:00:00Z", 404, ""),
  ])
  func `a clip of a span that cannot be is refused with its parameter`(
    query: String, status: Int, field: String
  ) async throws {
    try await withMinute { server, _ in
      let client = try await server.fetch("/jazz/clip\(query)")
      #expect(try client.head().status == status)
      let body = String(decoding: client.body, as: UTF8.self)
      if !field.isEmpty { #expect(body.contains("\"field\":\"\(field)\""), "\(body)") }
    }
  }

  @Test func `ranges put together are the whole`() async throws {
    try await withMinute { server, log in
      let whole = try await clip(server, log, 10, 40)
      let tag = try #require(try whole.head()["ETag"])
      let count = whole.bodyCount
      var joined: [UInt8] = []
      for from in stride(from: 0, to: count, by: 70_001) {
        let to = min(count, from + 70_001) - 1
        let part = try await clip(
          server, log, 10, 40,
          "Range: bytes=\(from)-\(to)\r\nIf-Range: \(tag)\r\n")
        let head = try part.head()
        #expect(head.status == 206 && head["ETag"] == tag)
        #expect(head["Content-Range"] == "bytes \(from)-\(to)/\(count)")
        joined += part.body
      }
      #expect(joined == whole.body)
      let end = try await clip(server, log, 10, 40, "Range: bytes=-1000\r\n")
      #expect(end.body == Array(whole.body.suffix(1000)))
      let other = try await clip(server, log, 10, 40, "Range: bytes=-1000\r\nIf-Range: \"x\"\r\n")
      let otherHead = try other.head()
      #expect(otherHead.status == 200 && other.body == whole.body)
      let behind = try await clip(server, log, 10, 40, "Range: bytes=\(count)-\r\n")
      #expect(try behind.head().status == 416)
      #expect(try behind.head()["Content-Range"] == "bytes */\(count)")
    }
  }

  @Test func `several ranges come as parts that say where they belong`() async throws {
    try await withMinute { server, log in
      let whole = try await clip(server, log, 10, 40).body
      let client = try await clip(server, log, 10, 40, "Range: bytes=5-9,100000-200000,-3\r\n")
      let head = try client.head()
      let type = try #require(head["Content-Type"])
      #expect(head.status == 206 && type.hasPrefix("multipart/byteranges; boundary="))
      #expect(head["Content-Length"] == "\(client.bodyCount)")
      let boundary = type.split(separator: "=")[1]
      let ranges = [5..<10, 100_000..<200_001, whole.count - 3..<whole.count]
      var expected: [UInt8] = []
      for range in ranges {
        expected += Array(
          """
          \r\n--\(boundary)\r\nContent-Type: audio/mpeg\r\n\
          Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.count)\r\n\r\n
          """.utf8)
        expected += whole[range]
      }
      #expect(client.body == expected + Array("\r\n--\(boundary)--\r\n".utf8))
    }
  }

  @Test func `HEAD says what GET would, and a connection goes on behind a clip`() async throws {
    try await withMinute { server, log in
      let got = try await clip(server, log, 10, 20)
      let asked = try await clip(server, log, 10, 20, "Range: bytes=0-1\r\n", method: "HEAD")
      for name in ["Content-Length", "ETag", "Content-Disposition", "Content-Type"] {
        #expect(try asked.head()[name] == got.head()[name])
      }
      let answered = try asked.head()
      #expect(answered.status == 200 && asked.bodyCount == 0)
      let path = "/jazz/clip?from=\(time(10, after: log))&to=\(time(20, after: log))"
      let client = try StreamClient(
        to: server.address,
        sending:
          "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      )
      try await client.until { $0.isEnded }
      #expect(client.body.starts(with: got.body))
      let behind = String(decoding: client.body.dropFirst(got.bodyCount), as: UTF8.self)
      #expect(behind.hasPrefix("HTTP/1.1 200 OK") && behind.hasSuffix("GET /next 0"))
    }
  }

  @Test func `a slow reader of a clip gets all of it, and costs others nothing`() async throws {
    try await withMinute { server, log in
      let path = "/jazz/clip?from=\(time(0, after: log))&to=\(time(60, after: log))"
      let slow = try StreamClient(
        to: server.address,
        sending: "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", receiveBuffer: 4096
      )
      // Its own waits meanwhile, unread: a megabyte that the kernel has no room for.
      let quick = try await clip(server, log, 0, 60)
      try await slow.until { $0.isEnded }
      #expect(slow.body == quick.body)
    }
  }

  @Test func `a station that takes no listeners gives no clips`() async throws {
    try await withServer(
      seconds: 10, isFed: false,
      change: { configuration in
        configuration.access.deny = [AddressRange("127.0.0.1")!]
      }
    ) { server in
      let head = try await server.fetch("/jazz/clip?from=-5s").head()
      #expect(head.status == 403)
    }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `an Ogg clip is a stream of its own, with the title at its place`(
    codec: Fixtures.OggCodec
  ) async throws {
    let (ogg, log) = try FakeOgg.twoTitles(codec)
    try await withServer(seconds: 0, isFed: false, log: log) { server in
      let whole = try await clip(server, log.snapshot(), 12, 20)
      let heard = ogg.hear(whole.body)
      #expect(heard.isUnbroken && heard.links.count == 1)
      #expect(heard.links.first?.title == "Björk - Jóga")
      let tag = try #require(try whole.head()["ETag"])
      // A range may begin anywhere in a page.
      var joined: [UInt8] = []
      for from in stride(from: 0, to: whole.bodyCount, by: 7001) {
        joined += try await clip(
          server, log.snapshot(), 12, 20,
          "Range: bytes=\(from)-\(from + 7000)\r\nIf-Range: \(tag)\r\n"
        ).body
      }
      #expect(joined == whole.body)
      let parts = try await [
        clip(server, log.snapshot(), 12, 15.5).body, clip(server, log.snapshot(), 15.5, 20).body,
      ]
      #expect(ogg.hear(parts[0]).numbers + ogg.hear(parts[1]).numbers == heard.numbers)
      #expect(ogg.hear(parts[0] + parts[1]).links.count == 2)
      let page = Double(ogg.samples) / Double(ogg.format.sampleRate)
      let seconds = try duration(of: whole.body, as: codec.rawValue)
      #expect(abs(seconds - Double(heard.numbers.count) * page) <= page, "\(seconds)")
    }
  }

  @Test func `players know how long a clip is`() async throws {
    try await withMinute { server, log in
      let seconds = try duration(of: await clip(server, log, 10, 40).body, as: "mp3")
      #expect(abs(seconds - 30) <= 1152.0 / 44_100, "\(seconds)")
    }
  }

  private func duration(of bytes: [UInt8], as name: String) throws -> Double {
    let scratch = TemporaryDirectory()
    let path = scratch.write("clip.\(name)", bytes)
    let answer = try Tool.must(
      ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path],
      in: scratch)
    let text = String(decoding: answer.output, as: UTF8.self)
    return Double(text.split(separator: "\n").first ?? "") ?? -1
  }

  @Test func `a clip ends where the format changes`() async throws {
    try await withMinute { server, _ in
      let format = AudioFormat(codec: .mp3, sampleRate: 48_000, channels: 2)
      for number in 0..<100 {
        server.station.log.append(
          NumberedFrames.frame(UInt64(number)).span, samples: 1152, format: format)
      }
      server.station.log.publish(at: .now())
      let client = try await clip(server, server.station.log.snapshot(), 50, 70)
      #expect(client.body == NumberedFrames.stream(packet(at: 50)..<packet(at: 60) - 1))
    }
  }
}

extension LoopServer {
  fileprivate var clipsInRow: Int { parts.answers.sendings.due.count }

  /// What the kernel does where TLS wants to write for reasons of its own.
  fileprivate func wakeReplies() {
    for slot in parts.connections.slots {
      parts.act(parts.connections.table.row(slot).writable, on: slot)
    }
  }
}
