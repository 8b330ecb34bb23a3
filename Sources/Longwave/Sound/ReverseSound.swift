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
    let result = await pool.answer { [self] _ -> Result<Void, SampleRefusal>? in
      do throws(AudioError) {
        first = Block(samples: try decode(run), length: run.length)
      } catch {
        return .failure(.undecodable(error.reason))
      }
      guard SampleFormat.rates.contains(format.sampleRate) else {
        return .failure(.undecodable("\(format.sampleRate) Hz cannot be played backwards"))
      }
      encoder = SampleEncoder(like: format, bitrate: order.bitrate)
      return .success(())
    }
    try (result ?? .failure(.undecodable("the decoder hangs"))).get()
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
      return await encode { _ in block }
    }
    guard let run = await order.packets() else { return await finish() }
    return await encode { sound throws(AudioError) in
      Block(samples: try sound.decode(run), length: run.length)
    }
  }

  private func encode(
    _ block: @escaping @Sendable (ReverseSound) throws(AudioError) -> Block
  ) async -> SampleBlock? {
    await pool.answer(isUrgent: false) { [self] _ -> SampleBlock?? in
      // Without it, nothing can be encoded any more.
      guard let encoder, let block = try? block(self) else { return .some(nil) }
      let samples = block.samples
      let bytes = samples.reversed.withUnsafeBufferPointer {
        try? encoder.encode($0, rate: samples.sampleRate, channels: samples.channels)
      }
      return .some(bytes.map { SampleBlock(bytes: $0, length: block.length) })
    } ?? nil
  }

  private func finish() async -> SampleBlock? {
    await pool.answer(isUrgent: false) { [self] _ in
      let bytes = encoder?.finish() ?? []
      encoder = nil
      return SampleBlock(bytes: bytes)
    }
  }

  // MARK: On a thread of the pool

  /// Decodes a block. What cannot be decoded is silence.
  func decode(_ run: PacketRun) throws(AudioError) -> BlockSamples {
    let heard = try samples(of: run)
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

  /// The samples of each packet, and their format; those of the lead-in are left out.
  private func samples(
    of run: PacketRun
  ) throws(AudioError) -> [(decoded: [Int16], format: AudioFormat?)] {
    // The links of a file may be of several codecs.
    let codec = OggHeaders.read(pages: run.headers.span)?.headers.format.codec
    func newDecoder() throws(AudioError) -> any SoundDecoder {
      try makeDecoder(codec ?? order.format.codec, run.headers)
    }
    var decoder = try newDecoder()
    var heard: [(decoded: [Int16], format: AudioFormat?)] = []
    for (index, packet) in run.packets.enumerated() {
      var decoded: [Int16] = []
      let result = run.bytes.withUnsafeBytes { bytes in
        Result { () throws(AudioError) in
          try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[packet.range])) { samples in
            if index >= run.leadIn { decoded += samples }
          }
        }
      }
      heard.append((decoded, decoder.format))
      // A damaged packet may have spoiled what the decoder knows.
      if case .failure = result { decoder = try newDecoder() }
    }
    return heard
  }
}
