import Audio
import Logging
import Reactor
import Server
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

/// What one turn of the threads that decode may cost, whatever comes of it.
@Suite struct SampleStepTests {
  /// Nothing comes out of it.
  private final class Mute: SoundDecoder {
    let format: AudioFormat? = nil
    private let asked: @Sendable () -> Void

    init(_ asked: @escaping @Sendable () -> Void) { self.asked = asked }

    func decode(
      _ bytes: UnsafeRawBufferPointer, atMost seconds: Double,
      _ take: (UnsafeBufferPointer<Int16>) -> Void
    ) throws(AudioError) { asked() }
  }

  private final class Count: Sendable {
    private let value = Mutex(0)
    var now: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  @Test func `a tap of packets out of which nothing comes gives its thread back after 64`()
    async throws
  {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    log.feed(2000, at: .now())
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let count = Count()
    let order = SampleOrder(station: "jazz", log: log, delay: .zero) { $0.oldest }
    let tap = SampleTap(
      order, on: pool, makeDecoder: { _, _ throws(AudioError) in Mute { count.add() } }
    ) { _ in }
    try await tap.begin()
    for _ in 0..<10 {
      let before = count.now
      let block = try #require(await tap.next())
      #expect(block.bytes.isEmpty)
      #expect((1...StepBudget.packets).contains(count.now - before))
    }
  }

  @Test func `a format's decoder is tried once for all who ask`() async throws {
    let count = Count()
    let events = EventHub(logger: Logger(label: "test"))
    let meters = SoundMeters(events, threads: 1) { codec, headers throws(AudioError) in
      count.add()
      guard headers == [1] else {
        throw AudioError(call: "open", code: 1, reason: "too dear", advice: "none")
      }
      return Mute {}
    }
    defer { meters.stop() }
    let format = AudioFormat(codec: .vorbis, sampleRate: 44_100, channels: 2)
    let peer = try #require(SocketAddress("10.1.2.3:4000"))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        group.addTask {
          let headers: [UInt8] = number % 2 == 0 ? [1] : [2]
          let found = await meters.trial(
            of: format, headers: headers, for: AddressBlock(.tcp(peer)))
          switch found {
          case .success?: #expect(headers == [1])
          case .failure(let error)?: #expect(headers == [2] && error.reason == "too dear")
          case nil: Issue.record("not known")
          }
        }
      }
    }
    #expect(count.now == 2)
  }
}
