import Audio
import Server
import Synchronization
import Threads
import Timeshift
import Wire

/// Measures the sound of one station at one place: at its live edge, or as far behind as somebody listens.
///
/// The meter reads the log as any listener does, and falls behind instead of holding anything up.
///
/// Unchecked: what is not behind a lock is touched by `run` alone, and a pool runs a job on one thread at a time.
final class SoundMeter: SoundJob, @unchecked Sendable {
  /// What is measured.
  struct Source {
    var station: String
    var log: PacketLog
    /// How much later than on air the station is heard.
    var delay: MediaTime
    /// Nil for the live edge.
    var moment: FigureMoment?
    var rules = SoundRules()
  }

  /// The figures that other threads may ask for.
  struct Order {
    var wish: SoundWish
    /// Seconds behind the live edge.
    var behind = 0.0
    var isEnded = false
  }

  /// Seconds of audio before the first measure: a frame may need what frames before it left.
  private static let leadIn = 0.5
  /// Seconds of the silence in front of a sound that belong to the sound: a decoder may be a packet late.
  private static let onset = 0.05

  let source: Source
  private let order: Mutex<Order>
  private let report = Mutex<Report>(Report())
  private let show: @Sendable (RelayEvent, FigureMoment?) -> Void
  private let post: @Sendable (RelayEvent) -> Void

  private struct Report {
    var state = SoundState()
    var isGivenUp = false
  }

  private let tap: Tap
  private var isPlaced = false
  private var play: PlayPoint
  private var behind: Double
  private var decoder: PacketDecoder
  private var ahead = SamplesAhead()
  private var measures: SoundMeasures?
  /// Media seconds before which nothing is measured.
  private var mutedUntil = 0.0
  /// Position of the first packet with sound behind the last dead air.
  private var soundFrom: UInt64?
  private var loudness = (value: Loudness(), media: -1.0)
  /// Columns that are still to be shown.
  private var columns = (data: [UInt8](), media: 0.0)
  /// Clipped samples that are still to be told, by channel.
  private var clipped: [Int] = []
  private var clippingTold: MonotonicTime?

  init(
    _ source: Source, _ order: Order, makeDecoder: @escaping PacketDecoder.Make,
    show: @escaping @Sendable (RelayEvent, FigureMoment?) -> Void,
    post: @escaping @Sendable (RelayEvent) -> Void
  ) {
    self.source = source
    self.order = Mutex(order)
    (self.show, self.post) = (show, post)
    decoder = PacketDecoder(makeDecoder)
    tap = Tap(source.log, from: .oldest, delay: source.delay)
    behind = order.behind
    play = Self.playPoint(behind: order.behind)
  }

  /// A live station is measured half a second late, so that what comes in pieces is shown evenly.
  private static func playPoint(behind: Double) -> PlayPoint {
    PlayPoint(lag: max(0.5, behind), lagMax: max(0.5, behind) + 2.5)
  }

  // MARK: From other threads

  var state: SoundState { report.withLock { $0.state } }
  var isGivenUp: Bool { report.withLock { $0.isGivenUp } }

  func set(_ change: (inout Order) -> Void) { order.withLock { change(&$0) } }

  func giveUp() {
    report.withLock { report in
      report.isGivenUp = true
      report.state.state = .unavailable("the decoder hangs")
    }
  }

  // MARK: A turn

  func run(at now: MonotonicTime) -> MonotonicTime? {
    let order = order.withLock { $0 }
    if order.isEnded {
      tellEnd()
      return nil
    }
    follow(order)
    let moment = Moment.now()
    tap.refresh(at: moment)
    let reader = tap.reader
    let due = play.due(
      edge: reader.edge.media.seconds, oldest: reader.oldest.media.seconds,
      at: Double(now.nanoseconds) / 1e9)
    guard isPlaced || find(due) else { return now.adding(0.1) }
    var budget = StepBudget()
    measure(until: due)
    reading: while !budget.isSpent, ahead.isEmpty, let place = tap.place,
      place.media.seconds < due
    {
      switch tap.read(at: moment) {
      case .item(.format(let mark)): begin(mark)
      case .item(.packet(let packet)):
        _ = budget.spendPacket()
        let isHeard = packet.start.media.seconds >= mutedUntil
        decoder.decode(packet) { ahead.put($0, $1, at: $2, isHeard: isHeard) }
        measure(until: due)
      case .item: continue
      case .liveEdge, .loading, .suspended: break reading
      case .over:
        tellEnd()
        return nil
      }
    }
    tell(at: moment)
    if budget.isSpent { return now }
    return Self.next(now.adding(pause(after: due, order.wish)))
  }

  /// Returns the next moment at which stations have their turns: each wake of a thread costs as much as a turn.
  private static func next(_ time: MonotonicTime) -> MonotonicTime {
    let step: Int64 = 10_000_000
    let over = time.nanoseconds % step
    return over == 0 ? time : MonotonicTime(nanoseconds: time.nanoseconds - over + step)
  }

  /// Seconds until there is something to tell.
  private func pause(after due: Double, _ wish: SoundWish) -> Double {
    var rates: [Int] = []
    if wish.contains(.levels) { rates.append(SoundWish.levelsPerSecond) }
    if wish.contains(.spectrum) { rates.append(SoundWish.spectraPerSecond) }
    let ends = rates.map { ((due * Double($0)).rounded(.down) + 1) / Double($0) - due }
    // A millisecond more: a stretch that lacks a sample would be a whole turn late.
    if let next = ends.min() { return max(0.001, next + 0.001) }
    return source.rules.silence?.startsFallback == true ? 0.1 : 0.25
  }

  private func follow(_ order: Order) {
    measures?.wish = order.wish
    guard abs(order.behind - behind) > 2 else { return }
    behind = order.behind
    play = Self.playPoint(behind: behind)
    isPlaced = false
  }

  /// Goes to the packet from which a decoder hears what is due.
  private func find(_ due: Double) -> Bool {
    let oldest = tap.reader.oldest
    let from = MediaTime(seconds: max(0, due - Self.leadIn))
    guard let point = from <= oldest.media ? oldest : tap.reader.point(atOrBefore: from) else {
      return false
    }
    tap.go(to: point)
    decoder.jump()
    ahead.clear()
    (isPlaced, mutedUntil) = (true, due)
    return true
  }

  private func begin(_ mark: FormatMark) {
    do throws(AudioError) {
      try decoder.begin(mark.format.codec, headers: mark.headers)
      report.withLock { $0.state.state = .measured }
    } catch {
      report.withLock { report in
        report.state = SoundState()
        report.state.state = .unavailable(error.reason)
      }
    }
  }

  private func measure(until due: Double) {
    ahead.pop(until: due) { samples, format, place, isHeard in
      measure(samples, format, at: place, isHeard: isHeard)
    }
  }

  private func measure(
    _ samples: UnsafeBufferPointer<Int16>, _ format: AudioFormat, at first: Int, isHeard: Bool
  ) {
    if measures?.sampleRate != format.sampleRate || measures?.channels != format.channels {
      measures = try? SoundMeasures(
        sampleRate: format.sampleRate, channels: format.channels,
        wish: order.withLock { $0.wish },
        clipping: ClippingWatch(
          least: (source.rules.clipping ?? .init()).samples, channels: format.channels),
        silence: measures?.silence
          ?? source.rules.silence.map { SilenceWatch(below: $0.below, for: $0.hold) },
        bounds: measures?.bounds ?? source.rules.loudness.map(\.watch))
    }
    if isHeard { measures?.add(samples, at: first) }
  }

  // MARK: What was found

  private func tell(at now: Moment) {
    guard let reading = measures?.pop(), let measures, reading.hasSound else { return }
    let place = SoundPlace(
      time: now.wall, position: tap.place?.position, media: tap.place?.media.seconds ?? 0)
    // Integrated loudness and range are sums over all that was heard.
    if abs(place.media - loudness.media) >= 0.1 { loudness = (measures.loudness, place.media) }
    let (station, moment) = (source.station, source.moment)
    if let levels = reading.levels, measures.wish.contains(.levels) {
      show(.levels(levels, loudness.value, of: station, at: place), moment)
    }
    if let (media, bands) = reading.spectrum {
      show(
        .spectrum(bands, around: measures.frequencies, media: media, of: station, at: place),
        moment)
    }
    for change in reading.changes {
      post(.silence(change, of: station, at: place))
      if case .stopped(let media, _) = change {
        let from = MediaTime(seconds: max(0, media - Self.onset))
        soundFrom = tap.reader.point(atOrBefore: from)?.position
      }
    }
    for change in reading.crossings { post(.loudness(change, of: station, at: place)) }
    for second in reading.seconds {
      source.log.keep(measured: SoundChunk.byte(second.rms), at: Int64(second.number))
    }
    report.withLock { report in
      if let levels = reading.levels { report.state.levels = levels.levels }
      report.state.loudnessState = measures.bounds.map { LoudnessState($0.bound) }
      report.state.loudness = loudness.value
      report.state.deadAir = source.rules.silence.map { _ in
        var deadAir = DeadAir()
        (deadAir.isNow, deadAir.soundFrom) = (measures.silentSince != nil, soundFrom)
        return deadAir
      }
      report.state.clipped = UInt64(clamping: measures.clipped.reduce(0, +))
    }
    tellColumns(reading, measures.channels, at: place)
    tellClipping(reading, at: place, now.monotonic)
  }

  /// Tells that what was told to have begun is over: nothing watches it any more.
  private func tellEnd() {
    guard let measures, let now = tap.place?.media.seconds else { return }
    let place = SoundPlace(time: Moment.now().wall, position: tap.place?.position, media: now)
    if let since = measures.silentSince {
      post(
        .silence(.stopped(at: now, seconds: max(0, now - since)), of: source.station, at: place))
    }
    if let bounds = measures.bounds, bounds.bound != nil, let since = bounds.outSince {
      post(
        .loudness(.back(at: now, seconds: max(0, now - since)), of: source.station, at: place))
    }
  }

  /// Shows columns a second at a time.
  private func tellColumns(_ reading: SoundReading, _ channels: Int, at place: SoundPlace) {
    guard let media = reading.columnsMedia else { return }
    let rate = SoundChunk.columnsPerSecond
    let bytes = 2 * channels + SoundChunk.bands
    let next = columns.media + Double(columns.data.count / bytes) / Double(rate)
    if columns.data.isEmpty || abs(next - media) > 0.001 { columns = ([], media) }
    columns.data += reading.columns
    guard columns.data.count >= rate * bytes else { return }
    show(
      .sound(
        columns.data, media: columns.media, channels: channels, of: source.station, at: place),
      source.moment)
    columns.data = []
  }

  /// Tells of clipping, at most once a second.
  private func tellClipping(
    _ reading: SoundReading, at place: SoundPlace, _ now: MonotonicTime
  ) {
    guard source.rules.clipping != nil else { return }
    if !reading.clipped.isEmpty {
      clipped = clipped.isEmpty ? reading.clipped : zip(clipped, reading.clipped).map(+)
    }
    guard !clipped.isEmpty, clippingTold.map({ now.seconds(since: $0) >= 1 }) ?? true else {
      return
    }
    for (channel, samples) in clipped.enumerated() where samples > 0 {
      post(.clipping(samples, in: channel, of: source.station, at: place))
    }
    (clipped, clippingTold) = ([], now)
  }
}
