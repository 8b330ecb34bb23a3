import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Makes a piece of its own of each block, and tells what it was asked for.
private final class FakeMaker: SampleMaking {
  struct Seen {
    var orders: [ReverseOrder] = []
    var runs = 0
    var alive = 0
  }

  let seen = Mutex(Seen())
  private let refusal: SampleRefusal?
  /// Bytes of a piece.
  private let bytes: Int
  /// Pieces after which no more can be made.
  private let most: Int

  init(refusal: SampleRefusal? = nil, bytes: Int = 32_000, most: Int = .max) {
    (self.refusal, self.bytes, self.most) = (refusal, bytes, most)
  }

  var runs: Int { seen.withLock { $0.runs } }
  var alive: Int { seen.withLock { $0.alive } }

  func open(_ order: SampleOrder) async -> Result<any SampleSource, SampleRefusal> {
    .failure(.nothing)
  }

  func reverse(_ order: ReverseOrder) async -> Result<any ReverseSource, SampleRefusal> {
    seen.withLock { $0.orders.append(order) }
    if let refusal { return .failure(refusal) }
    return .success(Source(self, order, bytes))
  }

  private final class Source: ReverseSource {
    private let maker: FakeMaker
    private let order: ReverseOrder
    private let bytes: Int

    init(_ maker: FakeMaker, _ order: ReverseOrder, _ bytes: Int) {
      (self.maker, self.order, self.bytes) = (maker, order, bytes)
      maker.seen.withLock { $0.alive += 1 }
    }

    deinit { maker.seen.withLock { $0.alive -= 1 } }

    var isCutShort: Bool { maker.runs >= maker.most }

    func next() async -> SampleBlock? {
      if isCutShort { return nil }
      guard let run = await order.packets() else { return nil }
      let number = maker.seen.withLock { seen in
        seen.runs += 1
        return seen.runs
      }
      return SampleBlock(
        bytes: Array(repeating: UInt8(truncatingIfNeeded: number), count: bytes),
        length: run.length)
    }
  }
}

/// Clips and files that are played backwards, whatever makes them.
@Suite(.serialized) struct ReverseTests {
  /// Minutes of numbered packets, and what is made of them.
  private func withStation(
    _ maker: FakeMaker?, seconds: Double = 60,
    settings: ListenerSettings = .init(), change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    var window = LogConfiguration()
    window.windowBytes = 32 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    try await withServer(
      seconds: seconds, threads: 1, isFed: false, settings: settings, log: log, change: change
    ) { server in
      var mount = Mount(station: "jazz", log: log, settings: settings)
      mount.samples = maker
      await server.server.publish(mounts: [mount])
      try await body(server)
    }
  }

  /// Asks for all of it, taking next to nothing into the kernel.
  private func ask(_ server: TestServer) throws -> StreamClient {
    try StreamClient(
      to: server.address,
      sending: "GET /jazz/clip?from=-1h&reverse=1 HTTP/1.1\r\nHost: a\r\n\r\n",
      receiveBuffer: 8 * 1024)
  }

  @Test func `a reversed clip sends all blocks in the order in which they are made`() async throws {
    let maker = FakeMaker()
    try await withStation(maker) { server in
      let client = try await server.fetch("/jazz/clip?from=-1h&reverse=1")
      let head = try client.head()
      #expect(head.status == 200 && head["Content-Type"] == "audio/mpeg")
      #expect(head["Content-Length"] == nil && head["Accept-Ranges"] == "none")
      #expect(head["Connection"] == "close" && head["ETag"] == nil)
      #expect(head["Content-Disposition"]?.contains("-reversed.mp3") == true)
      #expect(client.body == (1...30).flatMap { [UInt8](repeating: $0, count: 32_000) })
      let order = try #require(maker.seen.withLock { $0.orders.first })
      #expect(order.format == AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2))
      #expect(abs(order.bitrate - 128) < 0.1)
      try await eventually("it is given back") { maker.alive == 0 }
      let figures = await server.server.figures()
      #expect(figures.clips == 0 && figures.clipsTotal == 1 && figures.clipBytes == 960_000)
    }
  }

  @Test(arguments: [(300.0, 300.0, 60.0), (5, 5, 5), (0, nil, 60), (60, 60, 60)])
  func `a clip's client may pause as a listener does, backwards for a minute`(
    pause: Double, forwards: Double?, backwards: Double?
  ) {
    for (isReversed, seconds) in [(false, forwards), (true, backwards)] {
      let patience = Reversals.patience(pause, isReversed: isReversed)
      #expect(patience == seconds.map { Int64($0 * 1e9) })
    }
  }

  @Test func `a reversed clip that cannot be made to its end is no whole answer`() async throws {
    try await withStation(FakeMaker(most: 3)) { server in
      let answer = try await ChildProcess.run(
        ["curl", "-sS", "http://\(server.address)/jazz/clip?from=-1h&reverse=1"])
      #expect(answer.status == 56, "a reset: \(answer.log)")
    }
  }

  @Test func `a reversed clip has no ranges, and its HEAD has no body`() async throws {
    let maker = FakeMaker()
    try await withStation(maker) { server in
      let part = try await server.fetch(
        "/jazz/clip?from=-50s&reverse=1", "Range: bytes=0-99\r\n")
      #expect(try part.head().status == 200 && part.bodyCount > 100)
      let head = try await server.fetch("/jazz/clip?from=-50s&reverse=1", method: "HEAD")
      #expect(try head.head().status == 200 && head.bodyCount == 0)
      #expect(try head.head()["Content-Type"] == "audio/mpeg")
      try await eventually("both are given back") { maker.alive == 0 }
      let forwards = try await server.fetch("/jazz/clip?from=-50s&reverse=0")
      #expect(try forwards.head()["Content-Length"] == "\(forwards.bodyCount)")
      #expect(maker.seen.withLock { $0.orders.count } == 2)
    }
  }

  @Test(arguments: ["reverse=2", "reverse=", "reverse=true", "reverse=1&reverse=1", "reverse=-1"])
  func `other values of reverse are refused`(query: String) async throws {
    let maker = FakeMaker()
    try await withStation(maker) { server in
      let client = try await server.fetch("/jazz/clip?from=-50s&\(query)")
      #expect(try client.head().status == 400)
      #expect(client.text.contains("\"field\":\"reverse\""), "\(client.text)")
      #expect(maker.seen.withLock { $0.orders.isEmpty })
    }
  }

  @Test func `a refusal is told, and its place given back`() async throws {
    for (refusal, status, code) in [
      (.undecodable("Opus cannot be decoded here"), 404, "not-decodable"),
      (.full, 503, "unavailable"), (.fullBackwards, 503, "unavailable"),
      (.nothingThere, 404, "nothing-there"),
    ] as [(SampleRefusal, Int, String)] {
      try await withStation(FakeMaker(refusal: refusal), change: { $0.clipsPerAddress = 1 }) {
        for _ in 0..<3 {
          let client = try await $0.fetch("/jazz/clip?from=-50s&reverse=1")
          #expect(try client.head().status == status)
          #expect(client.text.contains("\"code\":\"\(code)\""), "\(client.text)")
        }
        #expect(await $0.server.figures().clips == 0)
      }
    }
    try await withStation(nil) { server in
      let client = try await server.fetch("/jazz/clip?from=-50s&reverse=1")
      #expect(try client.head().status == 404)
      let none = try await server.fetch(
        "/jazz/clip?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z&reverse=1")
      #expect(try none.head().status == 404 && none.text.contains("nothing-there"))
    }
  }

  @Test func `a reversed clip is made at most two blocks ahead of a client that takes nothing`()
    async throws
  {
    // So large that the kernel takes none of them whole.
    let maker = FakeMaker(bytes: 8 << 20)
    try await withStation(maker, seconds: 600) { server in
      let client = try ask(server)
      _ = try await client.answer()
      try await eventually("two are made") { maker.runs == 2 }
      try await Task.sleep(for: .seconds(2))
      #expect(maker.runs == 2)
      // Meanwhile others are served.
      #expect(try await server.fetch("/jazz/clip?from=-5m").head().status == 200)
      let before = client.bodyCount
      try await client.until("a third") { $0.bodyCount > before && maker.runs > 2 }
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a client that goes away gives its place back`() async throws {
    let maker = FakeMaker(bytes: 8 << 20)
    try await withStation(maker, seconds: 600, change: { $0.clipsPerAddress = 1 }) { server in
      for _ in 0..<3 {
        let client = try ask(server)
        _ = try await client.answer()
        let other = try await server.fetch("/jazz/clip?from=-50s&reverse=1")
        #expect(try other.head().status == 429 && other.text.contains("too-many-clips"))
        client.reset()
        try await eventually("its place is free") {
          let clips = await server.server.figures().clips
          return maker.alive == 0 && clips == 0
        }
      }
    }
  }

  @Test func `a reversed clip goes at the pace of clips, and holds no place in line meanwhile`() {
    let pace = ClipPace()
    pace.set(speed: 20)
    let customer = AddressBlock(.tcp(.ipv4(0x0102_0304, port: 5)))
    let figures = ClipFigures()
    let body = ReverseBody(Nothing(), for: customer, at: pace, counting: figures)
    let block = SampleBlock(bytes: [UInt8](repeating: 7, count: 1000), length: .init(seconds: 61))
    #expect(!body.wantsShare(now: 0) && !body.isOut)
    body.learn(block)
    body.learn(block)
    #expect(body.nextErrand(now: 0) == nil, "two are ahead")
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { scratch in
      func next(_ now: Int64, isPrompt: Bool = true) -> BodyStep {
        body.next(limit: 600, scratch: scratch, isPrompt: isPrompt, now: now)
      }
      #expect(body.wantsShare(now: 0))
      guard case .turn = next(0, isPrompt: false), case .bytes(let first) = next(0) else {
        Issue.record("the first minute waits")
        return
      }
      #expect(first.count == 600)
      body.took(600, isAll: true, now: 0)
      guard case .bytes(let rest) = next(0) else {
        Issue.record("the first minute waits")
        return
      }
      #expect(rest.count == 400)
      body.took(400, isAll: true, now: 0)
      #expect(abs(body.cursor.seconds - 61) < 0.001 && figures.bytes == 1000)
      // A second of it is owed at 20 times its pace.
      #expect(!body.wantsShare(now: 49_000_000))
      guard case .wait(let due) = next(0), case .bytes = next(51_000_000) else {
        Issue.record("it does not wait, or too long")
        return
      }
      #expect(abs(due - 50_000_000) < 100_000)
      body.learn(nil)
      #expect(body.nextErrand(now: 0) == nil && !body.isOut)
      body.took(1000, isAll: true, now: 51_000_000)
      #expect(body.isOut)
    }
  }

  private final class Nothing: ReverseSource {
    var isCutShort: Bool { false }
    func next() async -> SampleBlock? { nil }
  }

  @Test func `a station that gives no clips gives none backwards`() async throws {
    var settings = ListenerSettings()
    settings.allowsClips = false
    let maker = FakeMaker()
    try await withStation(maker, settings: settings) { server in
      let client = try await server.fetch("/jazz/clip?from=-50s&reverse=1")
      #expect(try client.head().status == 403)
      #expect(maker.seen.withLock { $0.orders.isEmpty })
    }
  }

  // MARK: Files

  private func withFiles(
    _ maker: FakeMaker?, change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let folder = TemporaryDirectory()
    let tag = ID3Tag(title: "T", album: "A", recordedAt: 0).bytes
    folder.write("minute.mp3", tag + NumberedFrames.stream(0..<2297))
    folder.write(
      "a.opus", try Fixtures.ogg(.opus, sampleRate: 48_000, channels: 2, seconds: 1))
    try await withServer(threads: 1, isFed: false, change: change) { server in
      var mount = Mount(station: "shows", content: .files(FileSource(root: folder.path)))
      mount.samples = maker
      await server.server.publish(mounts: [mount])
      try await body(server)
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a file is played backwards, and nobody is counted as hearing it`() async throws {
    let maker = FakeMaker(bytes: 1000)
    try await withFiles(maker) { server in
      let whole = try await server.fetch("/shows/minute.mp3?reverse=1")
      let head = try whole.head()
      #expect(head.status == 200 && head["Content-Type"] == "audio/mpeg")
      #expect(head["Content-Length"] == nil && head["Accept-Ranges"] == "none")
      // 60.003 s.
      #expect(whole.body == (1...31).flatMap { [UInt8](repeating: $0, count: 1000) })
      let (codec, bitrate) = maker.seen.withLock { seen in
        (seen.orders.first?.format.codec, seen.orders.first?.bitrate ?? 0)
      }
      #expect(codec == .mp3 && abs(bitrate - 128) < 0.1)
      let part = try await server.fetch("/shows/minute.mp3?from=10&to=20&reverse=1")
      #expect(part.bodyCount == 5000)
      let rest = try await server.fetch("/shows/minute.mp3?at=50&reverse=1")
      #expect((5000...6000).contains(rest.bodyCount))
      let ogg = try await server.fetch("/shows/a.opus?reverse=1")
      #expect(try ogg.head().status == 200 && ogg.bodyCount == 1000)
      #expect(maker.seen.withLock { $0.orders.last?.format.codec } == .opus)
      let looked = try await server.fetch("/shows/minute.mp3?reverse=1", method: "HEAD")
      #expect(try looked.head().status == 200 && looked.bodyCount == 0)
      try await eventually("all are given back") { maker.alive == 0 }
      let figures = await server.server.figures()
      #expect(figures.listeners == 0 && figures.clips == 0 && figures.clipsTotal == 5)
      // An order keeps its file open.
      maker.seen.withLock { $0.orders = [] }
      try await eventually("no file is open") { await server.server.figures().filesOpen == 0 }
    }
  }

  @Test(arguments: [
    ("minute.mp3?reverse=2", 400, "reverse"), ("minute.mp3?loop=1&reverse=1", 400, "loop"),
    ("minute.mp3?at=100&reverse=1", 400, "at"), ("minute.mp3?from=x&reverse=1", 400, "from"),
    ("none.mp3?reverse=1", 404, "not-found"), ("?reverse=1", 404, "is-a-folder"),
  ])
  func `a file that cannot be played backwards is refused with the reason`(
    path: String, status: Int, word: String
  ) async throws {
    try await withFiles(FakeMaker(), change: { $0.clipsPerAddress = 1 }) { server in
      for _ in 0..<2 {
        let client = try await server.fetch("/shows/\(path)")
        #expect(try client.head().status == status)
        #expect(client.text.contains(word), "\(client.text)")
      }
      #expect(await server.server.figures().clips == 0)
    }
  }
}
