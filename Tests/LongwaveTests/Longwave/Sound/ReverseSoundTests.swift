import Audio
import Glibc
import Logging
import Server
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

/// Packets that are decoded block by block from the end.
@Suite struct ReverseSoundTests {
  /// Frames of a rising tone with noise, so that nearly all of them lean on the frames before.
  private func frames(seconds: Int, rate: Int, channels: Int, bitrate: Int) throws -> [[UInt8]] {
    let encoder = try LameEncoder(sampleRate: rate, channels: channels, bitrate: bitrate)
    var random = SplitMix(seed: 11)
    var phase = 0.0
    var bytes: [UInt8] = []
    for second in 0..<seconds {
      let samples = (0..<rate).flatMap { index -> [Int16] in
        phase += 2 * Double.pi * (300 + 50 * Double(second)) / Double(rate)
        let loud = index % (rate / 3) < rate / 20
        let noise = loud ? Int.random(in: -6000...6000, using: &random) : 0
        let value = Int16(clamping: Int(8000 * sin(phase)) + noise)
        return channels == 2 ? [value, Int16(clamping: -Int(value) / 2)] : [value]
      }
      bytes += try encoder.encode(samples)
    }
    bytes += encoder.finish()
    var scanner = PacketScanner()
    var frames: [[UInt8]] = []
    var place = 0
    while let found = scanner.next(in: bytes.span, from: place, atEnd: true) {
      if case .packet(let packet) = found { frames.append(Array(bytes[packet.range])) }
      place = found.range.upperBound
    }
    return frames
  }

  @Test(arguments: [
    (44_100, 2, 128, 1152), (48_000, 1, 32, 1152), (22_050, 2, 64, 576), (24_000, 1, 8, 576),
    (8_000, 1, 8, 576),
  ])
  func `blocks decoded by themselves are what the whole is, to the sample`(
    rate: Int, channels: Int, bitrate: Int, samples: Int
  ) async throws {
    let frames = try frames(seconds: 9, rate: rate, channels: channels, bitrate: bitrate)
    let format = AudioFormat(codec: .mp3, sampleRate: rate, channels: channels)
    let clip = try LogClip(frames, samples: samples, format)
    let whole = try Mpg123Decoder().decode(frames.flatMap { $0 })
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let order = clip.order(bitrate: Double(bitrate))
    let sound = ReverseSound(order, on: pool, makeDecoder: PacketDecoder.make) {}
    var joined: [Int16] = []
    var blocks = 0
    while let run = await order.packets() {
      joined = try sound.decode(run).samples + joined
      blocks += 1
    }
    #expect(blocks >= 5)
    #expect(joined.count == frames.count * samples * channels)
    #expect(whole.count == joined.count)
    // The decoder's arithmetic may differ in the last bit.
    let worst = zip(whole, joined).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(worst <= 1, "a sample is \(worst) off")
    #expect(Signals.rms(joined) > 0.1)
  }

  @Test func `a reversed clip lasts as long as its packets, backwards`() async throws {
    let frames = try frames(seconds: 7, rate: 44_100, channels: 2, bitrate: 128)
    let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
    let clip = try LogClip(frames, samples: 1152, format)
    let pool = SoundPool(threads: 2)
    defer { pool.stop() }
    let ended = Mutex(0)
    var sound: ReverseSound? = ReverseSound(
      clip.order(), on: pool, makeDecoder: PacketDecoder.make
    ) { ended.withLock { $0 += 1 } }
    try await sound?.begin()
    var bytes: [UInt8] = []
    var length = MediaTime.zero
    while let block = await sound?.next() {
      bytes += block.bytes
      length += block.length
    }
    #expect(length == clip.length)
    let backwards = try Mpg123Decoder().decode(bytes)
    #expect(abs(backwards.count / 2304 - frames.count) <= 2)
    // What LAME and a decoder put in front are 1105 samples.
    let delay = 1105
    let whole = try Mpg123Decoder().decode(frames.flatMap { $0 })
    let left = Array(Signals.channel(0, of: whole).reversed())
    let heard = Signals.channel(0, of: backwards)
    for start in stride(from: 2000, to: left.count - 8000, by: 4000) {
      let alike = Signals.correlation(
        left[start..<start + 4000], heard[(start + delay)..<(start + delay + 4000)])
      #expect(alike > 0.9, "at sample \(start)")
    }
    #expect(await sound?.next() == nil)
    sound = nil
    try await eventually("its end is told") { ended.withLock { $0 } == 1 }
  }

  private func maker(_ pool: SoundPool) -> SampleMaker {
    SampleMaker(
      EventHub(logger: Logger(label: "test")), pool, makeDecoder: PacketDecoder.make)
  }

  @Test func `a codec that cannot be decoded is refused, and its place given back`() async throws {
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let maker = SampleMaker(EventHub(logger: Logger(label: "test")), pool) {
      codec, _ throws(AudioError) in
      throw AudioError(
        call: "dlopen", code: 0, reason: "\(codec.name) needs a library", advice: "Install it.")
    }
    let format = AudioFormat(codec: .opus, sampleRate: 48_000, channels: 2)
    let order = ReverseOrder(station: "jazz", format: format, bitrate: 96) { PacketRun() }
    guard case .failure(.undecodable(let reason)) = await maker.reverse(order) else {
      Issue.record("Opus is decoded")
      return
    }
    #expect(reason == "opus needs a library")
    try await eventually("its place is free") { maker.isIdle }
  }

  @Test func `a reversal of an empty part is refused`() async throws {
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let maker = maker(pool)
    let format = AudioFormat(codec: .mp3, sampleRate: 48_000, channels: 2)
    let order = ReverseOrder(station: "jazz", format: format, bitrate: 96) { nil }
    guard case .failure(.nothingThere) = await maker.reverse(order) else {
      Issue.record("it begins")
      return
    }
    try await eventually("its place is free") { maker.isIdle }
  }

  @Test func `reversals at once are bounded, and keep nobody from samples`() async throws {
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let maker = maker(pool)
    let frames = try frames(seconds: 1, rate: 44_100, channels: 1, bitrate: 64)
    let clip = try LogClip(
      frames, samples: 1152, AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 1))
    var kept: [any ReverseSource] = []
    for _ in 0..<SampleMaker.reversalsMax {
      kept.append(try await maker.reverse(clip.order()).get())
    }
    guard case .failure(.fullBackwards) = await maker.reverse(clip.order()) else {
      Issue.record("one more is made")
      return
    }
    let samples = SampleOrder(station: "jazz", log: clip.log, delay: .zero) { $0.oldest }
    _ = try await maker.open(samples).get()
    kept = []
    try await eventually("all places are free") { maker.isIdle }
    _ = try await maker.reverse(clip.order()).get()
  }
}

/// A log of packets, and the clip that it is.
struct LogClip {
  let log: PacketLog
  let clip: Clip

  init(
    _ packets: [[UInt8]], samples: Int, _ format: AudioFormat
  ) throws {
    try self.init(packets.map { .init(bytes: $0, samples: samples) }, format)
  }

  init(_ packets: [LogPackets.Packet], _ format: AudioFormat, headers: [UInt8] = []) throws {
    log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    if !headers.isEmpty { log.markHeaders(headers) }
    for packet in packets { log.append(packet.bytes.span, samples: packet.samples, format: format) }
    log.publish(at: .now())
    let reader = LogReader(log)
    guard case .clip(let clip) = reader.clip(from: reader.oldest, to: reader.edge) else {
      throw TimeIsUp(description: "there is no clip")
    }
    self.clip = clip
  }

  var length: MediaTime { clip.end.media - clip.start.media }

  func order(bitrate: Double = 128) -> ReverseOrder {
    let blocks = Blocks(ClipBlocks(log, clip, delay: .zero))
    return ReverseOrder(station: "jazz", format: clip.format, bitrate: bitrate) { blocks.next() }
  }

  /// Blocks of the clip as a source of packets.
  private final class Blocks: @unchecked Sendable {
    let blocks: ClipBlocks
    init(_ blocks: ClipBlocks) { self.blocks = blocks }

    func next() -> PacketRun? {
      if case .block(let run) = blocks.read() { return run }
      return nil
    }
  }
}
