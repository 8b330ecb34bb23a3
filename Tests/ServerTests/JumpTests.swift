import Glibc
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Jumps in an open connection, with audio whose frames reach back into a bit reservoir.
@Suite(.serialized)
struct JumpTests {
  /// The frames of a file LAME made, without its tags and header frame.
  private func frames(seconds: Double) throws -> [[UInt8]] {
    let file = try Fixtures.mp3(["-b", "128"], seconds: seconds)
    var scanner = PacketScanner()
    var frames: [[UInt8]] = []
    var from = 0
    while from < file.count, let finding = scanner.next(in: file.span, from: from, atEnd: true) {
      switch finding {
      case .packet(let packet):
        frames.append(Array(file[packet.range]))
        from = packet.range.upperBound
      case .skipped(let range, _): from = range.upperBound
      }
    }
    return frames
  }

  private func need(of frame: [UInt8]) -> Int {
    let span = frame.span
    return MPEGLeadIn.reservoirNeed(of: span)
  }

  private func leadIn(_ frames: [[UInt8]], for target: Int, from first: Int) -> [UInt8]? {
    let packet = frames[target]
    let span = packet.span
    return MPEGLeadIn.frames(for: span, preceding: Array(frames[first..<target]))
  }

  private func append(_ frames: ArraySlice<[UInt8]>, to log: PacketLog) {
    let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
    for frame in frames { log.append(frame.span, samples: 1152, format: format) }
    log.publish(at: .now())
  }

  @Test
  func `over a gap a listener gets frames that carry the reservoir, one who joins there does not`()
    async throws
  {
    let frames = try frames(seconds: 8)
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    append(frames[0..<100], to: log)
    try await withServer(seconds: 0, isFed: false, log: log) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=60")
      try client.wait { $0.bodyCount == frames[0..<100].joined().count }

      // Where a later frame needs what stands in frames that were lost.
      let first = try #require((200..<250).first { need(of: frames[$0]) > 0 })
      log.markGap(seconds: 3, cause: .upstreamAway)
      append(frames[first..<(first + 40)], to: log)
      let target = try #require(
        (first..<(first + 10)).first { leadIn(frames, for: $0, from: first) != nil })
      #expect(target > first)
      let made = try #require(leadIn(frames, for: target, from: first))
      let expected =
        Array(frames[0..<100].joined()) + made
        + Array(frames[target..<(first + 40)].joined())
      try client.wait { $0.bodyCount >= expected.count }
      #expect(client.body == expected)
    }
  }

  @Test func `an overrun listener lands ahead of the oldest packet and goes on whole`() async throws
  {
    let second = 44_100.0 / 1152
    var window = LogConfiguration()
    window.windowBytes = 256 * 1024
    let log = PacketLog(memoryOnly: window, at: .now())
    try await withServer(seconds: 12, isFed: false, log: log) { server in
      // At the oldest packet, with nothing to read ahead: the next minute overruns it.
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz?offset=12&burst=0 HTTP/1.1\r\nHost: x\r\n\r\n")
      try client.wait { $0.bodyCount > 2_000 }
      server.station.append(UInt64(60 * second), at: .now())
      try client.wait { _ in server.station.next > 0 && client.bodyCount > 12_000 }
      let numbers = try NumberedFrames.numbers(in: client.body, mayEndInFrame: true)
      let jumps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
      #expect(jumps.count == 1)
      let landing = try #require(jumps.first).1
      // 256 KiB are 16 s; a tenth of them ahead of the oldest.
      let oldest = server.station.next - UInt64(16.4 * second)
      #expect(landing >= oldest + UInt64(1.0 * second))
      #expect(landing <= oldest + UInt64(4.0 * second))
      #expect(await server.server.figures().overruns == 1)
    }
  }
}
