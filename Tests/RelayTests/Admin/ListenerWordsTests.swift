import Foundation
import Longwave
import TestSupport
import Testing

/// How many listen, as commands show it.
@Suite struct ListenerWordsTests {
  private static let rows: [(String, String?, String)] = [
    ("0", "0", "0"), ("6", "0", "6"), ("6", "51", "6 + 51 HLS"), ("0", "1", "0 + 1 HLS"),
    // A relay of an earlier version does not tell them.
    ("6", nil, "6"),
  ]

  @Test(arguments: rows)
  func `listeners of HLS stand beside those of the stream`(
    now: String, hls: String?, shown: String
  ) async throws {
    let relay = try FakeUpstream(.numbered(before: 1))
    defer { relay.stop() }
    let told = hls.map { ",\"hls\":\($0)" } ?? ""
    let station =
      #"{"id":"jazz","state":"playing","listeners":{"now":\#(now),"peak":60,"total":99\#(told)}}"#
    func reply(_ path: String, _ text: String) {
      relay.reply(path, with: .file(Array(text.utf8), mediaType: "application/json"))
    }
    reply("/api/v1/stations", #"{"stations":[\#(station)]}"#)
    reply("/api/v1/stats", #"{"version":"1","listeners":{"now":\#(now),"peak":60\#(told)}}"#)
    for command in [["station", "list"], ["stats"]] {
      let result = try await LongwaveProcess.command(
        command + ["--server", relay.url(""), "--token", Scenario.token])
      let row = result.output.split(separator: "\n").first { $0.hasPrefix("jazz") }
      let columns = row?.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(columns?.dropFirst(2).first == shown, "\(command): \(result.output) \(result.log)")
    }
  }
}
