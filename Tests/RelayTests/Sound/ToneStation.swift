import Audio
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// A relay with a station `jazz` whose tone says the second, half a minute of it at the start.
func withToneStation(_ body: (TestRelay) async throws -> Void) async throws {
  let programme = try await ToneSteps.programme.prepared(seconds: 32)
  let upstream = try FakeUpstream(
    FakeProgramme(sampleRate: ToneSteps.rate, before: 30) { programme[$0] })
  defer { upstream.stop() }
  upstream.reply("/live", with: .stream(FakeStream(burst: FakeStream.sinceBeginning)))
  try await Scenario.withRelay([
    StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
  ]) { relay in
    try await relay.until("jazz", has: 25)
    try await body(relay)
  }
}

/// Fetches a clip and the same packets backwards. Which packets were on air then may still be learned meanwhile.
func bothWays(
  _ target: String, _ fetch: (String) async throws -> StreamClient
) async throws -> (forwards: StreamClient, backwards: StreamClient) {
  var forwards = try await fetch(target)
  for _ in 0..<10 {
    let backwards = try await fetch(target + "&reverse=1")
    let again = try await fetch(target)
    if again.body == forwards.body { return (forwards, backwards) }
    forwards = again
  }
  throw TimeIsUp(description: "the clip has other packets each time")
}

/// Expects a station to play the tone of sound that was encoded: 1 kHz at half of full scale.
func expectTone(
  of station: String, at address: SocketAddress, rate: Int, channels: Int
) async throws {
  let listener = try StreamClient(to: address, get: "/\(station)?offset=1h")
  try await listener.until { $0.bodyCount > 40_000 }
  let decoder = try Mpg123Decoder()
  let samples = try decoder.decode(listener.body)
  let format = try #require(decoder.format)
  #expect(format.sampleRate == rate && format.channels == channels)
  let second = stride(from: rate * channels, to: 2 * rate * channels, by: channels).map {
    samples[$0]
  }
  let crossings = zip(second, second.dropFirst()).count { $0 < 0 && $1 >= 0 }
  #expect(abs(crossings - 1000) <= 2, "\(station): \(crossings)")
  #expect(abs(Int(second.max() ?? 0) - 16384) < 1600, "\(station): \(second.max() ?? 0)")
}
