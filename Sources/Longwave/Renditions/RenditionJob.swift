import Audio
import Ingest
import Synchronization
import Threads
import Timeshift
import Wire

/// Makes one rendition while it runs: reads the original's log, and writes the rendition's.
///
/// The job reads as any listener does. Where it falls behind, it skips and marks a gap; the original never notices.
/// Each packet of the rendition has the air time of what is heard in it.
///
/// Unchecked: what is not behind a lock is touched by `run` alone, and a pool runs a job on one thread at a time.
final class RenditionJob: SoundJob, @unchecked Sendable {
  /// The rendition and its original.
  struct Source {
    let station: String
    let original: String
    let originalLog: PacketLog
    let log: PacketLog
    let encoding: PCMEncoding
    /// Seconds of the past that a new rendition begins with: a newcomer's burst.
    let burst: Double
  }

  struct Report {
    var state = StationState.buffering
    var reason = ""
    var connectedSince: WallTime?
    /// Bytes that were made.
    var bytes: UInt64 = 0
    var isGivenUp = false
  }

  /// Seconds of audio in front of the first encoded packet. A frame may need the frames before it, and its loudness is
  /// that of the audio before.
  private var leadIn: Double { source.encoding.loudness == nil ? 0.5 : 15 }
  /// Seconds that are caught up with after a restart of the relay.
  private static let catchUpMax = 10.0
  /// Seconds behind the edge beyond which the rendition skips, when all processors are busy. A list of its pieces relies
  /// on it, and on a burst of a minute at most: see `Cells.lateMax`.
  private static let behindMax = 60.0
  /// Seconds without a packet after which the original counts as silent.
  private static let patience = 10.0
  /// Seconds between two turns.
  private static let pause = 0.05
  /// Seconds before a refused encoder is tried again.
  private static let retrySeconds = 5.0

  let source: Source
  private let isEnded = Mutex(false)
  private let shown = Mutex(Report())
  private let tell: @Sendable (IngestEvent) -> Void

  private let tap: Tap
  private var feed: Feed?
  private var transcoder: Transcoder
  private var titles = RenditionTitles()
  /// The title that was told last.
  private var title: Title?
  private var isPlaced = false
  /// Place of the original in front of which packets are decoded only.
  private var beginning = LogPoint.zero
  /// Position up to which gaps of the original are in the rendition's log, or in front of it.
  private var gapsUntil: UInt64 = 0
  /// Media time of the original behind the newest packet that was made.
  private var madeUntil: MediaTime?
  private var appendedAt: MonotonicTime?
  /// When a packet was last there to be decoded.
  private var takenAt: MonotonicTime?

  /// - Parameter tell: called with the rendition's states, titles and gaps; must not block.
  init(
    _ source: Source, makeDecoder: @escaping PacketDecoder.Make,
    tell: @escaping @Sendable (IngestEvent) -> Void
  ) {
    self.source = source
    self.tell = tell
    transcoder = Transcoder(source.encoding, makeDecoder: makeDecoder)
    tap = Tap(source.originalLog, from: .oldest)
  }

  // MARK: From other threads

  var report: Report { shown.withLock { $0 } }

  /// Ends the rendition for now. Its log is free once a turn that runs is over.
  func end() { isEnded.withLock { $0 = true } }

  func giveUp() {
    end()
    show(.failed, "the decoder hangs; the relay tries again in a minute")
    shown.withLock { $0.isGivenUp = true }
  }

  // MARK: A turn

  func run(at now: MonotonicTime) -> MonotonicTime? {
    if isEnded.withLock({ $0 }) {
      feed?.end()
      return nil
    }
    // Another job of the station may still have the log.
    if feed == nil { feed = source.log.writer().map { Feed($0) } }
    let moment = Moment.now()
    tap.refresh(at: moment)
    guard let feed, isPlaced || place(feed, at: moment) else { return now.adding(Self.pause) }
    // Before anything is read: what is so old is listed as missing.
    if isTooFarBehind {
      skip(feed, at: moment)
      return now
    }
    do throws(AudioError) {
      let isMore = try read(feed, at: moment)
      publish(feed, at: moment)
      watch(at: moment.monotonic)
      return isMore ? now : now.adding(Self.pause)
    } catch {
      publish(feed, at: moment)
      show(.failed, "\(source.original) cannot be transcoded: \(error.reason)")
      isPlaced = false
      return now.adding(Self.retrySeconds)
    }
  }

  /// - Returns: whether more can be read at once.
  private func read(_ feed: Feed, at now: Moment) throws(AudioError) -> Bool {
    var budget = StepBudget()
    while budget.spendPacket() {
      switch tap.read(at: now) {
      case .item(.packet(let packet)): try receive(packet, feed, at: now)
      case .item(.format(let mark)): try transcoder.begin(mark)
      case .item(.title(let mark)): titles.add(mark)
      case .item(.gap(let gap)):
        seam(gap.seconds, gap.cause, at: gap.position, feed, now)
      case .item(.missed(let loss)):
        seam(loss.seconds, .upstreamAway, at: loss.next.position, feed, now)
      case .liveEdge, .loading, .suspended: return false
      case .over:
        end()
        return true
      }
    }
    if isTooFarBehind { skip(feed, at: now) }
    return true
  }

  private func receive(
    _ packet: TapPacket, _ feed: Feed, at now: Moment
  ) throws(AudioError) {
    takenAt = now.monotonic
    if packet.start.position < beginning.position { return transcoder.warmUp(packet) }
    try transcoder.transcode(packet) { append($0, feed, at: now) }
  }

  private func append(_ made: Transcoder.Made, _ feed: Feed, at now: Moment) {
    let length = MediaTime(samples: made.samples, rate: made.format.sampleRate)
    // A title that comes in a packet's second half belongs to the next.
    let half = MediaTime(seconds: length.seconds / 2)
    for mark in titles.due(until: made.media + half, at: feed.edge) {
      feed.markTitle(mark.title)
      tell(mark.title, at: feed.edge.position)
    }
    feed.mark(programme: tap.reader.programme(at: made.media))
    feed.append(made.bytes.span, samples: made.samples, format: made.format, at: now)
    madeUntil = made.media + length
    appendedAt = now.monotonic
    shown.withLock { $0.bytes += UInt64(made.bytes.count) }
  }

  /// Ends what is encoded, since other audio follows. Where nothing is missing, as between two files, it follows without
  /// the padding of an end.
  private func seam(
    _ seconds: Double, _ cause: GapCause, at position: UInt64, _ feed: Feed, _ now: Moment
  ) {
    if seconds <= 0 { return transcoder.passSeam() }
    transcoder.jump { append($0, feed, at: now) }
    publish(feed, at: now)
    if position > gapsUntil { mark(seconds, cause, feed) }
  }

  private func mark(_ seconds: Double, _ cause: GapCause, _ feed: Feed) {
    guard feed.edge.position > feed.log.oldest.position else { return }
    feed.markGap(seconds: seconds, cause: cause)
    tell(.gap(GapMark(position: feed.edge.position, seconds: seconds, cause: cause)))
  }

  /// Publishes what was appended as if it were the moment at which the end of it was on air.
  private func publish(_ feed: Feed, at now: Moment) {
    for late in titles.late where feed.markTitle(late.mark.title, at: late.point) {
      tell(late.mark.title, at: late.point.position)
    }
    titles.late = []
    guard let madeUntil else { return }
    let behind = now.wall.seconds(since: tap.reader.air(at: madeUntil))
    feed.publish(at: now.adding(seconds: -behind))
  }

  private func tell(_ title: Title, at position: UInt64) {
    if title == self.title { return }
    self.title = title
    tell(.title(title, position: position))
  }

  // MARK: Places

  /// Finds where the rendition goes on: where it ended, if that is not long ago, or a burst behind the edge.
  ///
  /// - Returns: false while an index is being fetched, or the original's air times are not known yet.
  private func place(_ feed: Feed, at now: Moment) -> Bool {
    let reader = tap.reader
    guard reader.edge.position > reader.oldest.position, !reader.isInBurst(at: now.monotonic)
    else { return false }
    guard !reader.isPast(at: now.wall) else {
      watch(at: now.monotonic)
      return false
    }
    let own = feed.log.snapshot()
    title = own.title?.title
    guard own.edge.position > own.oldest.position else {
      return freshPoint(in: reader).map { begin(at: $0) } ?? false
    }
    guard let ended = reader.point(at: own.edgeAir) else { return false }
    let missing = reader.edge.media - ended.media
    let isNear = missing <= MediaTime(seconds: Self.catchUpMax)
    guard let fresh = isNear ? ended : freshPoint(in: reader) else { return false }
    // Nothing is made twice.
    let point = fresh.position < ended.position ? ended : fresh
    guard begin(at: point) else { return false }
    let away = reader.air(at: point.media).seconds(since: own.edgeAir)
    if away > 0.25 { mark(away, .upstreamAway, feed) }
    return true
  }

  /// Returns the place of a newcomer's burst, but nothing in front of the newest gap.
  private func freshPoint(in reader: LogReader) -> LogPoint? {
    let burst = MediaTime(seconds: source.burst)
    guard let point = reader.point(atOrBefore: reader.edge.media - burst) else { return nil }
    let gap = reader.newestGap(in: point.position..<reader.edge.position)
    return gap.flatMap { reader.point(holding: $0.position) } ?? point
  }

  private func begin(at point: LogPoint) -> Bool {
    let oldest = tap.reader.oldest
    let from = point.media - MediaTime(seconds: leadIn)
    guard let lead = from <= oldest.media ? oldest : tap.reader.point(atOrBefore: from) else {
      return false
    }
    tap.go(to: lead)
    transcoder.jump { _ in }
    titles.forget()
    (isPlaced, beginning, madeUntil) = (true, point, nil)
    // A gap that comes there later is one of the rendition, too.
    let isKnown = tap.reader.gapMark(at: point.position) != nil
    gapsUntil = isKnown ? point.position : max(1, point.position) - 1
    return true
  }

  private var isTooFarBehind: Bool {
    guard let place = tap.place else { return false }
    let media = max(place.media, beginning.media)
    return (tap.reader.edge.media - media).seconds > max(Self.behindMax, source.burst + 10)
  }

  /// Goes on near the edge.
  private func skip(_ feed: Feed, at now: Moment) {
    transcoder.jump { append($0, feed, at: now) }
    publish(feed, at: now)
    isPlaced = false
  }

  // MARK: States

  private func watch(at now: MonotonicTime) {
    if let appendedAt, now.seconds(since: appendedAt) < Self.patience {
      show(.playing, "")
    } else if let takenAt, now.seconds(since: takenAt) < Self.patience {
      show(.buffering, "its original \(source.original) cannot be decoded")
    } else {
      show(.buffering, "its original \(source.original) delivers nothing")
    }
  }

  private func show(_ state: StationState, _ reason: String) {
    let isNew = shown.withLock { shown in
      // A turn that comes back after all says nothing any more.
      if shown.isGivenUp || shown.state == state && shown.reason == reason { return false }
      (shown.state, shown.reason) = (state, reason)
      shown.connectedSince = state == .playing ? Moment.now().wall : nil
      return true
    }
    if isNew { tell(.state(state, reason: reason)) }
  }
}
