import Glibc
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Listeners of stations in Ogg: headers for each, of the link it is in, and titles in three ways.
@Suite(.serialized)
struct OggStreamingTests {
  private static let links: [FakeOgg.Link] = [
    .init(page: 0, artist: "Nina Simone", title: "Sinnerman"),
    .init(page: 50, artist: "Björk", title: "Jóga"),
  ]

  private func withStation(
    _ ogg: FakeOgg, pages: Int = 100, settings: ListenerSettings = .init(),
    _ body: (TestServer, PacketLog) async throws -> Void
  ) async throws {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    ogg.append(0..<pages, to: log, serial: 77, begins: true)
    try await withServer(seconds: 0, isFed: false, settings: settings, log: log) {
      try await body($0, log)
    }
  }

  /// The audio of a body with ICY blocks in it.
  private func audio(_ body: [UInt8], metaint: Int) -> (audio: [UInt8], blocks: [String]) {
    var deinterleaver = ICYDeinterleaver(metaint: metaint)
    var (audio, blocks, from): ([UInt8], [String], Int) = ([], [], 0)
    while from < body.count {
      let next = deinterleaver.next(in: body.span, from: from)
      from = next.end
      switch next.piece {
      case .audio(let range): audio += body[range]
      case .block(let block):
        if !block.isEmpty {
          blocks.append(String(decoding: block.filter { $0 != 0 }, as: UTF8.self))
        }
      case nil: break
      }
    }
    return (audio, blocks)
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `every newcomer gets headers with the title at its place, then whole pages`(
    codec: Fixtures.OggCodec
  ) async throws {
    let ogg = try FakeOgg(codec, channels: codec == .speex ? 1 : 2, links: Self.links)
    try await withStation(ogg) { server, _ in
      for (query, title) in [
        ("?burst=4", "Björk - Jóga"), ("?offset=15&burst=3", "Nina Simone - Sinnerman"),
      ] {
        let client = try StreamClient(to: server.address, get: "/jazz\(query)")
        try client.wait { ogg.hear($0.body).numbers.count >= 10 }
        let heard = ogg.hear(client.body)
        #expect(heard.isUnbroken)
        #expect(heard.links.count == 1 && heard.links[0].title == title)
        #expect(heard.links[0].after == 0 && heard.links[0].serial == 77)
        #expect(Set(heard.serials) == [77])
        #expect(
          String(decoding: client.received.prefix(900), as: UTF8.self)
            .contains("Content-Type: audio/ogg\r\n"))
        let played = try Fixtures.decodeOgg(client.body)
        #expect(played.log.isEmpty && played.samples > 0, "\(played.log)")
      }
    }
  }

  /// As where a damaged segment comes back: each tells again what stream it is of.
  @Test func `a stream that the log has in two parts is two links for a listener`() async throws {
    let ogg = try FakeOgg(.opus, links: Self.links)
    try await withStation(ogg, pages: 40) { server, log in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=2")
      try client.wait { ogg.hear($0.body).numbers.last == 39 }
      ogg.append(40..<70, to: log, serial: 77, begins: true)
      try client.wait { ogg.hear($0.body).numbers.last == 69 }
      ogg.append(70..<100, to: log, serial: 77, begins: true)
      try client.wait { ogg.hear($0.body).numbers.last == 99 }
      let chain = OggChain(client.body)
      #expect(chain.problems.isEmpty, "\(chain.problems)")
      #expect(chain.links.map(\.pages.count).count == 3, "\(chain.links.map(\.pages.count))")
      #expect(ogg.hear(client.body).isUnbroken)
    }
  }

  @Test func `a listener passes from one stream to the next by its headers`() async throws {
    let (stereo, mono) = (try FakeOgg(.vorbis), try FakeOgg(.vorbis, channels: 1))
    try await withStation(stereo) { server, log in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=2")
      try client.wait { stereo.hear($0.body).numbers.last == 99 }
      let before = client.bodyCount
      mono.append(0..<20, to: log, serial: 78, begins: true)
      try client.wait { mono.hear($0.body).numbers.last == 19 }
      let heard = mono.hear(Array(client.body[before...]))
      #expect(heard.links.map(\.serial) == [78] && heard.links[0].after == 0 && heard.isUnbroken)
      #expect(!client.isEnded)
      // One who comes later, to what was before.
      let late = try StreamClient(to: server.address, get: "/jazz?offset=6&burst=6")
      try late.wait { mono.hear($0.body).numbers.last == 19 }
      #expect(mono.hear(late.body).links.map(\.serial) == [77, 78])
      let played = try Fixtures.decodeOgg(late.body)
      #expect(played.log.isEmpty, "\(played.log)")
    }
  }

  @Test func `another codec ends the listener at its boundary, and the mount takes new ones`()
    async throws
  {
    let ogg = try FakeOgg(.opus)
    try await withStation(ogg) { server, log in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=2")
      try client.wait { ogg.hear($0.body).numbers.last == 99 }
      let vorbis = try FakeOgg(.vorbis)
      vorbis.append(0..<20, to: log, serial: 79, begins: true)
      try client.wait("its end") { $0.isEnded }
      let heard = ogg.hear(client.body)
      #expect(heard.isUnbroken && heard.numbers.last == 99)
      let next = try StreamClient(to: server.address, get: "/jazz?burst=2")
      try next.wait { vorbis.hear($0.body).numbers.last == 19 }
      #expect(vorbis.hear(next.body).links.map(\.serial) == [79])
      // Back in MP3.
      for number in 0..<40 {
        log.append(
          NumberedFrames.frame(UInt64(number)).span, samples: 1152,
          format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2))
      }
      log.publish(at: .now())
      try next.wait("its end") { $0.isEnded }
      #expect(vorbis.hear(next.body).isUnbroken)
    }
  }

  @Test(arguments: [Fixtures.OggCodec.opus, .flac])
  func `titles come as ICY blocks for those who ask, between the bytes of the pages`(
    codec: Fixtures.OggCodec
  ) async throws {
    let ogg = try FakeOgg(codec, links: Self.links)
    try await withStation(ogg, pages: 45) { server, log in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=2", titles: true)
      try client.wait { $0.bodyCount > 10_000 }
      ogg.append(45..<100, to: log, serial: 77)
      let metaint = try #require(try client.head()["icy-metaint"].flatMap { Int($0) })
      try client.wait { ogg.hear(audio($0.body, metaint: metaint).audio).numbers.last == 99 }
      let (bytes, blocks) = audio(client.body, metaint: metaint)
      let heard = ogg.hear(bytes)
      #expect(heard.isUnbroken && heard.links.count == 1)
      #expect(
        blocks.map { $0.split(separator: "'").dropFirst().first.map(String.init) }
          == ["Nina Simone - Sinnerman", "Björk - Jóga"])
    }
  }

  @Test func `a relay that reads comments only gets a new link with every title`() async throws {
    let ogg = try FakeOgg(.vorbis, links: Self.links)
    try await withStation(ogg, pages: 45) { server, log in
      let icecast = try StreamClient(
        to: server.address,
        sending:
          "GET /jazz?burst=2 HTTP/1.0\r\nUser-Agent: Icecast 2.4.4\r\nIcy-MetaData: 1\r\n\r\n")
      let asked = try StreamClient(to: server.address, get: "/jazz?burst=2&titles=comments")
      let plain = try StreamClient(to: server.address, get: "/jazz?burst=2")
      for client in [icecast, asked, plain] { try client.wait { $0.bodyCount > 10_000 } }
      ogg.append(45..<100, to: log, serial: 77)
      for client in [icecast, asked] {
        try client.wait { ogg.hear($0.body).numbers.last == 99 }
        let heard = ogg.hear(client.body)
        #expect(heard.isUnbroken)
        #expect(try client.head()["icy-metaint"] == nil)
        #expect(heard.links.map(\.title) == ["Nina Simone - Sinnerman", "Björk - Jóga"])
        let place = try #require(heard.numbers.firstIndex(of: 50))
        #expect(heard.links[1].after == place)
        #expect(heard.links[0].serial == 77 && heard.links[1].serial != 77)
        // The new link begins at zero and goes on page by page.
        let serials = Array(heard.serials[place...])
        #expect(Set(serials) == [heard.links[1].serial])
        #expect(heard.granules[place] < UInt64(ogg.format.sampleRate / 2))
        let (sequences, granules) = (heard.sequences[place...], heard.granules[place...])
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
        #expect(zip(granules, granules.dropFirst()).allSatisfy { $0 < $1 })
        let played = try Fixtures.decodeOgg(client.body)
        #expect(played.log.isEmpty, "\(played.log)")
      }
      try plain.wait { ogg.hear($0.body).numbers.last == 99 }
      #expect(ogg.hear(plain.body).links.count == 1)
    }
  }

  @Test func `a listener that reads nothing and is moved often is ended, its session goes on`()
    async throws
  {
    let ogg = try FakeOgg(.vorbis, links: Self.links)
    let token = SessionToken("the-session_03")!
    try await withStation(ogg) { server, _ in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz?burst=20&session=\(token) HTTP/1.1\r\nHost: x\r\n\r\n",
        receiveBuffer: 4096)
      try await eventually("its socket is full") {
        await server.server.listeners().first?.state == .stalled
      }
      var moves = 0
      try await eventually("its end") {
        moves += 1
        let place = Steering.behind(MediaTime(seconds: moves % 2 == 0 ? 10 : 15))
        guard case .done(let snapshot) = await server.server.steer(session: token, place) else {
          Issue.record("the session is gone")
          return true
        }
        return snapshot.state == .disconnected
      }
      #expect(moves > 2)
      // Events are told when the turn is over.
      try await eventually("what is told of it") { !server.told.ends.isEmpty }
      #expect(server.told.ends == [.tooSlow])
      withExtendedLifetime(client) {}
    }
  }

  @Test
  func `a jump goes on in a stream of the listener's own, and reads stay whole under pressure`()
    async throws
  {
    let ogg = try FakeOgg(.flac, seconds: 30)
    var settings = ListenerSettings()
    settings.behind = .skip
    settings.lagMax = MediaTime(seconds: 1)
    settings.metaint = 777
    try await withStation(ogg, pages: 30, settings: settings) { server, log in
      // A player that does not read: its socket fills, it falls behind, and is moved forward when it reads again.
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz?burst=1 HTTP/1.1\r\nHost: x\r\nIcy-MetaData: 1\r\n\r\n",
        receiveBuffer: 8192)
      var fed = 30
      while fed < 130 {
        ogg.append(fed..<fed + 5, to: log, serial: 77)
        fed += 5
        usleep(60_000)
      }
      // Reading again.
      let last = { (client: StreamClient) in
        ogg.hear(audio(client.body, metaint: 777).audio).numbers.last
      }
      try client.wait(seconds: 60) { client in
        if fed < 145 {
          ogg.append(fed..<fed + 1, to: log, serial: 77)
          fed += 1
        }
        return last(client) == 144
      }
      let heard = ogg.hear(audio(client.body, metaint: 777).audio)
      #expect(heard.garbage == 0)
      #expect(heard.links.count > 1 && Set(heard.links.map(\.serial)).count == heard.links.count)
      // Within each link nothing is missing.
      let starts = heard.links.map(\.after) + [heard.numbers.count]
      for (start, end) in zip(starts, starts.dropFirst()) where start < end {
        let numbers = heard.numbers[start..<end]
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
      }
    }
  }

  @Test func `a listener steps over what never reached the disk, however much it is`() async throws
  {
    let ogg = try FakeOgg(.flac, seconds: 30)
    var window = LogConfiguration(retention: MediaTime(seconds: 3600))
    window.windowBytes = 128 * 1024
    let disk = try LogOnDisk(window)
    ogg.append(0..<20, to: disk.log, serial: 77, begins: true)
    disk.turn()
    try await withServer(seconds: 0, isFed: false, log: disk.log) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=1")
      try await client.until("the burst") { ogg.hear($0.body).numbers.last == 19 }
      // Several times what may wait for the disk.
      for start in stride(from: 20, to: 120, by: 5) {
        ogg.append(start..<start + 5, to: disk.log, serial: 77)
      }
      disk.turn()
      var number = 120
      try await client.until("what came behind it") { client in
        disk.turn()
        ogg.append(number..<number + 1, to: disk.log, serial: 77)
        number += 1
        return ogg.hear(client.body).numbers.last ?? 0 >= 119
      }
      let heard = ogg.hear(client.body)
      #expect(disk.log.snapshot().holes == 1)
      #expect(heard.garbage == 0 && heard.numbers == heard.numbers.sorted())
    }
  }

  @Test func `a listener that goes back over a stream's beginning never gets one serial twice`()
    async throws
  {
    let (stereo, mono) = (try FakeOgg(.vorbis), try FakeOgg(.vorbis, channels: 1))
    let token = SessionToken("the-session_04")!
    try await withStation(stereo) { server, log in
      mono.append(0..<20, to: log, serial: 78, begins: true)
      let client = try StreamClient(
        to: server.address, get: "/jazz?offset=6&burst=6&session=\(token)")
      try client.wait { mono.hear($0.body).numbers.last == 19 }
      for round in 2...3 {
        let before = OggChain(client.body).links.count
        guard
          case .done = await server.server.steer(session: token, .rewind(MediaTime(seconds: 6)))
        else {
          Issue.record("it cannot be moved")
          return
        }
        try await client.until("both streams, time \(round)") {
          let links = OggChain($0.body).links
          return links.count >= before + 2 && links.last?.pages.count ?? 0 > 2
        }
      }
      let chain = OggChain(client.body)
      #expect(chain.problems.isEmpty)
      #expect(Set(chain.links.map(\.serial)).count == chain.links.count)
    }
  }

  @Test func `a stream that begins with a segment's last page begins where that page does`() throws
  {
    let ogg = try FakeOgg(.opus, seconds: 30)
    var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
    configuration.windowBytes = 128 * 1024
    configuration.segment = MediaTime(seconds: 20)
    let disk = try LogOnDisk(configuration)
    ogg.append(0..<10, to: disk.log, serial: 77, begins: true)
    for start in stride(from: 10, to: 900, by: 10) {
      disk.turn()
      ogg.append(start..<start + 10, to: disk.log, serial: 77)
    }
    disk.turn()
    let starts = disk.directory.names.filter { $0.hasSuffix(".idx") }.compactMap {
      UInt64($0.dropLast(4))
    }
    let boundary = try #require(starts.sorted().dropFirst().first)
    let finder = LogReader(disk.log)
    let last = try #require(finder.wait(disk.turn) { $0.point(holding: boundary - 1) })

    // Another reader, which has nothing at hand.
    let shard = MountShard(Mount(station: "jazz", log: disk.log))!
    let fanout = Fanout()
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    var listener = Listener(
      fd: ends[0], slot: 1, cursor: last.position, icy: ICYInterleaver(metaint: 0), codec: .opus,
      pace: .placed(at: last.media, burst: MediaTime(seconds: 2), now: 0), takenAt: 0)
    fanout.begin(&listener, with: [], in: shard)
    var turns = 0
    while listener.cursor == last.position, turns < 100 {
      turns += 1
      shard.startTurn()
      _ = fanout.serve(&listener, in: shard, now: 0)
      disk.turn()
    }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(ends[1], &bytes, bytes.count, Int32(MSG_DONTWAIT))
    let chain = OggChain(Array(bytes.prefix(max(0, count))))
    #expect(chain.problems.isEmpty && chain.links.count == 1)
    let first = try #require(chain.links.first?.granules.first)
    #expect(first > 0 && first < UInt64(ogg.format.sampleRate))
  }

  @Test func `a stream that begins in front of a hole begins at zero`() throws {
    let ogg = try FakeOgg(.opus, seconds: 30)
    var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
    configuration.windowBytes = 128 * 1024
    configuration.segment = MediaTime(seconds: 3)
    let directory = TemporaryDirectory()
    let before = try LogOnDisk(configuration, in: directory)
    for start in stride(from: 0, to: 900, by: 10) {
      ogg.append(start..<start + 10, to: before.log, serial: 77, begins: start == 0)
      before.turn()
    }
    before.log.close()
    let names = directory.names.filter { $0.hasSuffix(".idx") }.sorted()
    let boundary = try #require(UInt64(names[1].dropLast(4)))
    unlink("\(directory.path)/\(names[1])")
    let disk = try LogOnDisk(configuration, in: directory)
    let finder = LogReader(disk.log)
    let last = try #require(finder.wait(disk.turn) { $0.point(holding: boundary - 1) })
    #expect(finder.wait(disk.turn) { $0.media(at: boundary) }! - last.media > MediaTime(seconds: 3))

    let shard = MountShard(Mount(station: "jazz", log: disk.log))!
    let fanout = Fanout()
    try withEnds { ends in
      var listener = Listener(
        fd: ends.ours, slot: 1, cursor: last.position, icy: ICYInterleaver(metaint: 0),
        codec: .opus, pace: .placed(at: last.media, burst: MediaTime(seconds: 2), now: 0),
        takenAt: 0)
      fanout.begin(&listener, with: [], in: shard)
      for _ in 0..<100 where listener.cursor == last.position {
        shard.startTurn()
        _ = fanout.serve(&listener, in: shard, now: 0)
        disk.turn()
      }
      let chain = OggChain(received(ends.theirs))
      let first = try #require(chain.links.first?.granules.first)
      #expect(first > 0 && first < UInt64(ogg.format.sampleRate / 2))
    }
  }

  @Test func `a listener within the memory goes on when the disk has given that up`() throws {
    let (stereo, mono) = (try FakeOgg(.vorbis), try FakeOgg(.vorbis, channels: 1))
    var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
    configuration.windowBytes = 4 << 20
    configuration.segment = MediaTime(seconds: 5)
    let disk = try LogOnDisk(configuration)
    for (serial, ogg) in [(77, stereo), (78, mono), (79, stereo)] {
      ogg.append(0..<30, to: disk.log, serial: UInt32(serial), begins: true)
      disk.turn()
    }
    let shard = MountShard(Mount(station: "jazz", log: disk.log))!
    let fanout = Fanout()
    try withEnds { ends in
      var listener = Listener(
        fd: ends.ours, slot: 1, cursor: 0, icy: ICYInterleaver(metaint: 0), codec: .vorbis,
        pace: .placed(at: .zero, burst: MediaTime(seconds: 1), now: 0), takenAt: 0)
      fanout.begin(&listener, with: [], in: shard)
      // It had not been served yet.
      disk.log.retain(MediaTime(seconds: 1), bytes: .max)
      stereo.append(30..<40, to: disk.log, serial: 79)
      disk.turn()
      shard.startTurn()
      #expect(shard.reader.oldest.position > shard.reader.nextFormatPosition(after: 0))
      var heard: [UInt8] = []
      for second in 0..<300 {
        shard.startTurn()
        _ = fanout.serve(&listener, in: shard, now: Int64(second) * 1_000_000_000)
        disk.turn()
        heard += received(ends.theirs)
        listener.flags.remove(.blocked)
      }
      let chain = OggChain(heard)
      #expect(chain.problems.isEmpty && chain.links.map(\.serial) == [77, 78, 79])
      #expect(chain.links.map(\.pages.count) == [30, 30, 40])
    }
  }

  /// Five seconds of Opus behind as much of Vorbis; what of each a client has got.
  private func withChange(
    _ body: (TestServer, _ change: () -> Void, _ heard: (StreamClient) -> (old: Int, new: Int))
      async throws -> Void
  ) async throws {
    let (vorbis, opus) = (try FakeOgg(.vorbis), try FakeOgg(.opus))
    try await withStation(vorbis) { server, log in
      try await body(
        server, { opus.append(0..<25, to: log, serial: 78, begins: true) },
        { (vorbis.hear($0.body).numbers.count, opus.hear($0.body).numbers.count) })
    }
  }

  @Test func `a session that comes to another codec is behind the change when it comes again`()
    async throws
  {
    try await withChange { server, change, heard in
      // All of it is there beforehand: what comes in one moment moves the live edge away from the clock.
      change()
      let path = "/jazz?session=the-session_01"
      // Three seconds in front of the change.
      let first = try StreamClient(to: server.address, get: path + "&offset=8&burst=1")
      try first.wait { heard($0).old > 1 }
      first.hangUp()
      let token = try #require(SessionToken("the-session_01"))
      try await eventually("it has gone") {
        guard case .done(let session) = await server.server.steer(session: token) else {
          return false
        }
        return session.state == .disconnected
      }
      // At once in front of it, and no longer than a probe.
      let second = try StreamClient(to: server.address, get: path)
      try await second.until("its end") { $0.isEnded }
      #expect(heard(second).old > 1 && heard(second).new == 0)
      let third = try StreamClient(to: server.address, get: path)
      try await third.until("the new codec") { heard($0).new > 5 }
      #expect(heard(third).old == 0 && !third.isEnded)
    }
  }

  @Test(arguments: [1, 3, 8, 60])
  func `a live newcomer begins with the stream that plays now, however long the burst`(burst: Int)
    async throws
  {
    try await withChange { server, change, heard in
      change()
      let client = try StreamClient(to: server.address, get: "/jazz?burst=\(burst)")
      try client.wait { heard($0).new > 3 }
      #expect(heard(client).old == 0 && !client.isEnded)
    }
  }

  private func withEnds(_ body: ((ours: Int32, theirs: Int32)) throws -> Void) throws {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    try body((ends[0], ends[1]))
  }

  private func received(_ descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
      var got = 0
      repeat {
        got = recv(descriptor, buffer.baseAddress! + count, buffer.count - count, 0)
        count += max(0, got)
      } while got > 0
    }
  }

  @Test func `a listener who comes to another codec over a hole is ended there as at a boundary`()
    throws
  {
    let (vorbis, opus) = (try FakeOgg(.vorbis), try FakeOgg(.opus))
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    vorbis.append(0..<20, to: log, serial: 77, begins: true)
    opus.append(0..<20, to: log, serial: 78, begins: true)
    let shard = MountShard(Mount(station: "jazz", log: log))!
    let target = try #require(
      shard.reader.point(atOrBefore: shard.reader.edge.media - MediaTime(seconds: 0.5)))
    let fanout = Fanout()
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    var listener = Listener(
      fd: ends[0], slot: 1, cursor: 0, icy: ICYInterleaver(metaint: 0), codec: .vorbis,
      pace: .placed(at: .zero, burst: MediaTime(seconds: 1), now: 0), takenAt: 0)
    fanout.begin(&listener, with: [], in: shard)
    _ = fanout.serve(&listener, in: shard, now: 0)
    fanout.jump(&listener, to: target, in: shard)
    guard case .ended(.formatChanged) = fanout.serve(&listener, in: shard, now: 0) else {
      Issue.record("it hears what it cannot decode")
      return
    }
  }
}
