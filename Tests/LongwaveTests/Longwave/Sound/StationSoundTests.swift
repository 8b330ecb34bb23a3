import Audio
import Synchronization
import TestSupport
import Testing
import Threads
import Wire

@testable import Longwave
@testable import Timeshift

/// What ten seconds of a station's sound may cost.
@Suite struct StationSoundTests {
  /// Its packets take time.
  private final class Slow: SoundDecoder {
    let format: AudioFormat? = TestPacket.format
    private let seconds: Double
    private let asked: @Sendable () -> Void

    init(_ seconds: Double, _ asked: @escaping @Sendable () -> Void) {
      (self.seconds, self.asked) = (seconds, asked)
    }

    func decode(
      _ bytes: UnsafeRawBufferPointer, atMost seconds: Double,
      _ take: (UnsafeBufferPointer<Int16>) -> Void
    ) throws(AudioError) {
      asked()
      let end = SystemThread.worked() + self.seconds
      while SystemThread.worked() < end {}
      let samples = [Int16](repeating: 8000, count: TestPacket.samples * (format?.channels ?? 1))
      samples.withUnsafeBufferPointer { take($0) }
    }
  }

  private func sound(
    packet seconds: Double, _ asked: @escaping @Sendable () -> Void
  ) -> StationSound {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    log.feed(1000, at: .now())
    return StationSound(log: log, delay: .zero, format: TestPacket.format) {
      _, _ throws(AudioError) in Slow(seconds, asked)
    }
  }

  private func isLoud(_ chunk: SoundChunk, _ column: Int) -> Bool {
    chunk.data[column * (2 * chunk.channels + SoundChunk.bands)] > 0
  }

  @Test func `a chunk ends when its time is over, and shows what was decoded`() {
    let asked = Mutex(0)
    let chunk = sound(packet: 0.005) { asked.withLock { $0 += 1 } }.chunk(at: 0, within: 0.1) {
      true
    }
    #expect(!chunk.isWhole && (2...25).contains(asked.withLock { $0 }))
    #expect(isLoud(chunk, 0) && !isLoud(chunk, SoundChunk.columns - 1))
  }

  @Test func `a chunk ends when nobody waits for it`() {
    let asked = Mutex(0)
    let sound = sound(packet: 0) { asked.withLock { $0 += 1 } }
    let chunk = sound.chunk(at: 0, within: 60) { asked.withLock { $0 } < 4 }
    #expect(!chunk.isWhole && asked.withLock { $0 } == 4)
  }

  @Test func `a chunk with time enough is whole`() {
    let chunk = sound(packet: 0) {}.chunk(at: 0, within: 60) { true }
    #expect(chunk.isWhole && isLoud(chunk, SoundChunk.columns - 1))
  }
}
