import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// An upstream that brings some audio at once and closes, before it can be told where that belongs.
@Suite struct ShortConnectionTests {
  /// How many connections are made where nothing of them is to be heard.
  private static let attempts = 5

  /// A log with `packets` of the programme's first second and more, as a relay that was stopped leaves it.
  private func earlierRun(of upstream: FakeUpstream) async throws -> PacketLog {
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(packets: 60))
    _ = await station.finish()
    return station.log
  }

  private func short(_ packets: Int, burst: Double, from first: Int? = nil) -> FakeReply {
    var stream = FakeStream(burst: burst)
    stream.unpacedFrom = first
    // In the middle of the packet behind.
    stream.closeAfterBytes = packets * NumberedFrames.frame(0).count + 100
    return .stream(stream)
  }

  @Test func `a short connection is heard after a restart as after a first start`() async throws {
    // Between two connections far more goes out than one brings.
    let upstream = try FakeUpstream(.numbered(speed: 40))
    defer { upstream.stop() }
    let log = try await earlierRun(of: upstream)
    let before = Int(log.edgePosition)
    // Also before the first: eight seconds of the programme.
    try await Task.sleep(for: .milliseconds(200))
    upstream.reply("/short", with: short(30, burst: 1.5))
    let station = try IngestHarness(log: log)
    await station.start(IngestHarness.quick([upstream.url("/short")]))
    #expect(await station.wait { Int($0.log.edgePosition) >= before + 60 * 417 })
    let numbers = try NumberedFrames.numbers(in: await station.finish())
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    #expect(station.gaps.first?.cause == .restart)
    #expect(station.gaps.dropFirst().allSatisfy { $0.cause != .restart })
    #expect(station.gaps.count == station.stitched.count)
  }

  @Test(arguments: [5, 30]) func `a short connection that sends the same each time is heard once`(
    packets: Int
  ) async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    let log = try await earlierRun(of: upstream)
    upstream.reply("/short", with: short(packets, burst: 0, from: 100_000))
    let station = try IngestHarness(log: log)
    await station.start(IngestHarness.quick([upstream.url("/short")]))
    #expect(await station.wait { _ in upstream.requests(for: "/short").count > Self.attempts })
    let numbers = try NumberedFrames.numbers(in: await station.finish())
    #expect(numbers.filter { $0 >= 100_000 } == (0..<UInt64(packets)).map { 100_000 + $0 })
  }

  @Test(arguments: [5, 30])
  func `a short connection that sends what the log has is not heard again`(packets: Int)
    async throws
  {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    let log = try await earlierRun(of: upstream)
    let edge = log.edgePosition
    upstream.reply("/short", with: short(packets, burst: 0, from: 10))
    let station = try IngestHarness(log: log)
    await station.start(IngestHarness.quick([upstream.url("/short")]))
    #expect(await station.wait { _ in upstream.requests(for: "/short").count > Self.attempts })
    _ = await station.finish()
    #expect(log.edgePosition == edge && station.gaps.isEmpty)
  }
}

/// The same by a model's clock.
@Suite struct ShortConnectionClockTests {
  typealias Connection = AppenderModel.Connection

  /// What a programme plays again and again is `round` seconds long; 0: silence; nil: nothing is repeated.
  private func station(round: Double?) -> AppenderModel {
    let model = AppenderModel()
    let packets = round.map { max(1, Int($0 / AppenderModel.packet)) }
    model.content = { n in packets.map { 1_000_000 + n % $0 } ?? n }
    model.wait(300)
    return model
  }

  @Test(arguments: [nil, 0, 0.2, 8, 30, 70, 100], [0.3, 1, 1.4, 3, 4.8])
  func `a short connection is heard at once after an outage longer than its burst`(
    round: Double?, lasts: Double
  ) {
    let model = station(round: round)
    let short = Connection(burst: 6, burstTakes: 0, lasts: lasts)
    while model.now < 500 {
      model.play(short)
      model.wait(0.6)
    }
    model.wait(15)
    let (back, before, held) = (model.now, model.heard.count, model.held)
    model.play(short)
    if model.heard.count == before {
      model.wait(0.6)
      model.play(short)
    }
    #expect(model.heard.count > before && model.now - back < 5)
    #expect(model.held == held || model.held < 2)
    while model.now < back + 50 {
      model.wait(0.6)
      model.play(short)
    }
    let heard = Double(model.heard.count - before) * AppenderModel.packet
    #expect(abs(heard - (model.now - back + 6)) < lasts + 1.7, "\(model.reconnections.suffix(5))")
    #expect(model.gaps.count == 1, "\(model.gaps)")
    #expect(abs((model.gaps.last?.seconds ?? 0) - 9) < lasts + 1.7)
  }

  /// Two in a row are lost while their bursts still come: of what the log has, or of that and a little more.
  @Test(arguments: [(0.4, 0.7), (0.9, 0.5), (1.4, 1.7), (1.8, 1.6)], [0.0, 0.6])
  func `a burst that is cut short twice is not heard again`(
    lasts row: (first: Double, second: Double), silent: Double
  ) {
    let model = station(round: nil)
    model.play(Connection(burst: 20, burstTakes: 2, lasts: 60))
    for lasts in [row.first, row.second] {
      model.wait(7)
      let silence = silent > 0 ? (seconds: silent, kept: 0.0) : nil
      model.play(Connection(burst: 35, burstTakes: 2, lasts: lasts), standstill: silence)
    }
    model.wait(1)
    model.play(Connection(burst: 35, burstTakes: 2, lasts: 30))
    #expect(model.faults.twice == 0 && model.faults.missing == 0, "\(model.reconnections)")
    #expect(model.late < 1)
  }

  /// Seconds: what it brings each time is of another time than the log's end by so much; how long that is.
  @Test(arguments: [70.0, -10], [(0.2, 0.3), (0.7, 0.3), (6, 0.3), (0.7, 3), (6, 3)])
  func `a short connection that repeats itself for ever is heard once at most`(
    later: Double, row: (burst: Double, lasts: Double)
  ) {
    let model = station(round: nil)
    model.play(Connection(burst: 0, lasts: 30))
    let before = model.heard
    for _ in 0..<60 {
      model.play(
        Connection(
          burst: row.burst, burstTakes: 0, lasts: row.lasts, stoodStill: model.now - 330 - later,
          stillStands: true))
      model.wait(0.5)
    }
    // Where it is silent for so long, what the log has is heard from there once more, as of a server that lags.
    guard later > 0 || row.lasts < 1 || row.burst > 1 else { return }
    let sent = later > 0 ? Array(model.first..<model.end) : []
    #expect(model.heard == before + sent)
    #expect(model.gaps.count == (later > 0 ? 1 : 0))
  }
}
