import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Files on demand, over real sockets and from a real folder.
@Suite(.serialized)
struct FileTests {
  @Test func `a station of files says that it has no HLS`() async throws {
    try await withFileServer { server in
      for (path, code) in [
        ("/shows/hls/live.m3u8", "no-hls"), ("/shows/hls/main.m3u8", "no-hls"),
        ("/shows/hls/clip.m3u8", "no-hls"), ("/shows/deep/hls/live.m3u8", "not-found"),
        ("/shows/hls/other.m3u8", "not-found"),
      ] {
        let client = try await server.fetch(path)
        #expect(try client.head().status == 404)
        #expect(String(decoding: client.body, as: UTF8.self).contains("\"\(code)\""), "\(path)")
      }
    }
  }

  @Test func `a file comes as it is, tags and all`() async throws {
    try await withFileServer { server in
      let client = try await server.fetch("/shows/hour.mp3")
      let head = try client.head()
      #expect(head.status == 200)
      #expect(client.body == server.hour)
      #expect(head["Content-Length"] == "\(server.hour.count)")
      #expect(head["Content-Type"] == "audio/mpeg" && head["Accept-Ranges"] == "bytes")
      #expect(head["Last-Modified"]?.hasSuffix("GMT") == true)
      // Its packets decide, not its name.
      let disguised = try await server.fetch("/shows/deep/down/er.ogg")
      #expect(try disguised.head()["Content-Type"] == "audio/mpeg")
      let single = try await server.fetch("/single")
      #expect(single.body == server.hour)
    }
  }

  @Test(arguments: [
    ("bytes=0-0", 0..<1), ("bytes=5-99", 5..<100), ("bytes=-1000", -1000..<0),
    ("bytes=100000-", 100_000..<Int.max), ("bytes=900000-9999999999", 900_000..<Int.max),
  ])
  func `a range of a file is the bytes that it names`(asked: String, range: Range<Int>) async throws
  {
    try await withFileServer { server in
      let count = server.hour.count
      let from = range.lowerBound < 0 ? count + range.lowerBound : range.lowerBound
      let to = range.lowerBound < 0 ? count : min(count, range.upperBound)
      let client = try await server.fetch("/shows/hour.mp3", "Range: \(asked)\r\n")
      let head = try client.head()
      #expect(head.status == 206)
      #expect(head["Content-Range"] == "bytes \(from)-\(to - 1)/\(count)")
      #expect(client.body == Array(server.hour[from..<to]))
    }
  }

  @Test func `several ranges are parts, and one behind the end is none`() async throws {
    try await withFileServer { server in
      let several = try await server.fetch(
        "/shows/hour.mp3", "Range: bytes=5-9,100000-200000,-3\r\n")
      let head = try several.head()
      #expect(head.status == 206)
      #expect(head["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
      #expect(head["Content-Length"] == "\(several.bodyCount)")
      let part = Array(server.hour[100_000...200_000])
      #expect(several.body.firstRange(of: part) != nil)
      let behind = try await server.fetch("/shows/hour.mp3", "Range: bytes=99999999-\r\n")
      #expect(try behind.head().status == 416)
      #expect(try behind.head()["Content-Range"] == "bytes */\(server.hour.count)")
    }
  }

  @Test func `a client that has the file already is answered 304`() async throws {
    try await withFileServer { server in
      let first = try await server.fetch("/shows/hour.mp3", method: "HEAD")
      let head = try first.head()
      #expect(head.status == 200 && first.bodyCount == 0)
      let tag = try #require(head["ETag"])
      let date = try #require(head["Last-Modified"])
      let old = "Thu, 01 Jan 1970 00:00:01 GMT"
      for (fields, status) in [
        ("If-None-Match: \(tag)\r\n", 304), ("If-None-Match: \"x\"\r\n", 200),
        ("If-Modified-Since: \(date)\r\n", 304), ("If-Modified-Since: \(old)\r\n", 200),
        ("If-None-Match: \"x\"\r\nIf-Modified-Since: \(date)\r\n", 200),
        ("Range: bytes=0-9\r\nIf-Range: \(tag)\r\n", 206),
        ("Range: bytes=0-9\r\nIf-Range: \(date)\r\n", 206),
        ("Range: bytes=0-9\r\nIf-Range: \"x\"\r\n", 200),
        ("Range: bytes=0-9\r\nIf-Range: \(old)\r\n", 200),
      ] {
        let answer = try await server.fetch("/shows/hour.mp3", fields)
        #expect(try answer.head().status == status, "\(fields)")
      }
    }
  }

  @Test(arguments: [
    "/shows/nothing.mp3", "/shows/.hidden.mp3", "/shows/deep/.git/x.mp3", "/shows/out.mp3",
    "/shows/absolute.mp3", "/shows/outside/secret.mp3", "/shows/pipe.mp3", "/shows/notes.txt",
    "/shows/picture.mp3", "/shows//hour.mp3", "/shows/%2Fetc/passwd", "/shows/deep",
    "/shows/hour.mp3/", "/shows/hour.mp3/x", "/shows/%252e%252e/secret.mp3", "/shows/empty.mp3",
    "/shows",
  ])
  func `a path that is no audio of the folder is not found`(path: String) async throws {
    try await withFileServer { server in
      let client = try await server.fetch(path)
      #expect(try client.head().status == 404, "\(client.body)")
    }
  }

  @Test(arguments: ["/shows/../secret.mp3", "/shows/%2e%2e/secret.mp3", "/shows/..%2fsecret.mp3"])
  func `a way out is refused`(path: String) async throws {
    try await withFileServer { server in
      let answer = try await server.status(path)
      #expect(answer == 400)
    }
  }

  @Test func `links inside lead where they lead`() async throws {
    try await withFileServer { server in
      let answer = try await server.fetch("/shows/inside.mp3").body
      #expect(answer == server.hour)
    }
  }

  @Test(arguments: [(0.0, 60.0), (10, 20), (12.345, 12.4), (59.9, 100), (30, 31)])
  func `a region is the packets that begin in it`(from: Double, to: Double) async throws {
    try await withFileServer { server in
      let client = try await server.fetch("/shows/hour.mp3?from=\(from)&to=\(to)")
      let numbers = try NumberedFrames.numbers(in: client.body)
      let first = UInt64((from * 44_100 / 1152).rounded(.up))
      let last = min(UInt64((to * 44_100 / 1152).rounded(.up)), server.frames)
      #expect(numbers == Array(first..<last))
      #expect(try client.head()["Content-Length"] == "\(client.bodyCount)")
      // The last packet of a minute ends a little behind it.
      let length = Double(last - first) * 1152 / 44_100
      let said = try #require(try client.head()["X-Content-Duration"].flatMap(Double.init))
      #expect(abs(said - length) < 0.001)
    }
  }

  @Test func `a file from at= on begins at the packet, and has ranges of what follows`()
    async throws
  {
    try await withFileServer { server in
      let client = try await server.fetch("/shows/hour.mp3?at=45")
      #expect(try NumberedFrames.numbers(in: client.body).first == 1723)
      let part = try await server.fetch("/shows/hour.mp3?at=45", "Range: bytes=1000-1999\r\n")
      #expect(part.body == Array(client.body[1000..<2000]))
      let first = try await server.fetch("/shows/hour.mp3?at=45", "Range: bytes=0-\r\n")
      #expect(first.body == client.body)
    }
  }

  @Test(arguments: [
    ("at=x", "at"), ("at=-1", "at"), ("at=3600", "at"), ("at=1&at=2", "at"), ("at=1&to=2", "at"),
    ("from=5&to=5", "to"), ("from=x", "from"), ("to=x", "to"), ("loop=2", "loop"),
    ("from=20&to=20.0001", "to"), ("from=60.1", "from"),
  ])
  func `a part of a file that cannot be is refused with its parameter`(query: String, field: String)
    async throws
  {
    try await withFileServer { server in
      let client = try await server.fetch("/shows/hour.mp3?\(query)")
      #expect(try client.head().status == 400)
      let text = String(decoding: client.body, as: UTF8.self)
      #expect(text.contains("\"field\":\"\(field)\""), "\(text)")
    }
  }

  @Test func `a region in a loop begins again at its first packet`() async throws {
    try await withFileServer { server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /shows/hour.mp3?from=10&to=11&loop=1 HTTP/1.1\r\nHost: a\r\n\r\n")
      try await client.until { $0.bodyCount > 200_000 }
      let region = NumberedFrames.stream(383..<422)
      var body = client.body[...]
      var rounds = 0
      while body.count >= region.count {
        #expect(body.prefix(region.count).elementsEqual(region))
        body = body.dropFirst(region.count)
        rounds += 1
      }
      #expect(rounds >= 10 && region.starts(with: body))
      #expect(try client.head()["Content-Length"] == nil)
      #expect(try client.head()["Content-Type"] == "audio/mpeg")
    }
  }

  @Test func `the connection goes on behind a whole answer`() async throws {
    try await withFileServer { server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /shows/hour.mp3 HTTP/1.1\r\nHost: a\r\nRange: bytes=0-9\r\n\r\n"
          + "GET /shows/hour.mp3 HTTP/1.1\r\nHost: a\r\nRange: bytes=10-19\r\n\r\n"
          + "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      try await client.until { $0.isEnded }
      let text = client.body
      #expect(text.starts(with: server.hour[0..<10]))
      #expect(text.firstRange(of: Array(server.hour[10..<20])) != nil)
      #expect(text.suffix(8).elementsEqual("GET /x 0".utf8))
    }
  }

  @Test func `a file behind its bypass is sent no faster than it plays`() async throws {
    try await withFileServer(bypass: 5) { server in
      let start = MonotonicTime.now()
      let client = try StreamClient(
        to: server.address, sending: "GET /shows/hour.mp3 HTTP/1.1\r\nHost: a\r\n\r\n")
      // Two seconds more than the bypass.
      try await client.until { $0.bodyCount > Int(7 * 16_000) + server.tagBytes }
      let seconds = Double(MonotonicTime.now().nanoseconds - start.nanoseconds) / 1e9
      let sent = Double(client.bodyCount - server.tagBytes) / 16_000
      // However slow the machine, it is never ahead by more.
      #expect(sent <= seconds + 5 + 0.1)
      withExtendedLifetime(client) {}
    }
  }

  @Test func `listeners of files count with those who do not listen when they have had them`()
    async throws
  {
    let short = NumberedFrames.stream(0..<40)
    try await withFileServer(
      bypass: 2, further: ["short.mp3": short],
      change: {
        $0.connectionsPerAddress = 3
        // A loop makes room among its own connections.
        $0.threads = 1
      }
    ) { server in
      func ask(_ path: String) throws -> StreamClient {
        try StreamClient(to: server.address, sending: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      var listeners: [StreamClient] = []
      for _ in 0..<8 {
        let listener = try ask("/shows/hour.mp3")
        try await listener.until { $0.bodyCount > 1000 }
        listeners.append(listener)
      }
      #expect(try await server.status("/x") == 200)
      // These are kept alive behind their files.
      var idle: [StreamClient] = []
      for _ in 0..<6 {
        let client = try ask("/shows/short.mp3")
        try await client.until { $0.bodyCount == short.count }
        idle.append(client)
      }
      try await eventually("all but three of them go") {
        for client in idle { client.drain() }
        return idle.count(where: \.isEnded) == 3
      }
      for listener in listeners {
        listener.drain()
        #expect(!listener.isEnded)
      }
    }
  }

  @Test func `a client that has closed its sending half and takes nothing is ended soon`()
    async throws
  {
    try await withFileServer(change: { $0.replyTimeout = 0.5 }) { server in
      let client = try StreamClient(
        to: server.address, sending: "GET /single HTTP/1.1\r\nHost: a\r\n\r\n",
        receiveBuffer: 4096)
      try await eventually("it listens") { await server.server.listeners().count == 1 }
      shutdown(client.fd, Int32(SHUT_WR))
      // A listener may pause for 300 s.
      try await eventually("its end") { await server.server.listeners().isEmpty }
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a listener of a file takes a place, and its last byte is told`() async throws {
    var settings = ListenerSettings()
    settings.listenersMax = 1
    try await withFileServer(bypass: 5, settings: settings) { server in
      let client = try StreamClient(
        to: server.address, sending: "GET /shows/hour.mp3 HTTP/1.1\r\nHost: a\r\n\r\n")
      try await client.until { $0.bodyCount > 1000 }
      let answer = try await server.status("/shows/hour.mp3")
      #expect(answer == 503)
      let other = try await server.status("/shows/hour.mp3", method: "HEAD")
      #expect(other == 200)
      let listeners = await server.server.listeners()
      #expect(listeners.map(\.station) == ["shows"])
      #expect(await server.server.listener(listeners[0].id)?.station == "shows")
      let isKicked = await server.server.kick(listener: listeners[0].id)
      #expect(isKicked)
      try await client.until { $0.isEnded }
      try await eventually("nobody listens") { await server.server.listeners().isEmpty }
      // The last 12 seconds, with a bypass that is longer.
      let end = try await server.fetch("/single", "Range: bytes=-200000\r\n")
      #expect(end.bodyCount == 200_000)
      let probe = try await server.fetch("/single", "Range: bytes=-128\r\n")
      #expect(probe.bodyCount == 128)
      try await eventually("the file is complete") { server.completed == [""] }
    }
  }

  @Test func `a file is open once, however many hear it`() async throws {
    try await withFileServer(bypass: 5) { server in
      var clients: [StreamClient] = []
      for path in ["hour.mp3", "hour.mp3", "hour.mp3", "a%20b%23c.mp3"] {
        let client = try StreamClient(
          to: server.address, sending: "GET /shows/\(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        try await client.until { $0.bodyCount > 1000 }
        clients.append(client)
      }
      #expect(await server.server.listeners().count == 4)
      #expect(openDescriptors(below: server.source.root) == 2)
      for client in clients { client.hangUp() }
      try await eventually("they are closed") { openDescriptors(below: server.source.root) == 0 }
    }
  }

  @Test func `a hundred who ask at once have one index made`() async throws {
    try await withFileServer { server in
      var clients: [StreamClient] = []
      for _ in 0..<100 {
        clients.append(
          try StreamClient(
            to: server.address,
            sending: "GET /shows/hour.mp3?at=59 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
      }
      for client in clients { try await client.until { $0.isEnded } }
      #expect(Set(clients.map { $0.bodyCount }).count == 1)
      let listed = try #require(
        await server.server.files(of: server.source, for: .unixSocket)
      ).entries
      #expect(listed.first { $0.path == "hour.mp3" }?.seconds != nil)
      #expect(listed.filter { $0.seconds != nil }.count == 1)
    }
  }

  @Test func `a playlist of a folder has its files in order`() async throws {
    try await withFileServer { server in
      let list = try await server.fetch("/shows.m3u?token=x")
      let lines = String(decoding: list.body, as: UTF8.self).split(separator: "\r\n")
      let urls = lines.filter { !$0.hasPrefix("#") }.map { String($0) }
      let names = ["a%20b%23c.mp3", "deep/down/er.ogg", "empty.mp3", "hour.mp3", "picture.mp3"]
      #expect(urls == names.map { "http://a/shows/\($0)?token=x" })
      let answer = try await server.fetch("/shows/a%20b%23c.mp3").body
      #expect(answer == server.hour)
    }
  }

  @Test func `a file that goes out at once is not read for its index`() async throws {
    try await withFileServer { server in
      for _ in 0..<3 { _ = try await server.fetch("/shows/hour.mp3") }
      _ = try await server.fetch("/shows/hour.mp3", "Range: bytes=0-99\r\n")
      #expect(server.server.shared.files.passesMade == 0)
      _ = try await server.fetch("/shows/hour.mp3?at=5")
      _ = try await server.fetch("/shows/hour.mp3?from=5&to=6")
      #expect(server.server.shared.files.passesMade == 1)
    }
  }

  @Test func `a file that is heard on has its packets counted, and goes as they play`() async throws
  {
    try await withFileServer(bypass: 5) { server in
      let client = try StreamClient(
        to: server.address, sending: "GET /shows/hour.mp3 HTTP/1.1\r\nHost: a\r\n\r\n")
      try await client.until { $0.bodyCount > 7 * 16_000 }
      try await eventually("the index is made") { server.server.shared.files.passesMade == 1 }
      try await client.until { $0.bodyCount > 8 * 16_000 }
      client.hangUp()
    }
  }

  @Test func `a folder is read once for all who ask for its list`() async throws {
    try await withFileServer { server in
      var clients: [StreamClient] = []
      for kind in ["m3u", "pls", "xspf", "asx"] {
        for _ in 0..<5 {
          clients.append(
            try StreamClient(
              to: server.address,
              sending: "GET /shows.\(kind) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        }
      }
      for client in clients {
        try await client.until { $0.isEnded }
        #expect(try client.head().status == 200)
      }
      _ = try #require(await server.server.files(of: server.source, for: .unixSocket))
      // A slow machine may need longer than a list is kept.
      #expect(server.server.shared.files.lists.readings <= 5)
    }
  }

  /// On a disk in memory a file without content may be as long as a number can say.
  @Test func `the end of a file that is longer than any disk ends nothing else`() async throws {
    let folder = "/dev/shm/longwave-test-\(getpid())-files"
    mkdir(folder, 0o700)
    let path = folder + "/long.mp3"
    defer {
      unlink(path)
      rmdir(folder)
    }
    try await withFileServer { server in
      try FileServer.put(server.hour, path)
      try #require(truncate(path, .max) == 0)
      let mount = Mount(station: "long", content: .files(FileSource(root: folder)))
      await server.server.publish(mounts: [mount])
      let range = "Range: bytes=\(Int.max - 100)-\(Int.max - 1)\r\n"
      let client = try await server.fetch("/long/long.mp3", range)
      #expect(try client.head().status == 206)
      // That far no system reads; but the next one is served.
      #expect(try await server.status("/long/long.mp3", method: "HEAD") == 200)
    }
  }
}
