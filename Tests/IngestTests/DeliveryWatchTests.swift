import TestSupport
import Testing
import Timeshift

@testable import Ingest

private func at(_ seconds: Double) -> MonotonicTime {
  MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
}

@Suite struct DeliveryWatchTests {
  /// When it is first found too slow, looked at once a second for `until` seconds; `media`: what has come by then.
  private func found(until: Double = 300, _ media: (Double) -> Double) -> Double? {
    var watch = DeliveryWatch()
    return stride(from: 0, to: until, by: 1).first {
      watch.look(seconds: media($0), at: at($0)) != nil
    }
  }

  @Test(arguments: [0, 4, 10, 60] as [Double], [0.2, 0.5, 0.7, 0.85] as [Double])
  func `a delivery below nine tenths for 20 s is too slow, whatever its burst`(
    burst: Double, rate: Double
  ) throws {
    let found = try #require(found { burst + rate * $0 })
    #expect((20...26).contains(found))
  }

  @Test(arguments: [0.93, 0.98, 1, 1.02, 5] as [Double], [0.1, 1, 4, 10, 14] as [Double])
  func `a delivery at about real time is not too slow, in lumps of any size`(
    rate: Double, lump: Double
  ) {
    #expect(found { ($0 * rate / lump).rounded(.down) * lump } == nil)
  }

  @Test func `a delivery with one pause, made good or not, is not too slow`() {
    #expect(found { $0 < 50 || $0 > 64 ? $0 : 50 } == nil)
    #expect(found { $0 < 50 ? $0 : max(50, $0 - 14) } == nil)
  }

  @Test func `a delivery at half speed in lumps is too slow`() {
    #expect(found { ($0 / 14).rounded(.down) * 7 } != nil)
  }

  @Test func `a machine that stood still says nothing of the upstream`() {
    var watch = DeliveryWatch()
    for second in 0..<600 where second % 19 < 15 {
      let rate = watch.look(seconds: Double(second) / 2, at: at(Double(second)))
      #expect(rate == nil)
    }
  }

  @Test func `each other upstream is tried once, then after waits that grow`() {
    var policy = SlowUpstreamPolicy()
    let leavesForNobody = policy.leaves(others: 0, at: at(0))
    #expect(!leavesForNobody)
    var left: [Double] = []
    for time in stride(from: 0.0, to: 10_000, by: 20) where policy.leaves(others: 2, at: at(time)) {
      left.append(time)
    }
    #expect(left.prefix(2) == [0, 20])
    #expect(left.count < 14)
    for (one, next) in zip(left.dropFirst(), left.dropFirst(2)) where next - one > 20 {
      #expect(next - one >= 300)
    }
  }
}

/// Through the real worker.
@Suite struct SlowUpstreamScenarioTests {
  private func tooSlow(_ station: IngestHarness) -> [Double] {
    station.events.compactMap { if case .tooSlow(let rate, _) = $0 { rate } else { nil } }
  }

  @Test func `an upstream at half speed is left for its healthy successor`() async throws {
    let start = MonotonicTime.now()
    var half = FakeProgramme.numbered(speed: 0.5)
    half.start = start
    let slow = try FakeUpstream(half)
    let healthy = try FakeUpstream(.numbered(before: 60))
    defer {
      slow.stop()
      healthy.stop()
    }
    slow.reply("/live", with: .stream(FakeStream(burst: 0)))
    healthy.reply("/live", with: .stream(FakeStream(burst: 10)))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([slow.url("/live"), healthy.url("/live")]))
    #expect(await station.wait { _ in !healthy.requests.isEmpty })
    #expect(await station.wait { $0.states.filter { $0 == .playing }.count > 1 })
    _ = await station.finish()
    let rates = tooSlow(station)
    #expect(rates.count == 1 && rates.allSatisfy { $0 < DeliveryWatch.rateMin })
  }

  @Test func `the only upstream is told to be too slow, and kept`() async throws {
    let upstream = try FakeUpstream(.numbered(speed: 0.5, before: 60))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 5)))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(100) { !tooSlow($0).isEmpty })
    try await Task.sleep(for: .seconds(3))
    try expectUnbroken(await station.finish(), atLeast: 300)
    #expect(upstream.requests.count == 1 && tooSlow(station).count == 1)
  }
}
