import Audio
import Server
import Timeshift
import Wire

/// Packets that are decoded and encoded again from the last to the first, where they are asked for.
///
/// A block is held while it is worked on. No work of it goes before what is due for others.
///
/// Unchecked: what changes is touched by a step alone, and one task at a time asks for a step.
final class ReverseSound: ReverseSource, @unchecked Sendable {
  private let order: ReverseOrder
  private let pool: SoundPool
  private let makeDecoder: PacketDecoder.Make
  private let whenOver: @Sendable () -> Void
  /// As it is heard. Of HE-AAC a decoder alone tells that.
  private var format: AudioFormat
  /// The last block, which was decoded to find out.
  private var first: Block?
  /// Nil before the beginning and behind the end.
  private var encoder: SampleEncoder?
  /// The block that is being decoded, a step at a time.
  private var decoding: RunDecoding?

  /// The encoder is there until the end has been made: not where a block failed, or the decoder hangs.
  var isCutShort: Bool { encoder != nil || order.isCutShort() }

  private struct Block {
    var samples: BlockSamples
    var length: MediaTime
  }

  /// Seconds for which the disk may fetch the last block.
  private static let patience = 5.0

  init(
    _ order: ReverseOrder, on pool: SoundPool, makeDecoder: @escaping PacketDecoder.Make,
    whenOver: @escaping @Sendable () -> Void
  ) {
    (self.order, self.pool, self.makeDecoder) = (order, pool, makeDecoder)
    self.whenOver = whenOver
    format = order.format
  }

  deinit { whenOver() }

  /// Finds out whether the packets can be decoded, and what they become.
  func begin() async throws(SampleRefusal) {
    guard let run = try await lastRun() else { throw .nothingThere }
    do throws(AudioError) {
      guard let samples = try await samples(of: run) else {
        throw AudioError(
          call: "decode", code: 0, reason: "the decoder hangs", advice: "Ask again in a minute.")
      }
      first = Block(samples: samples, length: run.length)
    } catch {
      throw .undecodable(error.reason)
    }
    guard SampleFormat.rates.contains(format.sampleRate) else {
      throw .undecodable("\(format.sampleRate) Hz cannot be played backwards")
    }
    encoder = SampleEncoder(like: format, bitrate: order.bitrate)
  }

  private func lastRun() async throws(SampleRefusal) -> PacketRun? {
    let answer = await withTaskGroup(of: PacketRun??.self) { group in
      group.addTask { [order] in .some(await order.packets()) }
      group.addTask {
        try? await Task.sleep(for: .seconds(Self.patience))
        return .none
      }
      let first = await group.next() ?? .none
      group.cancelAll()
      return first
    }
    guard let answer else { throw .slowDisk }
    return answer
  }

  func next() async -> SampleBlock? {
    guard encoder != nil else { return nil }
    if let block = first {
      first = nil
      return await encode(block)
    }
    guard let run = await order.packets() else { return await finish() }
    guard let samples = try? await samples(of: run) else { return nil }
    return await encode(Block(samples: samples, length: run.length))
  }

  /// Decodes a block on the pool, and lets others have their turns meanwhile.
  ///
  /// - Returns: nil when the decoder hangs, or the pool is stopped.
  private func samples(of run: PacketRun) async throws(AudioError) -> BlockSamples? {
    decoding = nil
    while !Task.isCancelled {
      let result = await pool.answer { [self] _ -> Result<BlockSamples?, AudioError>? in
        Result { () throws(AudioError) in try step(of: run) }
      }
      guard let result else { return nil }
      if let samples = try result.get() { return samples }
    }
    return nil
  }

  private func encode(_ block: Block) async -> SampleBlock? {
    await pool.answer { [self] _ -> SampleBlock?? in
      // Without it, nothing can be encoded any more.
      guard let encoder else { return .some(nil) }
      let samples = block.samples
      let bytes = samples.reversed.withUnsafeBufferPointer {
        try? encoder.encode($0, rate: samples.sampleRate, channels: samples.channels)
      }
      return .some(bytes.map { SampleBlock(bytes: $0, length: block.length) })
    } ?? nil
  }

  private func finish() async -> SampleBlock? {
    await pool.answer { [self] _ in
      let bytes = encoder?.finish() ?? []
      encoder = nil
      return SampleBlock(bytes: bytes)
    }
  }

  // MARK: On a thread of the pool

  /// Decodes a block as a whole, for tests.
  func decode(_ run: PacketRun) throws(AudioError) -> BlockSamples {
    decoding = nil
    while true {
      if let samples = try step(of: run) { return samples }
    }
  }

  /// Decodes some packets of a block.
  ///
  /// - Returns: the block's samples once all are decoded; nil before.
  private func step(of run: PacketRun) throws(AudioError) -> BlockSamples? {
    var decoding = self.decoding ?? RunDecoding(run, as: order.format.codec, makeDecoder)
    let isOver = try decoding.step()
    self.decoding = isOver ? nil : decoding
    return isOver ? joined(run, decoding.heard) : nil
  }

  /// Puts each packet's samples where the packet is. Audio that could not be decoded is silence.
  private func joined(_ run: PacketRun, _ heard: [RunDecoding.Heard]) -> BlockSamples {
    // A decoder may need some packets to tell; nor is it asked about those in front of the block.
    if let last = heard.last(where: { $0.format != nil })?.format {
      format.sampleRate = last.sampleRate
      // One number of channels counts for all blocks.
      if encoder == nil { format.channels = last.channels }
    }
    var block = BlockSamples(
      sampleRate: format.sampleRate, channels: format.channels == 1 ? 1 : 2)
    for (packet, (decoded, found)) in zip(run.packets[run.leadIn...], heard[run.leadIn...]) {
      // Samples at another rate than those at the block's end are left out.
      let isKnown = found?.sampleRate == block.sampleRate
      let mixed = isKnown ? block.mixed(decoded, from: found?.channels ?? 1) : []
      let cut = packet.cut.samples(rate: block.sampleRate) * block.channels
      block.append(
        mixed.dropLast(max(0, cut)), count: packet.length.samples(rate: block.sampleRate))
    }
    return block
  }
}
