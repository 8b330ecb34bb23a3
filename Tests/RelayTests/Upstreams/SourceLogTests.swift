import Foundation
import Longwave
import Reactor
import TestSupport
import Testing

/// What the access log has of sources that push.
@Suite struct SourceLogTests {
  @Test func `a source is a line of the access log, with what it was told`() async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/access.log"
    let listen = SocketAddress.ipv4(0x7F00_0001, port: 0)
    try await Scenario.withRelay(
      [PushScenarioTests.station()],
      change: {
        $0.server.shoutcastListen = [listen]
        $0.log.access = path
      }
    ) { relay in
      let port = try #require(await relay.relay.shoutcastAddresses.first)
      func lines(_ words: String) async throws {
        try await eventually("a line with \(words)") {
          ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").contains(words)
        }
      }
      let wrong = try StreamClient(to: port, sending: "wrong\r\n")
      try await lines(#"127.0.0.1 - - ["#)
      try await lines(#""SOURCE / HTTP/1.0" 401 "#)
      let garbage = try StreamClient(to: port, sending: "\u{1}\n")
      try await lines(#""-" 400 "#)
      let right = try StreamClient(to: port, sending: "push-it-now\r\n")
      try await lines(#""SOURCE /live HTTP/1.0" 200 "#)
      let second = try StreamClient(to: port, sending: "push-it-now\r\n")
      try await lines(#""SOURCE / HTTP/1.0" 409 "#)
      let put = try StreamClient(
        to: relay.address,
        sending: "PUT /live.mp3 HTTP/1.1\r\nHost: x\r\nContent-Type: audio/mpeg\r\n"
          + "User-Agent: butt\r\nAuthorization: Basic c291cmNlOnB1c2gtaXQtbm93\r\n\r\n")
      try await lines(#""PUT /live.mp3 HTTP/1.1" 409 "#)
      try await lines(#" "-" "butt" "#)
      withExtendedLifetime((wrong, garbage, right, second, put)) {}
    }
  }
}
