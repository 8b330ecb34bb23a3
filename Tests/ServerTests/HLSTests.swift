import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// A station of numbered packets as HLS, over real sockets.
@Suite(.serialized)
struct HLSTests {
  /// Appends so many seconds of packets that end now, each when it is on air.
  private static func fill(_ station: NumberedLog, seconds: Double, until now: Moment = .now()) {
    let count = UInt64(seconds * 44_100 / 1152)
    for packet in 0..<count {
      let late = Double(count - packet) * 1152 / 44_100
      station.append(1, at: now.adding(seconds: -late))
    }
  }

  /// A server with two minutes of a station; `isLive`: which goes on.
  private func withStation(
    _ settings: ListenerSettings = .init(), isLive: Bool = false, seconds: Double = 120,
    threads: Int = 2, change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withServer(
      seconds: 0, threads: threads, isFed: false, settings: settings, change: change
    ) { server in
      Self.fill(server.station, seconds: seconds)
      let feeding = Task {
        let start = ContinuousClock.now
        var fed: UInt64 = 0
        while isLive, !Task.isCancelled {
          try await Task.sleep(for: .milliseconds(26))
          // By the clock, since a loaded machine sleeps longer.
          let due = UInt64((ContinuousClock.now - start) / .milliseconds(26))
          server.station.append(due - fed, at: .now())
          fed = due
        }
      }
      defer { feeding.cancel() }
      try await body(server)
    }
  }

  private func list(_ path: String, _ server: TestServer) async throws -> ReadPlaylist {
    let client = try await server.fetch(path)
    let head = try client.head()
    #expect(head.status == 200, "\(path): \(String(decoding: client.body, as: UTF8.self))")
    #expect(head["content-type"] == "application/vnd.apple.mpegurl")
    #expect(PlaylistRules.violations(of: client.body).isEmpty)
    return ReadPlaylist(client.body)
  }

  private func urls(_ list: ReadPlaylist) -> [String] { list.segments.map(\.url) }

  /// The audio of a list's segments, one behind the other, without their tags.
  private func audio(_ list: ReadPlaylist, _ server: TestServer) async throws -> [UInt8] {
    var audio: [UInt8] = []
    for segment in list.segments {
      let client = try await server.fetch("/jazz/hls/\(segment.url)")
      #expect(try client.head().status == 200, "\(segment.url)")
      audio += try Self.packets(client.body)
    }
    return audio
  }

  private static func packets(_ segment: [UInt8]) throws -> [UInt8] {
    let begins = segment.starts(with: "ID3".utf8)
    try #require(begins)
    let length = segment[6..<10].reduce(0) { $0 << 7 | Int($1) }
    return Array(segment[(10 + length)...])
  }

  @Test func `segments hold every packet once, with its title and its date`() async throws {
    try await withStation { server in
      let list = try await list("/jazz/hls/main.m3u8", server)
      #expect(list.segments.count > 60)
      #expect(list.number("EXT-X-TARGETDURATION") == 6)
      let audio = try await audio(list, server)
      let numbers = try NumberedFrames.numbers(in: audio)
      let isUnbroken = numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count))
      #expect(isUnbroken)
      // Each title begins a segment, and stands in its tag.
      for segment in list.segments.dropFirst() {
        let bytes = try await server.fetch("/jazz/hls/\(segment.url)").body
        let first = try NumberedFrames.numbers(in: try Self.packets(bytes))[0]
        let title = server.station.title(at: first)
        #expect(bytes.prefix(400).contains("TIT2", title), "\(segment.url): \(title)")
      }
    }
  }

  @Test func `newest segments are put together once, and older ones read as they are sent`()
    async throws
  {
    var configuration = LogConfiguration()
    configuration.windowBytes = 32 << 20
    let log = PacketLog(memoryOnly: configuration, at: .now())
    Self.fill(NumberedLog(log: log, seconds: 0), seconds: 420)
    let mount = Mount(station: "jazz", log: log)
    try await withStation { server in
      await server.server.publish(mounts: [mount])
      let list = try await list("/jazz/hls/main.m3u8", server)
      let numbers = try NumberedFrames.numbers(in: try await audio(list, server))
      let isUnbroken = numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count))
      #expect(isUnbroken && list.length > 250_00_000)
      func kept(_ url: String) throws -> [UInt8]? {
        guard case .piece(let name, _) = try #require(HLSPath(url.utf8)) else { return nil }
        let source = try #require(HLSSource(mount, in: MountTable([mount])))
        return server.server.shared.hls.shelf.piece(.init(name, of: source))?.bytes
      }
      let (first, last) = (list.segments[0].url, list.segments[list.segments.count - 1].url)
      #expect(try kept(first) == nil)
      let whole = try await server.fetch("/jazz/hls/\(last)").body
      #expect(try kept(last) == whole)
      let part = try await server.fetch("/jazz/hls/\(last)", "Range: bytes=100-299\r\n")
      #expect(try part.head().status == 206 && part.body == Array(whole[100..<300]))

      // What is kept is nobody's who may not have it: the station by then, another that plays later.
      let late = Mount(station: "late", log: log, delay: MediaTime(seconds: 60))
      var strict = mount
      strict.settings.hls.isOn = false
      await server.server.publish(mounts: [late, strict])
      #expect(try await server.fetch("/late/hls/\(last)").head().status == 404)
      #expect(try await server.fetch("/jazz/hls/\(last)").head().status == 403)
    }
  }

  @Test func `a segment is the same for ever, in parts and for who has it`() async throws {
    try await withStation { server in
      let list = try await list("/jazz/hls/main.m3u8", server)
      let path = "/jazz/hls/\(list.segments[3].url)"
      let whole = try await server.fetch(path)
      let head = try whole.head()
      #expect(head["cache-control"] == "public, max-age=31536000, immutable")
      #expect(head["vary"] == nil && head["content-disposition"] == nil)
      #expect(head["content-type"] == "audio/mpeg")
      let tag = try #require(head["etag"])
      #expect(!tag.hasPrefix("W/"))
      let mount = try await server.fetch("/Stream.mp3/hls/\(list.segments[3].url)")
      #expect(mount.body == whole.body)
      for range in [0..<10, 5..<200, 70..<whole.body.count] {
        let part = try await server.fetch(
          path, "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)\r\n")
        #expect(try part.head().status == 206)
        #expect(part.body == Array(whole.body[range]))
      }
      let parts = try await server.fetch(path, "Range: bytes=0-1,80-90\r\n")
      #expect(try parts.head().status == 206)
      #expect(try await server.fetch(path, "Range: bytes=9999999-\r\n").head().status == 416)
      let known = try await server.fetch(path, "If-None-Match: \(tag)\r\n")
      #expect(try known.head().status == 304 && known.body.isEmpty)
      let short = try await server.fetch(path, method: "HEAD")
      #expect(try short.head()["content-length"] == "\(whole.body.count)" && short.body.isEmpty)
    }
  }

  @Test func `what no list has is not found, and forgotten soon`() async throws {
    try await withStation { server in
      let list = try await list("/jazz/hls/main.m3u8", server)
      let key = try #require(list.segments[0].url.split(separator: "/").first)
      for (path, status, control) in [
        ("\(key)/999999.mp3", 404, "max-age=1"), ("\(key)/3-9.mp3", 404, "max-age=1"),
        ("\(key)/3.aac", 404, "max-age=1"), ("000000000000-6a/3.mp3", 404, "max-age=1"),
        ("\(key)/nonsense", 404, "max-age=1"), ("\(key)/init-0.mp4", 404, "max-age=1"),
        ("\(key)/p0-7.mp3", 404, "max-age=1"),
      ] {
        let client = try await server.fetch("/jazz/hls/\(path)")
        #expect(try client.head().status == status, "\(path)")
        #expect(try client.head()["cache-control"] == control, "\(path)")
      }
    }
  }

  @Test func `a list grows by itself, and a reload that waits gets the next segment`() async throws
  {
    try await withStation(isLive: true) { server in
      var history = PlaylistHistory()
      var client = try await server.fetch("/jazz/hls/main.m3u8")
      #expect(history.add(client.body).isEmpty)
      for _ in 0..<4 {
        let list = ReadPlaylist(client.body)
        let next = list.segments[list.segments.count - 1].number + 1
        client = try await server.fetch("/jazz/hls/main.m3u8?_HLS_msn=\(next)")
        let control = try client.head()["cache-control"]
        // Where the segment is listed before the request comes, nothing is waited for.
        #expect(control == "max-age=36" || control == "max-age=1")
        #expect(history.add(client.body).isEmpty)
        let newer = ReadPlaylist(client.body)
        #expect(newer.segments[newer.segments.count - 1].number >= next)
        let delta = try await server.fetch("/jazz/hls/main.m3u8?_HLS_skip=v2")
        #expect(history.add(delta.body).isEmpty)
      }
      let list = ReadPlaylist(client.body)
      let next = list.segments[list.segments.count - 1].number + 1
      #expect(
        try await server.fetch("/jazz/hls/main.m3u8?_HLS_msn=\(next + 9)").head().status == 400)
      #expect(try await server.fetch("/jazz/hls/main.m3u8?_HLS_msn=0").head().status == 200)
      #expect(try await server.fetch("/jazz/hls/main.m3u8?_HLS_part=0").head().status == 400)
    }
  }

  @Test func `a reload that waits while its station closes is judged anew`() async throws {
    var settings = ListenerSettings()
    settings.hls.segment = 2
    let changes: [(String, (inout Mount) -> Void)] = [
      ("auth", { $0.authority = Doorkeeper() }), ("hls", { $0.settings.hls.isOn = false }),
      ("deny", { $0.access.deny = [AddressRange("127.0.0.0/8")!] }), ("nothing", { _ in }),
    ]
    for (name, change) in changes {
      try await withStation(settings) { server in
        let list = try await list("/jazz/hls/main.m3u8", server)
        let next = list.segments[list.segments.count - 1].number + 1
        let client = try StreamClient(
          to: server.address, get: "/jazz/hls/main.m3u8?_HLS_msn=\(next)")
        try await eventually("it waits") { server.server.shared.hls.figures.waiting == 1 }
        var mount = Mount(station: "jazz", log: server.station.log)
        mount.settings = settings
        change(&mount)
        await server.server.publish(mounts: [mount])
        server.station.append(160, at: .now())
        let status = name == "nothing" ? 200 : 503
        #expect(try await client.answer().status == status, "\(name)")
      }
    }
  }

  @Test func `reloads that wait are answered when the server stops, and when no segment comes`()
    async throws
  {
    var settings = ListenerSettings()
    settings.hls.segment = 2
    try await withStation(settings) { server in
      let list = try await list("/jazz/hls/main.m3u8", server)
      let next = list.segments[list.segments.count - 1].number + 1
      let idle = try await server.fetch("/jazz/hls/main.m3u8?_HLS_msn=\(next)")
      #expect(try idle.head().status == 503 && idle.head()["retry-after"] == "1")
      let early = try StreamClient(
        to: server.address, get: "/jazz/hls/main.m3u8?_HLS_msn=\(next)")
      try await eventually("it waits") { server.server.shared.hls.figures.waiting == 1 }
      server.station.append(160, at: .now())
      #expect(try await early.answer()["cache-control"] == "max-age=36")
      let newer = try await self.list("/jazz/hls/main.m3u8", server)
      let following = newer.segments[newer.segments.count - 1].number + 1
      let clients = try (0..<20).map { _ in
        try StreamClient(to: server.address, get: "/jazz/hls/main.m3u8?_HLS_msn=\(following)")
      }
      try await eventually("they wait") { server.server.shared.hls.figures.waiting == 20 }
      for loop in server.server.loops { await loop.startDraining() }
      for client in clients { #expect(try await client.answer().status == 503) }
      #expect(server.server.shared.hls.figures.waiting == 0)
    }
  }

  @Test func `a list begins where it is asked to, and has as much as it is asked for`() async throws
  {
    try await withStation { server in
      let whole = try await list("/jazz/hls/main.m3u8", server)
      #expect(whole.value("EXT-X-START") == nil)
      let shifted = try await list("/jazz/hls/main.m3u8?offset=30", server)
      #expect(shifted.attributes("EXT-X-START")?["TIME-OFFSET"] == "-30.000")
      #expect(urls(shifted) == urls(whole))
      let short = try await list("/jazz/hls/main.m3u8?dvr=60s", server)
      #expect((49_00_000...66_00_000).contains(short.length))
      #expect(urls(short) == urls(whole).suffix(short.segments.count))
      let date = try #require(whole.segments[20].date) / 1_000_000_000
      let at = try await list("/jazz/hls/main.m3u8?at=\(date)", server)
      #expect(urls(whole).suffix(at.segments.count) == urls(at))
      #expect(at.segments.count < whole.segments.count)
      let offset = Double(at.attributes("EXT-X-START")?["TIME-OFFSET"] ?? "") ?? -1
      let began = Double(try #require(at.segments[0].date)) / 1e9 + offset
      #expect(abs(began - Double(date)) < 0.01)
      #expect(urls(try await list("/jazz/hls/main.m3u8?at=-30d", server)) == urls(whole))
      for query in ["offset=1&at=5", "dvr=5m&at=-1m", "offset=x", "dvr=0", "at=1&at=2", "ofset=3"] {
        #expect(try await server.fetch("/jazz/hls/main.m3u8?\(query)").head().status == 400)
      }
    }
  }

  @Test func `the audio of a clip's list is that of the clip`() async throws {
    try await withStation { server in
      let oldest = server.station.log.snapshot().oldestAir.seconds
      let pieces = Cells(server.station.log, at: .now()).list().pieces
      var spans = [(10.0, 11.0), (20, 55), (31.2, 31.5), (5, 108)].map {
        (oldest + $0, oldest + $1)
      }
      // Within a packet of a border: the piece in front or behind has no packet of the clip.
      for late in [0, 0.001, 0.01, 0.02, 0.1] {
        spans.append((pieces[2].air.seconds + 0.5, pieces[9].air.seconds + late))
        spans.append((pieces[5].air.seconds - late, pieces[12].air.seconds - 0.5))
      }
      func time(_ seconds: Double) -> String {
        let thousandths = Int64(seconds * 1000)
        return "\(thousandths / 1000).\(String(1000 + thousandths % 1000).dropFirst())"
      }
      for (from, to) in spans {
        let query = "from=\(time(from))&to=\(time(to))"
        let clip = try await server.fetch("/jazz/clip?\(query)")
        let list = try await list("/jazz/hls/clip.m3u8?\(query)", server)
        #expect(list.isFinished && list.value("EXT-X-PLAYLIST-TYPE") == "VOD")
        let audio = try await audio(list, server)
        let isEqual = audio == clip.body
        #expect(isEqual, "\(query): \(audio.count) of \(clip.body.count)")
      }
    }
  }

  @Test func `qualities, redirects and pages are what their requests say`() async throws {
    try await withStation { server in
      let live = try await server.fetch("/jazz/hls/live.m3u8?offset=5m&utm=x")
      let text = String(decoding: live.body, as: UTF8.self)
      #expect(text.contains("CODECS=\"mp4a.40.34\"\nmain.m3u8?offset=5m\n"), "\(text)")
      #expect(try live.head()["cache-control"] == "max-age=60")
      let short = try await server.fetch("/jazz.m3u8?offset=5m")
      #expect(try short.head().status == 302)
      #expect(try short.head()["location"] == "./jazz/hls/live.m3u8?offset=5m")
      let packed = try await server.fetch("/jazz/hls/main.m3u8", "Accept-Encoding: gzip\r\n")
      #expect(try packed.head()["content-encoding"] == "gzip")
      let plain = try await server.fetch("/jazz/hls/main.m3u8")
      #expect(packed.body.count < plain.body.count / 3)
      let tag = try #require(try plain.head()["etag"])
      let known = try await server.fetch("/jazz/hls/main.m3u8", "If-None-Match: \(tag)\r\n")
      #expect(try known.head().status == 304)
      #expect(try plain.head()["access-control-allow-origin"] == "*")
    }
  }

  @Test func `a path has one spelling`() async throws {
    try await withStation { server in
      let segment = try #require(urls(try await list("/jazz/hls/main.m3u8", server)).first)
      let escaped = segment.replacing("/", with: "%2F")
      for path in [
        "/jazz/hls/main.m3u8/", "/jazz%2Fhls%2Fmain.m3u8", "/jazz/hls/%6Dain.m3u8", "/jazz.m3u8/",
        "//jazz/hls/live.m3u8", "/jazz/hls/\(segment)/", "/jazz/hls/\(escaped)",
        "/jazz/hls/%\(String(segment.utf8.first!, radix: 16))\(segment.dropFirst())",
      ] {
        // The API has what the loops do not know.
        let client = try await server.fetch(path)
        let answer = String(decoding: client.body, as: UTF8.self)
        #expect(answer.hasPrefix("GET /"), "\(path): \(answer.prefix(60))")
      }
      #expect(try await server.fetch("/%6Aazz/hls/main.m3u8").head().status == 200)
    }
  }

  @Test func `what means nothing for a playlist is refused`() async throws {
    try await withStation { server in
      for query in ["bitrate=64", "reverse=1"] {
        let client = try await server.fetch("/jazz/hls/main.m3u8?\(query)")
        #expect(try client.head().status == 400, "\(query)")
      }
      let short = try await server.fetch("/jazz/hls/live.m3u8?dvr=0.0001")
      let text = String(decoding: short.body, as: UTF8.self)
      #expect(text.contains("main.m3u8?dvr=1s\n"), "\(text)")
    }
  }

  @Test func `nobody goes further back than offset-max, a delayed station neither`() async throws {
    var settings = ListenerSettings()
    settings.hls.segment = 2
    settings.offsetMax = MediaTime(seconds: 10)
    try await withStation(settings) { server in
      #expect(try await list("/jazz/hls/main.m3u8", server).length <= 10_00_000)
      let late = Mount(
        station: "late", log: server.station.log, delay: MediaTime(seconds: 60), settings: settings)
      await server.server.publish(mounts: [late])
      let list = try await list("/late/hls/main.m3u8?at=-5m", server)
      #expect(list.length <= 14_00_000, "\(list.length)")
      for segment in urls(list) {
        let client = try await server.fetch("/late/hls/\(segment)")
        #expect(try client.head().status == 200, "\(segment)")
      }
    }
  }

  @Test func `a list begins no earlier than one did before a restart`() async throws {
    try await withStation { server in
      let first = try await list("/jazz/hls/main.m3u8", server).number("EXT-X-MEDIA-SEQUENCE")
      let begin = Int64(try #require(first))
      // A number that the log has not reached is of another one.
      for (listed, wanted) in [(begin + 5, begin + 5), (begin - 5, begin), (begin + 10_000, begin)]
      {
        let mount = Mount(
          station: "jazz", log: server.station.log, counters: MountCounters(listed: listed))
        await server.server.publish(mounts: [mount])
        let list = try await list("/jazz/hls/main.m3u8", server)
        #expect(list.number("EXT-X-MEDIA-SEQUENCE").map { Int64($0) } == wanted)
      }
    }
  }

  @Test func `a list begins behind fragments, whose initialisation nothing ends`() throws {
    var configuration = LogConfiguration()
    configuration.windowBytes = 8 << 20
    let log = PacketLog(memoryOnly: configuration, at: .now())
    try FakeOgg(.opus).append(0..<200, to: log, serial: 5, begins: true)
    let begun = Moment.now()
    for second in 1...30 {
      for _ in 0..<38 { log.appendKnown() }
      log.publish(at: begun.adding(seconds: Double(second)))
    }
    let pieces = HLSSourcePieces(
      own: Cells(log, at: begun.adding(seconds: 31)), original: nil)
    let all = pieces.own.list().pieces
    #expect(Set(all.map(\.codec)) == [.opus, .mp3])
    let list = pieces.list(.window(.max)).cells.pieces
    #expect(!list.isEmpty && list == all.filter { $0.codec == .mp3 })
    // What is finished is told whole.
    let whole = pieces.list(.from(.epoch, limit: MediaTime(seconds: 12)))
    #expect(whole.isFinished && whole.cells.pieces.first == all.first)
  }

  @Test func `a playlist is the same where its list has to be made again`() async throws {
    let station = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: .now()), seconds: 0)
    Self.fill(station, seconds: 60)
    let mount = Mount(station: "jazz", log: station.log)
    let source = try #require(HLSSource(mount, in: MountTable([mount])))
    let key = HLSListKey(stamp: source.stamp(at: .now()), extent: .window(.max))
    let page = HLSDesk.PageKey(list: key)
    let (fresh, other) = (HLSDesk(), HLSDesk())
    let made = await fresh.page(page, of: source, for: nil)
    #expect(await other.list(key, of: source, for: nil)?.cells.pieces.isEmpty == false)
    let known = await other.page(page, of: source, for: nil)
    #expect(made?.body == known?.body && made?.body.isEmpty == false)
  }

  @Test func `who asks for the head only waits for nothing`() async throws {
    try await withStation(seconds: 0, change: { $0.firstPacketTimeout = 600 }) { server in
      for query in ["", "?_HLS_msn=300000000"] {
        let client = try await server.fetch("/jazz/hls/main.m3u8\(query)", method: "HEAD")
        #expect(try client.head().status == 503)
      }
    }
  }

  @Test func `rights of listeners hold for HLS`() async throws {
    var settings = ListenerSettings()
    settings.allowsShift = false
    try await withStation(settings) { server in
      let list = try await list("/jazz/hls/main.m3u8", server)
      #expect((54_00_000...66_00_000).contains(list.length) && list.segments.count >= 10)
      #expect(try await server.fetch("/jazz/hls/main.m3u8?offset=30").head().status == 403)
      #expect(try await server.fetch("/jazz/hls/clip.m3u8?from=-1m").head().status == 403)
    }
    settings.hls.isOn = false
    try await withStation(settings) { server in
      let short = try await server.fetch("/jazz.m3u8")
      #expect(try short.head().status == 404)
      #expect(String(decoding: short.body, as: UTF8.self).contains("no-hls"))
      for path in ["main.m3u8", "live.m3u8", "clip.m3u8?from=-1m", "000000000000-6a/3.mp3"] {
        let client = try await server.fetch("/jazz/hls/\(path)")
        #expect(try client.head().status == 403)
        #expect(String(decoding: client.body, as: UTF8.self).contains("hls-off"))
      }
    }
  }

  @Test func `listeners are counted by their playlists, and refused where no more may listen`()
    async throws
  {
    var settings = ListenerSettings()
    settings.hls.segment = 2
    settings.listenersMax = 3
    try await withStation(settings) { server in
      func ask(_ name: String) async throws -> Int {
        try await server.fetch("/jazz/hls/main.m3u8?CMCD=sid%3D%22\(name)%22").head().status
      }
      for name in ["anna", "ben", "anna", "carl", "ben"] { #expect(try await ask(name) == 200) }
      #expect(try await ask("dora") == 503)
      #expect(server.server.shared.hls.audience.count == 3)
      try await eventually("they have gone") { server.server.shared.hls.audience.count == 0 }
      #expect(try await ask("dora") == 200)
    }
  }

  @Test func `the most at once are those of the stream and of HLS together`() {
    let counters = MountCounters()
    typealias Row = (change: (MountCounters) -> Void, peak: Int)
    let rows: [Row] = [
      ({ $0.joined() }, 1), ({ $0.hlsJoined() }, 2), ({ $0.left() }, 2), ({ $0.hlsJoined() }, 2),
      ({ $0.hlsJoined() }, 3), ({ $0.hlsLeft() }, 3), ({ $0.joined() }, 3), ({ $0.joined() }, 4),
    ]
    for (index, row) in rows.enumerated() {
      row.change(counters)
      #expect(counters.peak == row.peak, "\(index)")
    }
  }

  @Test func `one address cannot take all places with names that it makes up`() async throws {
    try await withStation(change: { $0.listenersMax = 256 }) { server in
      var statuses: [Int: Int] = [:]
      for name in 0..<80 {
        let path = "/jazz/hls/main.m3u8?CMCD=sid%3D%22listener\(name)%22"
        statuses[try await server.fetch(path).head().status, default: 0] += 1
      }
      #expect(statuses == [200: 64, 429: 16])
      #expect(
        try await server.fetch("/jazz/hls/main.m3u8?CMCD=sid%3D%22listener0%22").head().status
          == 200)
    }
  }

  @Test func `a thousand reloads that wait for one segment all get it`() async throws {
    try await withStation(change: { $0.connectionsPerAddress = 2000 }) { server in
      let list = try await list("/jazz/hls/main.m3u8", server)
      let next = list.segments[list.segments.count - 1].number + 1
      let clients = try (0..<1000).map { _ in
        try StreamClient(to: server.address, get: "/jazz/hls/main.m3u8?_HLS_msn=\(next)")
      }
      try await eventually("they wait") { server.server.shared.hls.figures.waiting == 1000 }
      server.station.append(300, at: .now())
      var tags: Set<String?> = []
      for client in clients {
        let head = try await client.answer()
        #expect(head.status == 200)
        tags.insert(head["etag"])
      }
      #expect(tags.count == 1)
    }
  }

  /// Lets in who knows a word.
  private final class Doorkeeper: ListenerAuthorizing {
    let asked = Atomic<Int>(0)
    let left = Atomic<Int>(0)

    func admit(_ request: ListenerRequest) async -> ListenerVerdict {
      asked.add(1, ordering: .relaxed)
      guard request.head.query["token"] == "sesame" else {
        return .refused(status: 401, code: "auth", message: "no")
      }
      return .admitted(ListenerTicket { [self] _ in left.add(1, ordering: .relaxed) })
    }
  }

  @Test func `a closed station asks at its playlists once, and its segments have sealed paths`()
    async throws
  {
    var settings = ListenerSettings()
    settings.hls.segment = 2
    try await withStation(settings) { server in
      let keeper = Doorkeeper()
      var mount = Mount(station: "jazz", log: server.station.log)
      (mount.settings, mount.authority) = (settings, keeper)
      await server.server.publish(mounts: [mount])
      #expect(try await server.fetch("/jazz/hls/main.m3u8").head().status == 401)
      let live = try await server.fetch("/jazz/hls/live.m3u8?token=sesame")
      #expect(String(decoding: live.body, as: UTF8.self).contains("main.m3u8?token=sesame\n"))
      for _ in 0..<5 {
        let main = try await server.fetch("/jazz/hls/main.m3u8?token=sesame&_HLS_msn=0")
        #expect(try main.head()["cache-control"] == "private, no-store")
      }
      #expect(keeper.asked.load(ordering: .relaxed) == 2)
      let list = try await list("/jazz/hls/main.m3u8?token=sesame", server)
      let segment = try #require(list.segments.first?.url)
      #expect(try await server.fetch("/jazz/hls/\(segment)").head().status == 200)
      let bare = segment.split(separator: "/").dropFirst().joined(separator: "/")
      #expect(try await server.fetch("/jazz/hls/\(bare)").head().status == 403)
      let forged = (segment.first == "s" ? "s7fffffff-0123456789abcdef/" : "") + bare
      #expect(try await server.fetch("/jazz/hls/\(forged)").head().status == 403)
      try await eventually("it is told that they have gone") {
        keeper.left.load(ordering: .relaxed) == 1
      }
    }
  }

  @Test func `playlists that are refused are counted by kind and status`() async throws {
    typealias Row = (path: String, kind: HLSFigures.Kind, status: Int)
    var settings = ListenerSettings()
    (settings.allowsShift, settings.listenersMax) = (false, 1)
    settings.hls.segment = 2
    try await withStation(settings) { server in
      func check(_ rows: [Row]) async throws {
        for (path, kind, status) in rows {
          let before = server.server.shared.hls.figures.counts
          #expect(try await server.fetch(path).head().status == status, "\(path)")
          var told = server.server.shared.hls.figures.counts
          for (answer, count) in before { told[answer, default: 0] -= count }
          let answer = HLSFigures.Answer(kind: kind, status: status)
          #expect(told.filter { $0.value != 0 } == [answer: 1], "\(path)")
        }
      }
      func name(_ name: String) -> String { "CMCD=sid%3D%22\(name)%22" }
      try await check([
        ("/jazz/hls/main.m3u8?offset=30", .media, 403),
        ("/jazz/hls/live.m3u8?offset=30", .multivariant, 403),
        ("/jazz/hls/clip.m3u8?from=-1m", .clip, 403),
        ("/jazz/hls/main.m3u8?bitrate=64", .media, 400),
        ("/jazz/hls/live.m3u8?bitrate=none", .multivariant, 400),
        ("/jazz/hls/clip.m3u8?from=x", .clip, 400),
        ("/jazz/hls/main.m3u8?\(name("anna"))", .media, 200),
        ("/jazz/hls/main.m3u8?\(name("ben"))", .media, 503),
        ("/jazz/hls/live.m3u8?\(name("ben"))", .multivariant, 503),
        ("/jazz/hls/main.m3u8?\(name("anna"))&_HLS_msn=99999999999", .media, 400),
      ])
      let list = try await list("/jazz/hls/main.m3u8?\(name("anna"))", server)
      let next = list.segments[list.segments.count - 1].number + 1
      try await check([("/jazz/hls/main.m3u8?\(name("anna"))&_HLS_msn=\(next)", .media, 503)])
      var closed = Mount(station: "jazz", log: server.station.log)
      (closed.settings.hls.isOn, closed.isStopped) = (false, false)
      await server.server.publish(mounts: [closed])
      try await check([
        ("/jazz/hls/main.m3u8", .media, 403), ("/jazz/hls/clip.m3u8?from=-1m", .clip, 403),
      ])
      (closed.settings.hls.isOn, closed.isStopped) = (true, true)
      await server.server.publish(mounts: [closed])
      try await check([
        ("/jazz/hls/main.m3u8", .media, 503), ("/jazz/hls/live.m3u8", .multivariant, 503),
      ])
      closed.isStopped = false
      closed.authority = Doorkeeper()
      await server.server.publish(mounts: [closed])
      try await check([("/jazz/hls/main.m3u8", .media, 401)])
      // What is no station is no playlist either, and counts as no answer of HLS.
      let before = server.server.shared.hls.figures.counts
      _ = try await server.fetch("/rock/hls/main.m3u8")
      #expect(server.server.shared.hls.figures.counts == before)
    }
  }

  @Test func `a station that cannot be HLS says what would help`() async throws {
    try await withServer(seconds: 0, isFed: false) { server in
      let format = AudioFormat(codec: .vorbis, sampleRate: 44_100, channels: 2)
      let frame = NumberedFrames.frame(1)
      server.station.log.append(frame.span, samples: 1152, format: format)
      server.station.log.publish(at: .now())
      for path in ["/jazz/hls/main.m3u8", "/jazz/hls/live.m3u8", "/jazz.m3u8"] {
        let client = try await server.fetch(path)
        #expect(try client.head().status == 404)
        #expect(String(decoding: client.body, as: UTF8.self).contains("no-hls"))
      }
      let counts = server.server.shared.hls.figures.counts
      #expect(
        counts == [.init(kind: .media, status: 404): 1, .init(kind: .multivariant, status: 404): 1])
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether a text frame of ID3 has this text.
  fileprivate func contains(_ frame: String, _ text: String) -> Bool {
    firstRange(of: Array(frame.utf8)) != nil && firstRange(of: [3] + Array(text.utf8) + [0]) != nil
  }
}
