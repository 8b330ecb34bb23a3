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

  @Test func `after a restart it is heard as after a first start`() async throws {
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

  @Test(arguments: [5, 30]) func `what it brings each time is heard once`(packets: Int) async throws
  {
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

  @Test(arguments: [5, 30]) func `what the log has is not heard again`(packets: Int) async throws {
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
