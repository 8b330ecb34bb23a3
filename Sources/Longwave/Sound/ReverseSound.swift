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
  /// Nil before the beginning and behind the end.
  private var encoder: ReverseEncoder?

  init(
    _ order: ReverseOrder, on pool: SoundPool, makeDecoder: @escaping PacketDecoder.Make,
    whenOver: @escaping @Sendable () -> Void
  ) {
    (self.order, self.pool, self.makeDecoder) = (order, pool, makeDecoder)
    self.whenOver = whenOver
  }

  deinit { whenOver() }

  /// Finds out whether the packets can be decoded, and what they become.
  func begin() async throws(SampleRefusal) {
    // What is in Ogg needs its headers, and what is AAC may be heard at another rate than it says.
    let codec = order.format.codec
    guard codec.isMPEGAudio else { throw .undecodable("\(codec.name) cannot be played backwards") }
    let result = await pool.answer { [self] _ -> Result<Void, SampleRefusal>? in
      do throws(AudioError) {
        _ = try makeDecoder(codec, [])
        encoder = try ReverseEncoder(
          sampleRate: order.format.sampleRate, channels: channels, bitrate: order.bitrate)
        return .success(())
      } catch {
        return .failure(.undecodable(error.reason))
      }
    }
    try (result ?? .failure(.undecodable("the decoder hangs"))).get()
  }

  private var channels: Int { order.format.channels == 1 ? 1 : 2 }

  func next() async -> SampleBlock? {
    guard encoder != nil else { return nil }
    guard let run = await order.packets() else { return await finish() }
    let block = await pool.answer(isUrgent: false) { [self] _ -> SampleBlock?? in
      .some(encode(run))
    }
    return block ?? nil
  }

  private func finish() async -> SampleBlock? {
    await pool.answer(isUrgent: false) { [self] _ in
      let bytes = encoder?.finish() ?? []
      encoder = nil
      return SampleBlock(bytes: bytes)
    }
  }

  // MARK: On a thread of the pool

  /// - Returns: nil where nothing can be encoded any more.
  private func encode(_ run: PacketRun) -> SampleBlock? {
    guard let bytes = try? encoder?.encode(decode(run)) else { return nil }
    return SampleBlock(bytes: bytes, length: run.length)
  }

  func decode(_ run: PacketRun) -> BlockSamples {
    var block = BlockSamples(sampleRate: order.format.sampleRate, channels: channels)
    var decoder = try? makeDecoder(order.format.codec, [])
    run.bytes.withUnsafeBytes { bytes in
      for (index, packet) in run.packets.enumerated() {
        var decoded: [Int16] = []
        do throws(AudioError) {
          try decoder?.decode(UnsafeRawBufferPointer(rebasing: bytes[packet.range])) { samples in
            // Samples at another rate than the packets before it are left out.
            guard let format = decoder?.format, format.sampleRate == block.sampleRate else {
              return
            }
            decoded += block.mixed(samples, from: format.channels)
          }
        } catch {
          decoder = try? makeDecoder(order.format.codec, [])
        }
        if index < run.leadIn { continue }
        block.append(decoded, count: packet.length.samples(rate: block.sampleRate))
      }
    }
    return block
  }
}
