import Foundation
import Longwave
import Reactor
import TestSupport
import Testing

/// Encoders that speak SHOUTcast's first protocol, on a port of their own.
@Suite struct ShoutcastSourceTests {
  private typealias Encoder = PushScenarioTests.Encoder

  private static let fields =
    "icy-name:Pushed\r\nicy-genre:Jazz\r\nicy-url:http://x/\r\nicy-pub:1\r\nicy-br:128\r\n"
    + "icy-reset:1\r\ncontent-type:audio/mpeg\r\n\r\n"
  private static let accepted = "OK2\r\nicy-caps:11\r\n\r\n"

  /// The station of `push-it-now`, and one of `other-one`, whose number is 2.
  private func withStations(
    _ body: (TestRelay, SocketAddress) async throws -> Void
  ) async throws {
    var other = PushScenarioTests.station("other")
    other.sourcePassword = "other-one"
    let listen = SocketAddress.ipv4(0x7F00_0001, port: 0)
    try await Scenario.withRelay(
      [PushScenarioTests.station(), other], change: { $0.server.shoutcastListen = [listen] }
    ) { relay in
      try await body(relay, try #require(await relay.relay.shoutcastAddresses.first))
    }
  }

  /// What a line is answered, to the end of the connection.
  private func answer(_ line: String, at address: SocketAddress) async throws -> String {
    let client = try StreamClient(to: address, sending: line)
    try await eventually("the end after \(line.debugDescription)", within: 60) {
      client.drain()
      return client.isEnded
    }
    return String(decoding: client.received, as: UTF8.self)
  }

  private func play(
    _ relay: TestRelay, _ port: SocketAddress, login: String, station: String = "live",
    first: Int = 0
  ) async throws -> Encoder {
    let source = try Encoder(relay, at: port, login, first: first)
    try await source.client.until("OK2") { $0.received.count >= Self.accepted.utf8.count }
    #expect(String(decoding: source.client.received, as: UTF8.self) == Self.accepted)
    source.client.send(Array(Self.fields.utf8))
    try await source.send(until: "\(station) plays under its name") {
      let shown = try await relay.station(station)
      return shown["state"]?.string == "playing" && shown["name"]?.string == "Pushed"
    }
    return source
  }

  @Test func `a source is heard byte for byte, and sends its titles by admin.cgi`() async throws {
    try await withStations { relay, port in
      let source = try await play(relay, port, login: "push-it-now\r\n")
      let listener = try await relay.listener(of: "live", called: "Pushed")
      try await source.send(until: "two seconds") {
        listener.drain()
        return listener.bodyCount > 60_000
      }
      let head = try listener.head()
      #expect(head["icy-genre"] == "Jazz")
      #expect(head["icy-pub"] == "0" && head["icy-reset"] == nil)
      let numbers = try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)
      #expect(areUnbroken(numbers))
      let title = "/admin.cgi?pass=push-it-now&mode=updinfo&song=Miles+Davis+-+So+What"
      #expect(try await relay.get(title).status == 200)
      try await source.send(until: "its title is shown") {
        let shown = try await relay.station("live")["nowPlaying"]
        return shown?["artist"]?.string == "Miles Davis" && shown?["title"]?.string == "So What"
      }
      #expect(try await relay.station("other")["state"]?.string == "connecting")
    }
  }

  @Test(arguments: ["other-one:#2", "/other:other-one", "source:other-one", "other-one\r"])
  func `the password, a number or a mount say which station is meant`(line: String) async throws {
    try await withStations { relay, port in
      let source = try await play(relay, port, login: line + "\r\n", station: "other")
      #expect(try await relay.station("live")["state"]?.string == "connecting")
      withExtendedLifetime(source) {}
    }
  }

  @Test func `fields and audio may come in single bytes, or at once`() async throws {
    try await withStations { relay, port in
      let slow = try StreamClient(to: port, sending: "")
      for byte in "push-it-now\r\n\(Self.fields)".utf8 { slow.send([byte]) }
      for number in 0..<200 { slow.send(NumberedFrames.frame(UInt64(number))) }
      let quick = try StreamClient(to: port, sending: "other-one\n\(Self.fields)")
      for number in 0..<200 { quick.send(NumberedFrames.frame(UInt64(number))) }
      for id in ["live", "other"] { try await relay.until(id, is: "playing", within: 60) }
      try await relay.listener(of: "other", called: "Pushed")
      withExtendedLifetime((slow, quick)) {}
    }
  }

  @Test func `a SHOUTcast source is told of a wrong password, and of a mount in use`() async throws
  {
    try await withStations { relay, port in
      for line in [
        "wrong\r\n", "push-it-now \r\n", "push-it-now:#2\r\n", "/other:push-it-now\r\n",
        "/none:push-it-now\r\n", "\(Scenario.token)\r\n",
      ] {
        #expect(try await answer(line, at: port) == "invalid password\r\n", "\(line)")
      }
      let source = try await play(relay, port, login: "push-it-now\r\n")
      #expect(try await answer("push-it-now\n", at: port) == "stream already in use\r\n")
      withExtendedLifetime(source) {}
      _ = try await relay.relay.perform(.stop, on: "live")
      #expect(try await answer("push-it-now\n", at: port) == "the station is stopped\r\n")
      #expect(try await answer("wrong\n", at: port) == "invalid password\r\n")
    }
  }

  @Test func `a malformed SHOUTcast login ends without an answer, HTTP is answered`() async throws {
    try await withStations { relay, port in
      for line in ["\r\n", "!POKE\r\n", "a\u{0}b\r\n", String(repeating: "x", count: 2000)] {
        #expect(try await answer(line, at: port) == "", "\(line.prefix(20))")
      }
      let page = try await HTTPExchange("GET", "/healthz", at: port)
      #expect(page.status == 200 && page.text == "ok\n")
      let encoder = try StreamClient(
        to: port,
        sending: "SOURCE /live HTTP/1.0\r\nAuthorization: Basic c291cmNlOnB1c2gtaXQtbm93\r\n\r\n")
      #expect(try await encoder.answer().status == 200)
      // A login is one on its own port only.
      #expect(try await answer("push-it-now\r\n", at: relay.address).contains(" 400 "))
    }
  }

  @Test(.enabled(if: Binary.find("liquidsoap") != nil))
  func `liquidsoap pushes by both protocols, with titles`() async throws {
    try await withStations { relay, port in
      let folder = TemporaryDirectory()
      // It goes to the port after the one it is told.
      let script = """
        settings.init.allow_root.set(true)
        log.stdout.set(true)
        s = insert_metadata(mksafe(sine()))
        thread.run(every = 1., fun () ->
          s.insert_metadata([("artist", "Liquid"), ("title", "Sine")]))
        output.shoutcast(%mp3(bitrate = 128), host = "127.0.0.1",
          port = \((port.port ?? 0) - 1), password = "push-it-now", name = "One", s)
        output.icecast(%mp3(bitrate = 128), host = "127.0.0.1", port = \(relay.address.port ?? 0),
          password = "other-one", mount = "/other", name = "Two", s)
        """
      try script.write(toFile: folder.path + "/s.liq", atomically: true, encoding: .utf8)
      let process = try ChildProcess(["liquidsoap", folder.path + "/s.liq"])
      defer { process.signal(9) }
      for (id, name) in [("live", "One"), ("other", "Two")] {
        try await eventually("\(id) plays what liquidsoap sends", within: 120) {
          let station = try await relay.station(id)
          return station["state"]?.string == "playing" && station["name"]?.string == name
        }
      }
      // SHOUTcast's titles go to the port that it was told, where nobody is in this test.
      try await eventually("the title of /other", within: 60) {
        let playing = try await relay.station("other")["nowPlaying"]
        return playing?["artist"]?.string == "Liquid" && playing?["title"]?.string == "Sine"
      }
    }
  }
}
