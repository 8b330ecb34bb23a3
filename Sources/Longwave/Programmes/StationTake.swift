import Audio
import Synchronization
import Threads
import Timeshift
import Wire

/// Another station for a programme that plays it: what it plays, as it is or encoded anew, and whether it plays at all.
///
/// The job reads the station's log on a thread that decodes; the programme's thread takes what was read. On air it begins
/// up to 2 s in the past, and stays that far behind the station.
///
/// Unchecked: what is not behind a lock is touched by `run` alone, and a pool runs a job on one thread at a time.
final class StationTake: SoundJob, @unchecked Sendable {
  /// What is asked of the station.
  struct Wish: Hashable, Sendable {
    var station: String
    /// The programme's format; nil: that of the station.
    var format: AudioFormat?
    /// How other formats are made to fit; nil: they cannot be.
    var encoding: PCMEncoding?
    /// Seconds of silence after which the station counts as not playing; nil: silence is what it plays.
    var silence: Double?
  }

  /// dBFS below which sound is silence.
  private static let silenceLevel = -60.0
  /// Seconds in front of the first packet that a decoder hears: a frame may need the frames before it.
  private static let leadIn = 0.5
  /// Seconds between two turns.
  private static let pause = 0.05

  let wish: Wish
  let log: PacketLog
  private let shared: Mutex<TakenSound>
  private let makeDecoder: PacketDecoder.Make
  private let tap: Tap
  private var format: AudioFormat?
  private var transcoder: Transcoder?
  private var titles = RenditionTitles()
  private var isOnAir = false
  /// Place in front of which packets are decoded only.
  private var beginning = LogPoint.zero
  /// Where what the station plays now has begun.
  private var began: LogPoint?
  private var silence: SilenceWatch?
  private var ears: PacketDecoder
  private var levels = LevelMeter(channels: 2)

  init(_ log: PacketLog, _ wish: Wish, makeDecoder: @escaping PacketDecoder.Make) {
    (self.log, self.wish, self.makeDecoder) = (log, wish, makeDecoder)
    shared = Mutex(TakenSound(patience: wish.silence ?? TakenSound.patienceStandard))
    tap = Tap(log, from: .liveEdge)
    ears = PacketDecoder(makeDecoder)
    silence = wish.silence.map { SilenceWatch(below: Self.silenceLevel, for: $0) }
  }

  // MARK: From other threads

  /// Whether the station has played for long enough, and is not silent.
  func isPlaying(at now: MonotonicTime) -> Bool { shared.withLock { $0.isPlaying(at: now) } }

  /// Why the station cannot be played, in words that follow its name; nil while it can.
  var refusal: String? { shared.withLock { $0.refusal } }

  func goOnAir() { shared.withLock { $0.isOnAir = true } }

  /// Nothing more comes, unless it comes within a second.
  func sayGoodbye() { shared.withLock { $0.hasSaidGoodbye = true } }

  func leaveAir() { shared.withLock { $0.leaveAir() } }

  /// The next piece; nil while none is there.
  func next() -> TakenSound.Piece? { shared.withLock { $0.next() } }

  func end() { shared.withLock { $0.isEnded = true } }

  func giveUp() {
    refuse("cannot be decoded: its decoder hangs")
    end()
  }

  private func refuse(_ reason: String) { shared.withLock { $0.refuse(reason) } }

  // MARK: A turn

  func run(at now: MonotonicTime) -> MonotonicTime? {
    let (isOver, isWanted) = shared.withLock { ($0.isEnded, $0.isOnAir) }
    if isOver { return nil }
    let moment = Moment.now()
    tap.refresh(at: moment)
    if isWanted != isOnAir {
      isOnAir = isWanted
      if isWanted { begin() }
    }
    var budget = StepBudget()
    do throws(AudioError) {
      while budget.spendPacket() {
        guard try read(at: moment) else { return now.adding(Self.pause) }
      }
    } catch {
      refuse("cannot be played: \(error.reason)")
      transcoder = nil
    }
    return now
  }

  /// Goes back to where the programme begins to play the station.
  private func begin() {
    let reader = tap.reader
    let newest = reader.edge.media - MediaTime(seconds: TakenSound.playedSeconds)
    let from = max(newest, began?.media ?? newest, reader.oldest.media)
    guard let first = reader.point(atOrBefore: from) else { return }
    let lead = max(reader.oldest.media, first.media - MediaTime(seconds: Self.leadIn))
    beginning = first
    titles.forget()
    transcoder?.jump { _ in }
    tap.go(to: reader.point(atOrBefore: lead) ?? first)
  }

  /// - Returns: whether more can be read at once.
  private func read(at now: Moment) throws(AudioError) -> Bool {
    switch tap.read(at: now) {
    case .item(.format(let mark)): try begin(mark)
    case .item(.title(let mark)):
      if transcoder == nil { keep(.title(mark.title)) } else { titles.add(mark) }
    case .item(.gap(let gap)): jump(gap.seconds, gap.cause)
    case .item(.missed(let loss)): jump(loss.seconds, .upstreamAway)
    case .item(.packet(let packet)): try receive(packet, at: now)
    case .liveEdge, .loading, .suspended, .over: return false
    }
    return true
  }

  private func begin(_ mark: FormatMark) throws(AudioError) {
    format = mark.format
    shared.withLock { $0.admit() }
    if silence != nil { try? ears.begin(mark.format.codec, headers: mark.headers) }
    if mark.format == wish.format ?? mark.format {
      transcoder = nil
      if mark.format.codec.isOgg { keep(.pages(mark.headers, seconds: 0)) }
    } else if let encoding = wish.encoding {
      var made = transcoder ?? Transcoder(encoding, makeDecoder: makeDecoder)
      // What is left of the format before belongs in front of this one.
      made.jump { keep($0) }
      try made.begin(mark)
      transcoder = made
    } else {
      let (name, rate) = (mark.format.codec.name, mark.format.sampleRate)
      refuse("sends \(name) at \(rate) Hz, which the programme cannot play")
    }
  }

  private func jump(_ seconds: Double, _ cause: GapCause) {
    if seconds > 0 { transcoder?.jump { keep($0) } } else { transcoder?.passSeam() }
    ears.jump()
    keep(.gap(seconds, cause))
  }

  private func receive(_ packet: TapPacket, at now: Moment) throws(AudioError) {
    guard let format else { return }
    if packet.start.position < beginning.position {
      transcoder?.warmUp(packet)
      return
    }
    let isNew = shared.withLock { $0.came(packet.length.seconds, at: now.monotonic) }
    if isNew || began == nil { began = packet.start }
    listen(to: packet)
    guard isOnAir else { return }
    if transcoder != nil {
      // Taken out, since what it gives changes the rest of this.
      var made = transcoder
      defer { transcoder = made }
      try made?.transcode(packet) { keep($0) }
    } else if format.codec.isOgg {
      keep(.pages([UInt8](packet.bytes), seconds: packet.length.seconds))
    } else {
      let samples = packet.length.samples(rate: format.sampleRate)
      keep(.packet([UInt8](packet.bytes), samples: samples, format))
    }
  }

  private func keep(_ made: Transcoder.Made) {
    let half = MediaTime(samples: made.samples / 2, rate: made.format.sampleRate)
    for mark in titles.due(until: made.media + half, at: .zero) { keep(.title(mark.title)) }
    keep(.packet(made.bytes, samples: made.samples, made.format))
  }

  private func keep(_ piece: TakenSound.Piece) {
    if isOnAir { shared.withLock { $0.add(piece) } }
  }

  // MARK: Silence

  private func listen(to packet: TapPacket) {
    guard silence != nil else { return }
    ears.decode(packet) { samples, format, _ in
      if levels.channels != format.channels { levels = LevelMeter(channels: format.channels) }
      levels.add(samples)
    }
    guard levels.frames > 0 else { return }
    let loudest = levels.pop().channels.map(\.rms).max() ?? Decibels.floor
    let change = silence?.add(
      rms: loudest, at: packet.start.media.seconds, for: packet.length.seconds)
    switch change {
    case .started: shared.withLock { $0.isSilent = true }
    case .stopped:
      began = packet.start
      shared.withLock { $0.soundBegins() }
    case nil: break
    }
  }
}
