import Audio
import Server
import Synchronization
import Timeshift
import Wire

/// Makes samples of stations for clients and programs, and plays backwards, on the threads that decode.
final class SampleMaker: SampleMaking {
  /// Streams of samples at once in the whole process.
  static let tapsMax = 64
  /// Streams of what is played backwards at once in the whole process: a second of one takes 0.5 % of a core.
  static let reversalsMax = 16

  private struct State {
    var taps: [UInt64: WeakTap] = [:]
    var lastID: UInt64 = 0
  }

  private struct WeakTap {
    weak var tap: SampleTap?
    let station: String
    /// Nil where packets are played backwards: their end is their own.
    let log: PacketLog?
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
    guard let id = reservePlace(order.station, order.log) else { throw .full }
    let tap = SampleTap(order, on: pool, makeDecoder: makeDecoder) { [weak self] told in
      self?.ended(id, told, order)
    }
    state.withLock { $0.taps[id]?.tap = tap }
    try await tap.begin()
    tap.isTold = true
    events.post(.tapCreated(id, order, tap.format, offset: tap.offset))
    return tap
  }

  func reverse(_ order: ReverseOrder) async -> Result<any ReverseSource, SampleRefusal> {
    guard let id = reservePlace(order.station, nil) else { return .failure(.fullBackwards) }
    let sound = ReverseSound(order, on: pool, makeDecoder: makeDecoder) { [weak self] in
      self?.state.withLock { $0.taps[id] = nil }
    }
    do throws(SampleRefusal) {
      try await sound.begin()
      return .success(sound)
    } catch {
      return .failure(error)
    }
  }

  /// How many streams of samples a station has.
  func count(of station: String) -> Int {
    state.withLock { $0.taps.values.count { $0.station == station } }
  }

  /// Ends the taps of stations that play no more, or another log.
  ///
  /// - Parameter logs: by station.
  func follow(_ logs: (String) -> PacketLog?) {
    for entry in state.withLock({ $0.taps.values }) {
      if let tap = entry.tap, logs(entry.station) !== entry.log { tap.end() }
    }
  }

  var isIdle: Bool { state.withLock { $0.taps.isEmpty } }

  /// - Parameter log: nil for what is played backwards.
  private func reservePlace(_ station: String, _ log: PacketLog?) -> UInt64? {
    state.withLock { state in
      let alike = state.taps.values.count { ($0.log == nil) == (log == nil) }
      guard alike < (log == nil ? Self.reversalsMax : Self.tapsMax) else { return nil }
      state.lastID += 1
      state.taps[state.lastID] = WeakTap(station: station, log: log)
      return state.lastID
    }
  }

  private func ended(_ id: UInt64, _ told: SampleTap.Told?, _ order: SampleOrder) {
    state.withLock { $0.taps[id] = nil }
    if let told { events.post(.tapDisposed(id, order, told)) }
  }
}
