import Foundation
import Ingest
import Longwave
import TestSupport
import Testing

/// Titles and names that encoders send in a charset of their own.
@Suite struct PushedCharsetTests {
  private typealias Encoder = PushScenarioTests.Encoder

  private static let field = String(PushScenarioTests.right.dropLast(1))

  private static func escaped(_ text: String, _ charset: String.Encoding) -> String {
    (text.data(using: charset) ?? Data()).map { String(format: "%%%02X", $0) }.joined()
  }

  private func withSource(
    _ encoding: TextEncoding, _ body: (TestRelay, Encoder) async throws -> Void
  ) async throws {
    var station = PushScenarioTests.station()
    station.encoding = encoding
    try await Scenario.withRelay([station]) { relay in
      let source = try Encoder(relay, "")
      // "Радио" in windows-1251.
      source.client.send(
        Array("SOURCE /live HTTP/1.0\r\n\(PushScenarioTests.right)ice-name: ".utf8)
          + [0xD0, 0xE0, 0xE4, 0xE8, 0xEE] + Array("\r\nContent-Type: audio/mpeg\r\n\r\n".utf8))
      try await source.greeted()
      try await source.send(until: "it plays") {
        try await relay.station("live")["state"]?.string == "playing"
      }
      try await body(relay, source)
    }
  }

  private func shows(_ title: String, _ relay: TestRelay, _ source: Encoder) async throws {
    try await source.send(until: "the title \(title)") {
      try await relay.station("live")["nowPlaying"]?["title"]?.string == title
    }
  }

  @Test func `titles and the name of a source are in the station's charset`() async throws {
    try await withSource(.named(try CharsetName("windows-1251"))) { relay, source in
      try await source.send(until: "its name") {
        try await relay.station("live")["name"]?.string == "Радио"
      }
      let target = "/admin/metadata?mount=/live&mode=updinfo"
      let one = target + "&song=\(Self.escaped("Привет 1", .windowsCP1251))"
      #expect(try await relay.get(one, fields: [Self.field]).status == 200)
      try await shows("Привет 1", relay, source)
      let form = try await HTTPExchange(
        "POST", "/admin/metadata", at: relay.address,
        fields: [Self.field, "Content-Type: application/x-www-form-urlencoded"],
        body: "mode=updinfo&mount=/live&song=\(Self.escaped("Привет 2", .windowsCP1251))")
      #expect(form.status == 200)
      try await shows("Привет 2", relay, source)
      let three =
        "/admin.cgi?mode=updinfo&pass=push-it-now&song=\(Self.escaped("Привет 3", .windowsCP1251))"
      #expect(try await relay.get(three).status == 200)
      try await shows("Привет 3", relay, source)
      // In bytes as they are, without escapes.
      let raw = try StreamClient(to: relay.address, sending: "")
      raw.send(
        Array("GET /admin/metadata?mount=/live&mode=updinfo&song=".utf8) + [0xC4, 0xE0]
          + Array(" HTTP/1.0\r\n\(PushScenarioTests.right)\r\n".utf8))
      #expect(try await raw.answer().status == 200)
      try await shows("Да", relay, source)
    }
  }

  @Test func `the charset that a request names goes before the station's`() async throws {
    try await withSource(.auto) { relay, source in
      for (text, name, charset) in [
        ("Привет", "windows-1251", String.Encoding.windowsCP1251),
        ("Łódź", "ISO-8859-2", .isoLatin2), ("あお", "Shift_JIS", .shiftJIS),
        ("Café", "latin1", .isoLatin1), ("Ünï", "UTF-8", .utf8),
      ] {
        let target =
          "/admin/metadata?mount=/live&mode=updinfo&charset=\(name)"
          + "&song=\(Self.escaped(text, charset))"
        #expect(try await relay.get(target, fields: [Self.field]).status == 200)
        try await shows(text, relay, source)
      }
    }
  }
}
