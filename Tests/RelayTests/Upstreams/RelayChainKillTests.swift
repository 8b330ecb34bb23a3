import Longwave
import TestSupport
import Testing

@Suite struct RelayChainKillTests {
  @Test(arguments: UInt64(1)...(Scenario.isLong ? 8 : 1))
  func `packets at the end of a chain are heard once, whichever relay is killed when`(
    seed: UInt64
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    // Nothing is lost before the chain.
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    let first = RelayLink([upstream.url("/live")])
    let second = RelayLink([first.url()])
    let third = RelayLink([second.url()])
    let chain = [first, second, third]
    for link in chain {
      try await link.start()
      try await link.server.api.until("jazz", is: "playing")
    }
    // A relay that is killed before it has stored anything of its station has nothing to go on from.
    try await eventually("more than the burst") {
      try await third.server.api.seconds("jazz") > 7
    }
    var random = SplitMix(seed: seed)
    var kills: [String] = []
    for _ in 0..<(Scenario.isLong ? 20 : 4) {
      let victim = try #require(chain.randomElement(using: &random))
      kills.append(
        "\(chain.firstIndex { $0 === victim } ?? 0) at \(try await first.server.api.seconds("jazz"))"
      )
      try await victim.kill()
      try await Task.sleep(for: .seconds(Double.random(in: 0...8, using: &random)))
      try await victim.start()
      try await Task.sleep(for: .seconds(Double.random(in: 0...4, using: &random)))
    }
    let before = try await third.server.api.seconds("jazz")
    try await eventually("what is on air, with seed \(seed)") {
      try await third.server.api.seconds("jazz") > before + 8
    }
    let bytes = try await third.whole()
    let numbers = try NumberedFrames.numbers(in: bytes, mayEndInFrame: true)
    #expect(numbers.count > 12 * 38, "seed \(seed)")
    let breaks = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
    #expect(
      breaks.isEmpty,
      "seed \(seed): \(breaks.map { "\($0) → \($1)" }) of \(numbers.first ?? 0)…\(numbers.last ?? 0); \(kills)"
    )
  }
}
