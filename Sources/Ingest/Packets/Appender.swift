import Timeshift
import Wire

/// The way of a station's items into its log: stitched after an interruption, else straight.
///
/// Used by the station's worker only. It knows packets, titles, gaps and the log; no URL and no connection. How long the
/// upstream was away is measured by the clock that goes on while the machine sleeps, and so is what it is ahead by; formats,
/// which are about what arrives here, go by the other one.
final class Appender {
  enum Intake {
    /// A new connection has sent nothing yet.
    case waiting
    case direct
    case stitching(Stitcher)
  }

  let writer: LogWriter
  var log: PacketLog { writer.log }
  let settings: UpstreamSettings
  let report: (IngestEvent) -> Void
  var intake = Intake.waiting
  var held = HeldItems()
  var tail: LogTail
  private var brake: IntakeBrake
  /// Why a gap would be one now.
  var gapCause = GapCause.restart
  private var wasInterrupted = true
  /// So many connections in a row that brought audio were over before it could be told where that belongs.
  private var tooShort = 0
  /// With what the last one began, by hashes, as far as it was held.
  private var before: [UInt32] = []
  /// What a slow line still brings of a burst whose beginning was left out.
  var rest: BurstRest?
  /// What was appended last is no part of the programme.
  var isBesides = false
  /// What arrives follows a file that has come whole: nothing is missing, but it may be a live stream after all.
  var isBehindFile = false
  /// Whether files may be live streams: not those of this machine.
  var joinsFiles = true
  private var fileBegins = FileBegins()
  /// Of the connection, see `opened`.
  private var (url, source) = ("", StitchSource())
  private var format: AudioFormat?
  private var formats = FormatWatch()
  /// Of the Ogg stream that arrives.
  private var arriving: OggHeaders?
  /// The one that the log ends with.
  private var link: OggLink?
  var titles: TitleMarks
  var edge: UInt64
  /// Of the running connection.
  private(set) var secondsAppended = 0.0
  /// The same with what is held, and what was left out.
  private(set) var secondsReceived = 0.0
  /// The connection has changed its format too often; nothing of it is appended any more.
  var isFlipping: Bool { formats.isExceeded }
  var flippingReason: String { formats.reason }

  init(writer: LogWriter, settings: UpstreamSettings, report: @escaping (IngestEvent) -> Void) {
    self.writer = writer
    self.settings = settings
    self.report = report
    tail = LogTail(settings: settings.stitch)
    brake = IntakeBrake(leadMax: settings.leadMax)
    titles = TitleMarks(writer: writer, shiftSeconds: settings.titleShift, report: report)
    edge = writer.log.edgePosition
  }

  /// Reads the log's tail: this worker is the first of its process on it. May read the disk.
  func recall(at now: Moment) { recall(at: now, away: log.away(at: now)) }

  /// - Parameter away: since when it is without an upstream; nil: it is empty.
  func recall(at now: Moment, away: TimeAway?) {
    let snapshot = log.snapshot()
    titles.recall(snapshot.title?.title)
    format = snapshot.format
    if !snapshot.headers.isEmpty, let newest = log.newestPacket() {
      link = OggLink(headers: snapshot.headers, newest: newest)
    }
    guard let format, let away, !log.isEmpty else { return }
    let packets = log.tail(seconds: settings.stitch.tailSeconds).map {
      (hash: $0.hash, seconds: Double($0.samples) / Double(format.sampleRate))
    }
    tail.recall(packets, away: away, at: now.sinceBoot)
  }

  /// Goes on for another worker on the same log.
  func recall(_ previous: Appender) {
    (tail, fileBegins, brake) = (previous.tail, previous.fileBegins, previous.brake)
    (format, edge) = (previous.format, previous.edge)
    (gapCause, wasInterrupted) = (previous.gapCause, previous.wasInterrupted)
    (tooShort, before, rest) = (previous.tooShort, previous.before, previous.rest)
    isBesides = previous.isBesides
    (link, formats) = (previous.link, previous.formats)
    titles.recall(previous.titles)
    brake.setLeadMax(settings.leadMax)
  }

  // MARK: Connections come and go

  /// A connection is being made.
  func begin() {
    (url, source) = ("", StitchSource())
    isBehindFile = !wasInterrupted
    intake = wasInterrupted || joinsFiles ? .waiting : .direct
    held = HeldItems()
    arriving = nil
    fileBegins.begin()
    brake.connectionBegins()
    (secondsAppended, secondsReceived) = (0, 0)
    formats.begin()
  }

  /// It is there: what comes is from `url`, behind all redirects.
  func opened(_ url: String, _ source: StitchSource = StitchSource()) {
    (self.url, self.source) = (url, source)
  }

  /// The connection is lost. What was held most likely comes again, so it is left out.
  ///
  /// Of an upstream that is always too short it would never come: the second time it is taken, unless the log has it.
  func interrupted(at now: Moment) {
    if case .stitching(let stitcher) = intake {
      settleLast(stitcher, at: now)
      writer.publish(at: now)
    }
    tellRest()
    tail.interrupted()
    if case .direct = intake { gapCause = .upstreamAway }
    // After a file that came whole, failed attempts at the next one change nothing.
    if secondsAppended > 0 || !held.packets.isEmpty { wasInterrupted = true }
    intake = .waiting
    held = HeldItems()
  }

  private func settleLast(_ stitcher: Stitcher, at now: Moment) {
    var verdict = stitcher.endVerdict(before: tooShort, at: now.sinceBoot)
    if isBehindFile, verdict == .hold { verdict = .gap(seconds: 0) }
    settle(verdict, at: now, acceptsGap: tooShort > 0 || isBehindFile)
    if !isBehindFile { (tooShort, before) = (min(tooShort + 1, 100), stitcher.begins) }
  }

  /// A file has come whole: what follows is another one, and nothing is missing between the two.
  func fileIsComplete() {
    wasInterrupted = false
    fileBegins.isComplete()
  }

  // MARK: Items

  /// Takes what one piece of the body brought; `bytes` is what the ranges point into.
  func take(_ items: [PipelineItem], in bytes: [UInt8], at now: Moment) {
    for item in items {
      switch item {
      case .title(let title): take(title)
      case .headers(let headers):
        arriving = headers
        formats.linkBegins(at: now.monotonic)
      case .packet(let packet): take(packet, bytes.span.extracting(packet.range), at: now)
      }
    }
    decide(at: now)
  }

  private func take(_ title: Title) {
    if case .direct = intake { titles.mark(title, at: edge) } else { held.append(title) }
  }

  private func take(_ packet: PacketScanner.Packet, _ bytes: Span<UInt8>, at now: Moment) {
    secondsReceived += Double(packet.samples) / Double(packet.format.sampleRate)
    let hash = packetHash(bytes)
    fileBegins.arrived(hash)
    if case .waiting = intake { open(packet.format, at: now) }
    guard case .stitching(var stitcher) = intake else {
      rest?.arrive(
        seconds: Double(packet.samples) / Double(packet.format.sampleRate), at: now.sinceBoot)
      return append(
        bytes, samples: packet.samples, format: packet.format, headers: arriving,
        hash: hash, at: now)
    }
    held.append(bytes, samples: packet.samples, format: packet.format, headers: arriving)
    let newest = held.packets[held.packets.count - 1]
    intake = .waiting  // so that the stitcher is not copied
    stitcher.arrive(newest.hash, seconds: newest.seconds, at: now.sinceBoot)
    intake = .stitching(stitcher)
    if stitcher.isExhausted || (held.isFull && !makeRoom(stitcher, at: now)) {
      decide(at: now, isFinal: true)
    }
  }

  /// A burst of FLAC may be longer than what can be held: what will be dropped in any case is let go at once.
  private func makeRoom(_ stitcher: Stitcher, at now: Moment) -> Bool {
    for isNearest in [false, true] {
      let known = stitcher.known(isNearest: isNearest, at: now.sinceBoot)
      guard known - held.forgotten > held.packets.count / 4 else { continue }
      dropKnown(0..<known)
      return true
    }
    return false
  }

  private func open(_ format: AudioFormat, at now: Moment) {
    let isFileAgain = isBehindFile && (format != self.format || fileBegins.isKnown)
    guard let stitcher = makeStitcher(for: format, from: url), !isFileAgain else {
      return flush(at: now)
    }
    intake = .stitching(stitcher)
  }

  /// nil: the log is empty.
  private func makeStitcher(for format: AudioFormat, from url: String) -> Stitcher? {
    var source = source
    source.hasPast = source.hasPast && !isBehindFile
    // Who takes over has come long ago.
    if url != self.url { source.roundTrip = 0 }
    source.before = before
    return tail.stitcher(
      from: url, source, isSameFormat: format == self.format,
      settings: settings.stitch.settings(for: format.codec))
  }

  // MARK: The verdict

  /// When `decide` is due at the latest.
  func deadline(at now: Moment) -> MonotonicTime? {
    guard case .stitching(let stitcher) = intake else { return nil }
    return stitcher.deadline(at: now.sinceBoot).map { now.monotonic(at: $0) }
  }

  /// Settles what can be settled, and shows listeners what was appended.
  func decide(at now: Moment, isFinal: Bool = false) {
    if case .stitching(let stitcher) = intake {
      var verdict = stitcher.verdict(at: now.sinceBoot, isFinal: isFinal)
      // A file waits for nothing.
      if isBehindFile, !stitcher.hasAlignment { verdict = .gap(seconds: 0) }
      settle(verdict, at: now, acceptsGap: true)
      if case .direct = intake { (tooShort, before) = (0, stitcher.begins) }
      if case .gap = verdict, !isBehindFile { rest = stitcher.rest(at: now.sinceBoot) }
    }
    if rest?.isOver(at: now.sinceBoot) == true { tellRest() }
    writer.publish(at: now)
    edge = log.edgePosition
  }

  // MARK: The log

  /// Appends what was held, and goes on with what arrives.
  ///
  /// - Parameter besides: how many of the first packets are no part of the programme.
  func flush(besides: Int = 0, at now: Moment) {
    intake = .direct
    let items = held
    held = HeldItems()
    for (number, packet) in items.packets.enumerated() {
      if let title = packet.title { titles.mark(title, at: edge) }
      append(
        packet.bytes.span, samples: packet.samples, format: packet.format,
        headers: packet.headers, hash: number < besides ? nil : packet.hash, at: now)
    }
    if let title = items.titleLeft { titles.mark(title, at: edge) }
  }

  /// - Parameter hash: nil: nothing that is sent again goes on behind it.
  private func append(
    _ bytes: Span<UInt8>, samples: Int, format: AudioFormat, headers: OggHeaders?, hash: UInt32?,
    at now: Moment
  ) {
    guard formats.admits(format, headers, at: now.monotonic) else { return }
    // Who reads the log's tail after a restart would take it for programme.
    if isBesides, hash != nil { writer.markGap(seconds: 0, cause: .upstreamJumped) }
    isBesides = hash == nil
    titles.beforePacket(at: edge)
    if let headers {
      appendPage(bytes, samples: samples, headers)
    } else {
      link = nil
      writer.append(bytes, samples: samples, format: format)
    }
    let seconds = Double(samples) / Double(format.sampleRate)
    if let hash { tail.appended(hash, seconds: seconds, from: url, at: now.sinceBoot) }
    brake.appended(
      seconds: seconds, bytes: bytes.count, isLive: source.isLive, at: now.sinceBoot)
    edge += UInt64(bytes.count)
    secondsAppended += seconds
    self.format = format
  }

  /// A page gets its place in the station's one stream; where a decoder could not go on, a new one begins.
  private func appendPage(_ bytes: Span<UInt8>, samples: Int, _ headers: OggHeaders) {
    if link?.headers.continues(with: headers) != true {
      let new = OggLink(headers)
      writer.markHeaders(new.pages)
      link = new
    }
    var page = bytes.withUnsafeBufferPointer { Array($0) }
    link?.place(&page, samples: samples)
    writer.append(page.span, samples: samples, format: headers.format)
  }

  // MARK: Titles from elsewhere

  /// The upstream's titles do not count, as long as the page's do.
  var isOverruled: Bool {
    get { titles.isOverruled }
    set { titles.overrule(newValue, at: edge) }
  }

  /// The page of titles has said what is playing.
  func polled(_ title: Title, at now: Moment) {
    if titles.polled(title, at: edge) { writer.publish(at: now) }
  }

  /// Marks a title that did not come from the upstream.
  func announce(_ title: Title, at now: Moment) {
    titles.announce(title, at: edge)
    writer.publish(at: now)
  }

  // MARK: Brake

  /// What came besides packets, as `BesidesBrake` counts.
  func received(besides count: Int, at now: Moment) {
    brake.received(besides: count, at: now.sinceBoot)
  }

  /// How long the transfer is to pause, in seconds; nil: not at all.
  func pause(at now: Moment) -> Double? {
    var held = 0.0
    if case .stitching(let stitcher) = intake { held = stitcher.newSecondsMax }
    return brake.pause(held: held, waitsForDisk: log.isWaitingForDisk, at: now.sinceBoot)
  }

  // MARK: Takeover

  /// Another connection goes on with the log, and `newest` is what it sent last. False: it cannot.
  ///
  /// At a matched packet where the two are the same stream; else, if the format is equal, with the next packet.
  func takeOver(_ newest: HeldItems, from url: String, at now: Moment) -> Bool {
    guard case .direct = intake, let last = newest.packets.last, last.format == format,
      var stitcher = makeStitcher(for: last.format, from: url)
    else { return false }
    for packet in newest.packets {
      stitcher.arrive(packet.hash, seconds: packet.seconds, at: now.sinceBoot)
    }
    tellRest()
    (secondsAppended, secondsReceived) = (0, 0)
    gapCause = .upstreamJumped
    arriving = last.headers
    (self.url, isBehindFile) = (url, false)
    fileBegins.begin()
    fileBegins.arrived(newest.packets[0].hash)
    switch stitcher.takeover(at: now.sinceBoot) {
    case .matched(let drop, _, _):
      held = newest
      dropKnown(0..<drop.upperBound)
      flush(at: now)
    case .hold:
      held = newest
      intake = .stitching(stitcher)
    case .gap(_, _, _, let repeated):
      markGap(seconds: 0)
      if repeated > 0 {
        report(
          .reconnected(Reconnection(stitchedSeconds: 0, lostSeconds: 0, repeatedSeconds: repeated)))
      }
      if let title = newest.lastTitle { titles.mark(title, at: edge) }
    }
    gapCause = .upstreamAway
    decide(at: now)
    return true
  }
}
