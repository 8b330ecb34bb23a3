import Audio
import Reactor
import Server
import Synchronization
import Timeshift
import Wire

/// Has the sound of stations measured where somebody wants to know it, and ends that some seconds after.
///
/// Any thread may ask it; only the relay's actor makes it follow.
final class SoundMeters: Sendable {
  /// A station whose sound may be wanted.
  struct Station {
    var id: String
    var log: PacketLog
    var delay: MediaTime
    var rules: SoundRules
  }

  private struct Key: Hashable {
    var station: String
    var moment: FigureMoment?
  }

  private struct Entry {
    let meter: SoundMeter
    var wish: SoundWish
    var rules: SoundRules
    /// When it was last wanted.
    var wantedAt: MonotonicTime
    /// When its decoder was found to hang.
    var hungAt: MonotonicTime?
  }

  /// The key of a trial: whether these headers can be decoded.
  private struct Trial: Hashable {
    var codec: Codec
    var headers: [UInt8]
  }

  private struct State {
    var meters: [Key: Entry] = [:]
    /// Clipped samples that ended meters found, by station.
    var clipped: [String: UInt64] = [:]
  }

  /// Seconds for which sound is measured after it was last wanted.
  private static let lingerSeconds = 5.0
  /// Seconds after which a station whose decoder hung is tried again.
  private static let hungSeconds = 60.0
  /// Places behind the live edge that are measured at once, each a decoder.
  static let momentsMax = 32

  private let events: EventHub
  let pool: SoundPool
  private let makeDecoder: PacketDecoder.Make
  private let state = Mutex(State())
  /// A finding about a format is kept for an hour; a decoder that hung gives no finding.
  private let trials = SharedCache<Trial, Result<Void, AudioError>?>(
    "trials", keptSeconds: 3600, keptBytesMax: 4 << 20
  ) { trial, found in found == nil ? nil : trial.headers.count + 256 }

  init(
    _ events: EventHub, threads: Int = Limits.processors(),
    makeDecoder: @escaping PacketDecoder.Make
  ) {
    self.events = events
    self.makeDecoder = makeDecoder
    pool = SoundPool(threads: threads)
  }

  func stop() { pool.stop() }

  /// Whether one more place behind the live edge may be measured. What lingers gives way.
  var hasRoomForMoment: Bool {
    let wanted = events.figures.wishesOfMoments.filter { $0.moment != nil }
    let places = Set(
      wanted.compactMap { key in key.station.map { Key(station: $0, moment: key.moment) } })
    return places.count < Self.momentsMax
  }

  /// The sessions whose places are watched.
  var sessions: [(station: String, token: SessionToken)] {
    events.figures.wishesOfMoments.compactMap { key in
      guard let station = key.station, case .session(let token)? = key.moment else { return nil }
      return (station, token)
    }
  }

  /// Finds out whether a format can be decoded: once for all who ask, on the pool, in turn by address.
  ///
  /// - Parameter customer: nil for a part of this process.
  /// - Returns: nil when too much is asked for, or the decoder hangs.
  func trial(
    of format: AudioFormat, headers: [UInt8], for customer: AddressBlock?
  ) async -> Result<Void, AudioError>? {
    let trial = Trial(codec: format.codec, headers: headers)
    return await trials.value(trial, for: customer) { [pool, makeDecoder] in
      pool.blockingAnswer { _ in
        Result { () throws(AudioError) in _ = try makeDecoder(trial.codec, trial.headers) }
      }
    } ?? nil
  }

  /// Returns the sound of a window, to be decoded where it is asked for.
  func sound(in log: PacketLog, delay: MediaTime, _ format: AudioFormat) -> StationSound {
    StationSound(log: log, delay: delay, format: format, makeDecoder: makeDecoder)
  }

  func state(of station: String) -> SoundState {
    state.withLock { state in
      var shown = state.meters[Key(station: station)]?.meter.state ?? SoundState()
      shown.clipped += state.clipped[station] ?? 0
      return shown
    }
  }

  // MARK: Following what is wanted

  /// Whether there is nothing to follow.
  var isIdle: Bool {
    state.withLock { $0.meters.isEmpty } && events.figures.wishesOfMoments.isEmpty
  }

  /// Begins what is wanted, and ends what no longer is.
  ///
  /// - Parameters:
  ///   - stations: with a log, by id.
  ///   - behind: seconds behind live at which a session is; nil where it is not listening.
  func follow(
    _ stations: [String: Station], at now: MonotonicTime,
    behind: (SessionToken) -> Double?
  ) {
    let wanted = wishes(stations)
    state.withLock { state in
      for (key, wish) in wanted {
        guard let station = stations[key.station] else { continue }
        let place: Double? =
          switch key.moment {
          case nil: 0
          case .behind(let milliseconds)?: Double(milliseconds) / 1000
          case .session(let token)?: behind(token)
          }
        guard let place else { continue }
        if key.moment != nil, state.meters[key] == nil, !makeRoom(&state, besides: wanted) {
          continue
        }
        begin(&state, key, wish, station, behind: place, at: now)
      }
      for (key, entry) in state.meters where wanted[key] == nil {
        let isOver =
          stations[key.station] == nil || entry.rules.needSound && key.moment == nil
          || now.seconds(since: entry.wantedAt) >= Self.lingerSeconds
        if isOver { end(&state, key) }
      }
      state.clipped = state.clipped.filter { stations[$0.key] != nil }
    }
  }

  private func wishes(_ stations: [String: Station]) -> [Key: SoundWish] {
    var wishes: [Key: SoundWish] = [:]
    for wished in events.figures.wishesOfMoments {
      let wish = SoundWish(RelayEvent.Kind(rawValue: wished.kind))
      for id in wished.station.map({ [$0] }) ?? Array(stations.keys) {
        wishes[Key(station: id, moment: wished.moment), default: []].formUnion(wish)
      }
    }
    for (id, station) in stations where station.rules.needSound {
      wishes[Key(station: id), default: []]
        .formUnion(station.rules.levels == .always ? .always : .rules)
    }
    return wishes
  }

  private func begin(
    _ state: inout State, _ key: Key, _ wish: SoundWish, _ station: Station, behind: Double,
    at now: MonotonicTime
  ) {
    if let entry = state.meters[key] {
      let hungAt = entry.meter.isGivenUp ? entry.hungAt ?? now : nil
      state.meters[key]?.hungAt = hungAt
      let isSame =
        entry.meter.source.log === station.log && entry.rules == station.rules
        && entry.meter.source.delay == station.delay
      if isSame, hungAt.map({ now.seconds(since: $0) < Self.hungSeconds }) ?? true {
        state.meters[key]?.wantedAt = now
        state.meters[key]?.wish = wish
        entry.meter.set { ($0.wish, $0.behind) = (wish, behind) }
        return
      }
      end(&state, key)
    }
    let meter = SoundMeter(
      .init(
        station: station.id, log: station.log, delay: station.delay, moment: key.moment,
        rules: key.moment == nil ? station.rules : SoundRules()),
      .init(wish: wish, behind: behind), makeDecoder: makeDecoder,
      show: { [events] in events.show($0, at: $1) }, post: { [events] in events.post($0) })
    let isRule = key.moment == nil && station.rules.needSound
    guard pool.add(meter, rank: isRule ? .first : .others, of: station.id) else { return }
    state.meters[key] = Entry(meter: meter, wish: wish, rules: station.rules, wantedAt: now)
  }

  /// Ends what was wanted longest ago if as many places in the past are measured as may be. False: all are wanted.
  private func makeRoom(_ state: inout State, besides wanted: [Key: SoundWish]) -> Bool {
    let moments = state.meters.filter { $0.key.moment != nil }
    if moments.count < Self.momentsMax { return true }
    let lingering = moments.filter { wanted[$0.key] == nil }
    guard let oldest = lingering.min(by: { $0.value.wantedAt < $1.value.wantedAt }) else {
      return false
    }
    end(&state, oldest.key)
    return true
  }

  private func end(_ state: inout State, _ key: Key) {
    guard let entry = state.meters.removeValue(forKey: key) else { return }
    entry.meter.set { $0.isEnded = true }
    if key.moment == nil { state.clipped[key.station, default: 0] += entry.meter.state.clipped }
  }
}
