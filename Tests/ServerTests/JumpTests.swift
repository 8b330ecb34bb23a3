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

  private func append(
    _ frames: ArraySlice<[UInt8]>, to log: PacketLog, at now: Moment = .now()
  ) {
    let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
    for frame in frames { log.append(frame.span, samples: 1152, format: format) }
    log.publish(at: now)
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

  @Test func `a jump waits for the disk, and takes the reservoir along that stands there`() throws {
    let frames = try frames(seconds: 60)
    var window = LogConfiguration(retention: MediaTime(seconds: 3600))
    window.windowBytes = 2 * window.blockBytes
    let disk = try LogOnDisk(window)
    for start in stride(from: 0, to: frames.count, by: 38) {
      disk.clock.advance(seconds: 1)
      append(frames[start..<min(start + 38, frames.count)], to: disk.log, at: disk.clock.now)
      disk.turn()
    }
    let shard = MountShard(Mount(station: "jazz", log: disk.log))!
    let edge = shard.reader.edge
    var listener = Listener(
      fd: -1, slot: 0, cursor: edge.position, icy: ICYInterleaver(metaint: 0), codec: .mp3,
      pace: .placed(at: edge.media, burst: .zero, now: 0), takenAt: 0)
    let fanout = Fanout()
    let most = MPEGLeadIn.precedingMax
    let target = try #require(
      (400..<500).first {
        need(of: frames[$0]) > 0 && leadIn(frames, for: $0, from: $0 - most) != nil
      })
    let position = UInt64(frames[..<target].joined().count)
    // From the middle of its frame.
    let back = Double(frames.count - target) * 1152 / 44_100 - 0.01
    func steer() -> Fanout.Steered {
      shard.startTurn()
      return fanout.steer(
        &listener, .rewind(MediaTime(seconds: back)), in: shard, now: 0)
    }
    // The index is fetched, not yet the audio.
    guard case .loading = steer() else {
      Issue.record("nothing is there yet")
      return
    }
    disk.turn()
    disk.disk.set { $0.isCold = true }
    guard case .loading = steer() else {
      Issue.record("there is an index, but no audio")
      return
    }
    #expect(listener.cursor == edge.position && fanout.restBytes(of: listener) == 0)
    disk.turn()
    guard case .done = steer() else {
      Issue.record("everything is there")
      return
    }
    #expect(listener.cursor == position)
    let made = try #require(fanout.lines[0]?.pointee.rest)
    #expect(made == leadIn(frames, for: target, from: target - most))
  }

  @Test func `an overrun listener lands a tenth of the window ahead of the oldest packet`() throws {
    var window = LogConfiguration()
    window.windowBytes = 256 * 1024
    let log = PacketLog(memoryOnly: window, at: .now())
    let station = NumberedLog(log: log, seconds: 1)
    for _ in 0..<60 { station.append(38, at: .now()) }
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }

    let shard = MountShard(Mount(station: "jazz", log: log))!
    let held = shard.reader.edge.media - shard.reader.oldest.media
    var listener = Listener(
      fd: ends[0], slot: 0, cursor: 0, icy: ICYInterleaver(metaint: 0), codec: .mp3,
      pace: .placed(at: .zero, burst: .zero, now: 0), takenAt: 0)
    let fanout = Fanout()
    guard case .waiting = fanout.serve(&listener, in: shard, now: 0) else {
      Issue.record("the turn of a jump sends nothing")
      return
    }
    let landed = try #require(shard.reader.media(at: listener.cursor)) - shard.reader.oldest.media
    #expect(abs(landed.seconds - held.seconds / 10) < 0.03)
    #expect(fanout.figures.overruns == 1)

    // It goes on there, whole, at its pace.
    guard case .served = fanout.serve(&listener, in: shard, now: 2_000_000_000) else {
      Issue.record("nothing came two seconds later")
      return
    }
    var buffer = [UInt8](repeating: 0, count: 100_000)
    let count = read(ends[1], &buffer, buffer.count)
    let numbers = try NumberedFrames.numbers(in: Array(buffer[..<max(0, count)]))
    #expect(numbers.count > 60 && numbers.count < 80)
    #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
  }
}
