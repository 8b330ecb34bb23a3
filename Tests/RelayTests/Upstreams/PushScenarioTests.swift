import Glibc
import Longwave
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

/// Encoders that connect to us, in place of upstreams that we pull.
@Suite struct PushScenarioTests {
  /// source:push-it-now
  static let right = "Authorization: Basic c291cmNlOnB1c2gtaXQtbm93\r\n"
  /// source:wrong-one
  private static let wrong = "Authorization: Basic c291cmNlOndyb25nLW9uZQ==\r\n"
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]

  static func station(_ id: String = "live", _ upstream: [String] = ["push:"])
    -> StationDefinition
  {
    var station = StationDefinition(id: id, upstream: upstream)
    station.sourcePassword = "push-it-now"
    // An encoder sends from its test's task, which may stand still for a while.
    station.connection.dataTimeout = 300
    return station
  }

  /// An encoder made of a plain socket, which sends numbered frames in real time.
  final class Encoder {
    let client: StreamClient
    private var sent = 0
    private let first: Int
    private let began = secondsNow()
    /// Frames sent at once at the beginning.
    private let ahead: Int

    /// - Parameter address: where to; nil: where everybody else goes.
    init(
      _ relay: TestRelay, at address: SocketAddress? = nil, _ request: String, first: Int = 0,
      ahead: Int = 80
    ) throws {
      client = try StreamClient(to: address ?? relay.address, sending: request)
      (self.first, self.ahead) = (first, ahead)
    }

    var frames: Range<Int> { first..<first + sent }

    func greeted() async throws {
      try await client.until("the greeting") { $0.received.count > 12 }
    }

    /// What is due by now.
    func send(as wrap: ([UInt8]) -> [UInt8] = { $0 }) {
      let due = ahead + Int((secondsNow() - began) * 44_100 / 1152)
      while sent < due {
        client.send(wrap(NumberedFrames.frame(UInt64(first + sent))))
        sent += 1
      }
    }

    func send(until what: String, _ condition: () async throws -> Bool) async throws {
      try await eventually(what, within: 60) {
        send()
        return try await condition()
      }
    }
  }

  static func ask(
    _ line: String = "SOURCE /live HTTP/1.0", _ password: String = right,
    _ fields: String = "Content-Type: audio/mpeg\r\nice-name: Pushed\r\nice-public: 1\r\n"
  ) -> String { "\(line)\r\nHost: x\r\n\(password)\(fields)\r\n" }

  @Test func `a source is heard by everybody, byte for byte, and gives its name`() async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      #expect(try await relay.station("live")["stateReason"]?.string == "waiting for a source")
      let source = try Encoder(relay, Self.ask())
      try await source.greeted()
      #expect(try source.client.head().statusLine == "HTTP/1.0 200 OK")
      #expect(try source.client.head()["x-content-type-options"] == "nosniff")
      try await source.send(until: "the station plays under its name") {
        let station = try await relay.station("live")
        return station["state"]?.string == "playing" && station["name"]?.string == "Pushed"
      }
      var listeners: [StreamClient] = []
      try await source.send(until: "two seconds for each of fifty who got its name") {
        for listener in listeners { listener.drain() }
        // The loops are told of a name one after the other.
        try listeners.removeAll {
          try $0.bodyCount > 0 && $0.head()["icy-name"] != "Pushed"
        }
        while listeners.count < 50 {
          listeners.append(try StreamClient(to: relay.address, get: "/live"))
        }
        return listeners.allSatisfy { $0.bodyCount > 60_000 }
      }
      for listener in listeners {
        // Whether it is listed is for this server to say, not for the source.
        #expect(try listener.head()["icy-pub"] == "0")
        #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
      }
      // Nothing of a password anywhere.
      let shown = try await relay.get("/api/v1/stations/live", fields: Self.admin).text
      #expect(!shown.contains("push-it-now"))
    }
  }

  @Test func `audio that a source sends before it is answered is not lost`() async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      let source = try Encoder(relay, Self.ask(), ahead: 300)
      source.send()
      try await source.greeted()
      try await source.send(until: "it plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
      let listener = try StreamClient(to: relay.address, get: "/live?offset=60")
      try await source.send(until: "all of it is heard") {
        listener.drain()
        return listener.bodyCount > 290 * 418
      }
      let numbers = try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)
      #expect(numbers.first == 0 && areUnbroken(numbers))
    }
  }

  @Test func `a source that comes again goes on where the log ends`() async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      let one = try Encoder(relay, Self.ask())
      try await one.greeted()
      try await one.send(until: "it plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
      let listener = try StreamClient(to: relay.address, get: "/live")
      try await one.send(until: "it is heard") {
        listener.drain()
        return listener.bodyCount > 40_000
      }
      // In the middle of a frame; the next connection sends its last seconds again.
      one.client.send(Array(NumberedFrames.frame(UInt64(one.frames.upperBound)).prefix(100)))
      let end = one.frames.upperBound
      Socket.shutdownWriting(one.client.fd)
      try await eventually("the source's end is noticed", within: 60) {
        try await relay.station("live")["state"]?.string == "connecting"
      }
      let two = try Encoder(relay, Self.ask(), first: max(0, end - 60), ahead: 100)
      try await two.greeted()
      let before = listener.bodyCount
      try await two.send(until: "it is heard again") {
        listener.drain()
        return listener.bodyCount > before + 40_000
      }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
    }
  }

  @Test func `PUT in chunks is taken, after the go-ahead it waits for`() async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      let request = Self.ask(
        "PUT /live.mp3 HTTP/1.1", Self.right,
        "Content-Type: audio/mpeg\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n")
      let source = try Encoder(relay, request)
      try await source.greeted()
      #expect(try source.client.head().statusLine == "HTTP/1.1 100 Continue")
      var listener: StreamClient?
      try await eventually("it is heard", within: 60) {
        source.send { frame in
          Array("\(String(frame.count, radix: 16))\r\n".utf8) + frame + Array("\r\n".utf8)
        }
        if listener == nil, try await relay.station("live")["state"]?.string == "playing" {
          listener = try StreamClient(to: relay.address, get: "/live")
        }
        listener?.drain()
        return listener?.bodyCount ?? 0 > 60_000
      }
      let body = try #require(listener).body
      #expect(areUnbroken(try NumberedFrames.numbers(in: body, mayEndInFrame: true)))
      source.client.send(Array("not a chunk\r\n".utf8))
      try await eventually("broken chunks end it", within: 60) {
        try await relay.station("live")["state"]?.string == "connecting"
      }
    }
  }

  @Test func `new settings of a station leave its source alone, and count after it`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 40))
    defer { upstream.stop() }
    upstream.reply("/other", with: .stream(FakeStream(burst: 10)))
    try await Scenario.withRelay([Self.station()]) { relay in
      let source = try Encoder(relay, Self.ask())
      try await source.greeted()
      try await source.send(until: "it plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
      var configuration = await relay.relay.configuration
      configuration.stations[0].userAgent = "Foo/2"
      configuration.stations[0].source = .upstream(["push:", upstream.url("/other")])
      #expect(try await relay.relay.apply(configuration).changed == ["live"])
      let listener = try StreamClient(to: relay.address, get: "/live?burst=1")
      try await source.send(until: "it is heard on") {
        listener.drain()
        return listener.bodyCount > 80_000
      }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
      #expect(upstream.requests.isEmpty)
      Socket.shutdownWriting(source.client.fd)
      try await eventually("the other upstream is asked as the new settings say") {
        upstream.requests.last?.fields["user-agent"] == "Foo/2"
      }
    }
  }

  @Test(arguments: [true, false])
  func `PUT of a file is answered at the file's end`(isChunked: Bool) async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      let file = NumberedFrames.stream(0..<250)
      let framing =
        isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(file.count)"
      let source = try StreamClient(
        to: relay.address,
        sending: Self.ask(
          "PUT /live HTTP/1.1", Self.right,
          "Content-Type: audio/mpeg\r\n\(framing)\r\nExpect: 100-continue\r\n"))
      try await source.until("the go-ahead") { !$0.received.isEmpty }
      let size = Array("\(String(file.count, radix: 16))\r\n".utf8)
      let body = isChunked ? size + file + Array("\r\n0\r\n\r\n".utf8) : file
      source.send(body)
      try await source.until("its end") { $0.isEnded }
      let answer = String(decoding: source.received, as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), "\(answer)")
      try await eventually("the next source is waited for") {
        try await relay.station("live")["state"]?.string == "connecting"
      }
      let listener = try StreamClient(to: relay.address, get: "/live?offset=60")
      try await listener.until("all of it") { $0.bodyCount >= file.count }
      #expect(listener.body == file)
    }
  }

  @Test(arguments: [
    (ask("SOURCE /none HTTP/1.0"), 404), (ask("SOURCE /live HTTP/1.0", wrong), 401),
    (ask("SOURCE /live HTTP/1.0", ""), 401), (ask("SOURCE /pulled HTTP/1.0"), 403),
    (ask("PUT /live HTTP/1.1", right, ""), 400),
    (ask("PUT /live HTTP/1.1", right, "Content-Type: text/html\r\n"), 415),
    (ask("SOURCE /live HTTP/1.0", right, "Content-Type: video/mp4\r\n"), 403),
  ])
  func `a source that may not is told why`(request: String, status: Int) async throws {
    let stations = [
      Self.station(), StationDefinition(id: "pulled", upstream: ["http://127.0.0.1:9/"]),
    ]
    try await Scenario.withRelay(stations) { relay in
      let source = try StreamClient(to: relay.address, sending: request)
      source.send([UInt8](repeating: 0xff, count: 3000))
      try await source.until("the refusal") { $0.isEnded }
      #expect(try source.head().status == status)
      if status == 401 {
        #expect(try source.head()["www-authenticate"]?.hasPrefix("Basic") == true)
      }
    }
  }

  @Test func `a source that says nothing leaves the station waiting for the next one`() async throws
  {
    try await Scenario.withRelay([Self.station()]) { relay in
      let silent = try Encoder(relay, Self.ask())
      try await silent.greeted()
      silent.client.hangUp()
      try await eventually("it waits again", within: 60) {
        try await relay.station("live")["stateReason"]?.string == "waiting for a source"
      }
      let source = try Encoder(relay, Self.ask())
      try await source.greeted()
      try await source.send(until: "the next one plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
    }
  }

  @Test func `a source may name its mount with a slash behind it, as a listener may`() async throws
  {
    try await Scenario.withRelay([Self.station()]) { relay in
      let source = try Encoder(relay, Self.ask("SOURCE /live/ HTTP/1.0"))
      try await source.send(until: "it plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
      let listener = try StreamClient(to: relay.address, get: "/live/")
      #expect(try await listener.answer().status == 200)
    }
  }

  @Test(arguments: ["SOURCE /live HTTP/1.0", "PUT /live HTTP/1.1"])
  func `a source whose Content-Type is empty is taken by its bytes`(line: String) async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      let source = try Encoder(relay, Self.ask(line, Self.right, "Content-Type: \r\n"))
      try await source.greeted()
      #expect(try source.client.head().status == 200)
      try await source.send(until: "it plays") {
        try await relay.station("live")["format"]?["mediaType"]?.string == "audio/mpeg"
      }
    }
  }

  @Test func `a second source is told that the mount is in use`() async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      let one = try Encoder(relay, Self.ask())
      try await one.greeted()
      for (line, status) in [("SOURCE /live HTTP/1.0", 403), ("PUT /live HTTP/1.1", 409)] {
        let two = try StreamClient(to: relay.address, sending: Self.ask(line))
        try await two.until("the refusal") { $0.isEnded }
        #expect(try two.head().status == status)
        #expect(String(decoding: two.body, as: UTF8.self).contains("Mountpoint in use"))
      }
      try await one.send(until: "the first one plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
    }
  }

  @Test func `a source comes before the upstream that stood in for it, which comes back after it`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let stations = [Self.station("live", ["push:", upstream.url("/live")])]
    try await Scenario.withRelay(stations) { relay in
      func url() async throws -> String? {
        try await relay.station("live")["upstream"]?["url"]?.string
      }
      try await relay.until("live", is: "playing")
      #expect(try await url() == upstream.url("/live"))
      let source = try Encoder(relay, Self.ask())
      try await source.greeted()
      try await source.send(until: "the source plays") { try await url() == "push:" }
      Socket.shutdownWriting(source.client.fd)
      try await eventually("the upstream plays again", within: 60) {
        let isPlaying = try await relay.station("live")["state"]?.string == "playing"
        return try await url() == upstream.url("/live") && isPlaying
      }
    }
  }

  @Test func `a source says what it plays with its own password, for its own station only`()
    async throws
  {
    let stations = [Self.station(), Self.station("other")].enumerated().map { index, station in
      var station = station
      if index == 1 { station.sourcePassword = "another-secret" }
      return station
    }
    try await Scenario.withRelay(stations) { relay in
      let source = try Encoder(relay, Self.ask())
      try await source.greeted()
      try await source.send(until: "it plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
      let field = String(Self.right.dropLast(1))
      func say(_ target: String, _ fields: [String] = []) async throws -> Int {
        try await relay.get(target, fields: fields).status
      }
      let path = "/admin/metadata?mode=updinfo&mount="
      #expect(try await say(path + "/live&song=One+Song", [field]) == 200)
      try await source.send(until: "the title") {
        try await relay.station("live")["nowPlaying"]?["title"]?.string == "One Song"
      }
      #expect(try await say("/admin.cgi?mode=updinfo&pass=push-it-now&song=Two") == 200)
      try await source.send(until: "the next title") {
        try await relay.station("live")["nowPlaying"]?["title"]?.string == "Two"
      }
      let form = try await HTTPExchange(
        "POST", "/admin/metadata", at: relay.address,
        fields: [field, "Content-Type: application/x-www-form-urlencoded"],
        body: "mode=updinfo&mount=%2flive.mp3&song=Three")
      #expect(form.status == 200)
      try await source.send(until: "the last title") {
        try await relay.station("live")["nowPlaying"]?["title"]?.string == "Three"
      }
      #expect(try await say(path + "/other&song=x", [field]) == 401)
      #expect(try await say(path + "/live&song=x", [String(Self.wrong.dropLast(1))]) == 401)
      #expect(try await say("/admin.cgi?mode=updinfo&pass=nothing&song=x") == 401)
      #expect(try await say("/admin/stats", [field]) == 401)
      for page in ["/admin/stats", "/admin/listclients", "/admin/listclients.xsl"] {
        #expect(try await say(page + "?mount=/live", [field]) == 200)
        #expect(try await say(page + "?mount=/other", [field]) == 401)
      }
      #expect(try await say("/admin/listmounts", [field]) == 401)
      #expect(try await say("/admin/killclient?mount=/live&id=1", [field]) == 401)
    }
  }

  @Test(.enabled(if: Binary.find("ffmpeg") != nil), arguments: [[], ["-legacy_icecast", "1"]])
  func `ffmpeg pushes as Icecast's sources do`(options: [String]) async throws {
    try await Scenario.withRelay([Self.station()]) { relay in
      let url = "icecast://source:push-it-now@\(relay.address)/live"
      let pushing = try ChildProcess(
        [
          "ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "sine=440", "-t", "600",
          "-c:a", "libmp3lame", "-b:a", "128k", "-f", "mp3", "-content_type", "audio/mpeg",
          "-ice_name", "By ffmpeg",
        ] + options + [url])
      try await relay.until("live", is: "playing", within: 60)
      let listener = try await relay.listener(of: "live", called: "By ffmpeg")
      try await listener.until("audio") { $0.bodyCount > 20_000 }
      #expect(try listener.head()["content-type"] == "audio/mpeg")
      pushing.signal(SIGKILL)
      _ = try await pushing.end()
      try await relay.until("live", is: "connecting")
    }
  }
}
