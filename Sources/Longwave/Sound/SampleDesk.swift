import Audio
import Server
import Synchronization
import Timeshift
import Wire

/// Makes samples of stations for clients and programs, on the threads that decode.
final class SampleDesk: SampleMaking {
  /// Streams of samples at once in the whole process.
  static let tapsMax = 64

  private struct State {
    var taps: [UInt64: WeakTap] = [:]
    var lastID: UInt64 = 0
  }

  private struct WeakTap {
    weak var tap: SampleTap?
    let station: String
    let log: PacketLog
  }

  private let events: EventHub
  private let pool: SoundPool
  private let makeDecoder: PacketDecoder.Make
  private let state = Mutex(State())

  init(_ events: EventHub, _ pool: SoundPool, makeDecoder: @escaping PacketDecoder.Make) {
    (self.events, self.pool, self.makeDecoder) = (events, pool, makeDecoder)
  }

  func open(_ order: SampleOrder) async -> Result<any SampleSource, SampleRefusal> {
    do throws(SampleRefusal) {
      return .success(try await tap(order))
    } catch {
      return .failure(error)
    }
  }

  func tap(_ order: SampleOrder) async throws(SampleRefusal) -> SampleTap {
    guard let id = takePlace(order) else { throw .full }
    let tap = SampleTap(order, on: pool, makeDecoder: makeDecoder) { [weak self] told in
      self?.ended(id, told, order)
    }
    state.withLock { $0.taps[id]?.tap = tap }
    try await tap.begin()
    tap.isTold = true
    events.post(.tapCreated(id, order, tap.format, offset: tap.offset))
    return tap
  }

  /// Ends the taps of stations that play no more, or another log.
  ///
  /// - Parameter logs: by station.
  func follow(_ logs: (String) -> PacketLog?) {
    for entry in state.withLock({ $0.taps.values }) where logs(entry.station) !== entry.log {
      entry.tap?.end()
    }
  }

  var isIdle: Bool { state.withLock { $0.taps.isEmpty } }

  private func takePlace(_ order: SampleOrder) -> UInt64? {
    state.withLock { state in
      guard state.taps.count < Self.tapsMax else { return nil }
      state.lastID += 1
      state.taps[state.lastID] = WeakTap(station: order.station, log: order.log)
      return state.lastID
    }
  }

  private func ended(_ id: UInt64, _ told: SampleTap.Told?, _ order: SampleOrder) {
    state.withLock { $0.taps[id] = nil }
    if let told { events.post(.tapDisposed(id, order, told)) }
  }
}
