import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// What long answers cost, and who waits for them.
@Suite(.serialized)
struct PageTests {
  /// A folder of so many empty files.
  private func withFiles(
    _ count: Int, name: String = "programme", _ body: (FileServer) async throws -> Void
  ) async throws {
    var files: [String: [UInt8]] = [:]
    for number in 0..<count { files["\(name) number \(number).mp3"] = [] }
    try await withFileServer(further: files, body)
  }

  /// Lists that are being made, until they may be ended.
  private final class Lists: Sendable {
    let begun = Atomic<Int>(0)
    let isOpen = Atomic<Bool>(false)
  }

  private func text(_ client: StreamClient) -> String {
    String(decoding: client.body, as: UTF8.self)
  }

  @Test func `a list is no longer than eight mebibytes, and says that it was cut`() async throws {
    try await withFiles(3_600, name: String(repeating: "&", count: 200)) { server in
      let query = "?x=" + String(repeating: "&", count: 240)
      for (kind, word, end) in [
        ("xspf", "<annotation>cut short", "</playlist>\n"),
        ("asx", "<abstract>cut short", "</asx>\n"),
      ] {
        let long = try await server.fetch("/shows.\(kind)\(query)")
        #expect(try long.head().status == 200)
        #expect(long.bodyCount <= PageOrder.bytesMax + 4096)
        #expect(long.bodyCount > PageOrder.bytesMax / 2)
        let text = text(long)
        #expect(text.prefix(1_000).contains(word) && text.hasSuffix(end))
      }
      let whole = text(try await server.fetch("/shows.xspf"))
      #expect(!whole.prefix(1_000).contains("cut short") && whole.hasSuffix("</playlist>\n"))
      let list = text(try await server.fetch("/shows.pls\(query)"))
      #expect(list.hasPrefix("[playlist]\r\nNumberOfEntries=3605\r\n"))
    }
  }

  @Test func `a long query or host is not copied into a playlist's entries`() async throws {
    try await withFiles(3) { server in
      let list = text(
        try await server.fetch("/shows.m3u?x=" + String(repeating: "a", count: 255)))
      #expect(list.contains("/shows/hour.mp3\r\n") && !list.contains("?"))
      let short = text(try await server.fetch("/shows.m3u?token=x"))
      #expect(short.contains("/shows/hour.mp3?token=x\r\n"))
      let host = String(repeating: "h", count: 513)
      let client = try StreamClient(
        to: server.address,
        sending: "GET /shows.m3u HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
      try await client.until { $0.isEnded }
      #expect(text(client).contains("/shows/hour.mp3\r\n"))
      #expect(!text(client).contains("hhhh"))
    }
  }

  @Test func `forty who ask for the same list at once have it made a few times at most`()
    async throws
  {
    try await withFiles(4_000) { server in
      let clients = try (0..<40).map { _ in
        try StreamClient(
          to: server.address,
          sending: "GET /shows.xspf HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      }
      for client in clients { try await client.until { $0.isEnded } }
      #expect(Set(clients.map { text($0).count }).count == 1)
      // It is kept for a second, and a slow machine may take longer.
      #expect(server.server.shared.pages.made < 20)
    }
  }

  // MARK: Slow lines

  /// Answers with two megabytes.
  private struct LongAPI: APIHandling {
    static let body = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    func respond(to request: APIRequest) async -> APIResponse {
      .whole(status: 200, mediaType: "application/octet-stream", body: Self.body)
    }
  }

  private func withLongAnswers(
    timeout: Double, tls: TLSOffer? = nil, _ body: (SocketAddress, RelayServer) async throws -> Void
  ) async throws {
    var configuration = ServerConfiguration(
      listen: [SocketAddress("127.0.0.1:0")!], name: "Longwave/test")
    configuration.threads = 1
    configuration.replyTimeout = timeout
    configuration.tls = tls
    let server = try RelayServer(
      configuration: configuration, api: LongAPI(), events: EventRing(firstID: 1))
    try await server.start()
    do {
      try await body(server.boundAddresses[0], server)
    } catch {
      await server.drain()
      throw error
    }
    await server.drain()
  }

  @Test func `a line that is slow and steady gets all of a long answer`() async throws {
    try await withLongAnswers(timeout: 1) { address, _ in
      let client = try StreamClient(
        to: address, sending: "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        receiveBuffer: 16 * 1024)
      let start = secondsNow()
      while !client.isEnded, secondsNow() - start < 60 {
        client.drain(atMost: 16 * 1024)
        // Not a task's sleep: a second without reading is too long, and a pool may stand still for one.
        usleep(20_000)
      }
      #expect(client.body == LongAPI.body)
      // Longer than one time-out for all of it.
      #expect(secondsNow() - start > 2)
    }
  }

  @Test func `a client that takes nothing of an answer is let go`() async throws {
    try await withLongAnswers(timeout: 1) { address, server in
      let client = try StreamClient(
        to: address, sending: "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        receiveBuffer: 16 * 1024)
      try await eventually("it is gone") { await server.figures().connections == 0 }
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a trickle does not hold an answer for ever`() {
    let second: Int64 = 1_000_000_000
    var reply = Reply(
      [], page: Array(repeating: 0, count: 8 << 20), keepsAlive: true, ahead: [], now: 5 * second)
    func left(_ seconds: Int64) -> Int64 {
      let now = (5 + seconds) * second
      return (reply.deadline(now: now, patience: 30 * second) - now) / second
    }
    #expect(left(0) == 30)
    // A byte a second: it is over when its first patience is.
    for _ in 0..<20 { reply.took(1) }
    #expect(left(20) == 10)
    // Six kilobytes a second: as if it had just begun.
    reply.took(6 * 1024 * 100)
    #expect(left(120) == 30)
    // But not for ever.
    reply.took(6 << 20)
    #expect(left(890) == 10)
  }

  @Test func `two kinds of one name are two pages`() async {
    let cache = PageCache()
    let head = HTTPRequestHead(method: "GET", target: "/x", path: "/x")
    for mediaType in ["application/json", "text/javascript", "application/json"] {
      let order = PageOrder(key: "one", mediaType: mediaType) { Array(mediaType.utf8) }
      let page = await cache.page(order, to: head, for: nil)
      #expect(page?.body == Array(mediaType.utf8))
    }
    #expect(cache.made == 2)
  }

  @Test func `lists of folders keep no other page waiting`() async throws {
    let cache = PageCache()
    let head = HTTPRequestHead(method: "GET", target: "/x", path: "/x")
    let lists = Lists()
    await withTaskGroup(of: Void.self) { group in
      for number in UInt32(1)...40 {
        group.addTask {
          var order = PageOrder(mediaType: "text/plain") {
            lists.begun.add(1, ordering: .relaxed)
            while !lists.isOpen.load(ordering: .relaxed) { usleep(1000) }
            return []
          }
          order.isLong = true
          let customer = AddressBlock(.tcp(.ipv4(0x0A00_0000 + number, port: 1)))
          _ = await cache.page(order, to: head, for: customer)
        }
      }
      try? await eventually("both threads for lists are busy") {
        lists.begun.load(ordering: .relaxed) == 2
      }
      let short = PageOrder(mediaType: "text/plain") { [1] }
      let other = AddressBlock(.tcp(.ipv4(0x0A00_0100, port: 1)))
      #expect(await cache.page(short, to: head, for: other)?.body == [1])
      lists.isOpen.store(true, ordering: .relaxed)
    }
  }

  @Test func `a reply's time is short while memory is short`() {
    let second: Int64 = 1_000_000_000
    var reply = Reply(
      [], page: Array(repeating: 0, count: 6 << 20), keepsAlive: false, ahead: [], now: 0)
    reply.took(90 << 10)
    let at = 30 * second
    #expect(reply.deadline(now: at, patience: at) == 60 * second)
    #expect(reply.deadline(now: at, patience: at, isCrowded: true) < 32 * second)
    // A tenth of it in a tenth of the minute.
    reply.took(600 << 10)
    #expect(reply.deadline(now: at, patience: at, isCrowded: true) > 36 * second)
  }

  @Test func `a reader below a tenth of what plays for minutes is too slow`() {
    let second: Int64 = 1_000_000_000
    var reading = SlowReading(now: 0)
    reading.look(at: .zero, now: 299 * second)
    #expect(!reading.isTooSlow)
    reading.look(at: MediaTime(seconds: 29), now: 300 * second)
    #expect(reading.isTooSlow)
    // Until it has taken enough in a span of its own.
    reading.look(at: MediaTime(seconds: 100), now: 599 * second)
    #expect(reading.isTooSlow)
    reading.look(at: MediaTime(seconds: 100), now: 600 * second)
    #expect(!reading.isTooSlow)
  }
}
