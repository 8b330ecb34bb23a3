import Timeshift
import Wire

/// Brings a station's items into its log: stitched after an interruption, otherwise directly.
///
/// Used by the station's worker only. It decides what is appended; `StationWriter` handles titles and Ogg streams.
/// Absence and lead are measured by the boot clock, format changes by the monotonic clock.
final class Appender {
  enum Intake {
    /// A new connection has sent nothing yet.
    case waiting
    case direct
    case stitching(Stitcher)
  }

  /// Facts about the running connection.
  struct Connection {
    /// The URL behind all redirects.
    var url = ""
    var source = StitchSource()
    /// Whether the audio follows a file that arrived whole: nothing is missing, unless it is a live stream after all.
    var isBehindFile = false
    /// The headers of the arriving Ogg stream.
    var headers: OggHeaders?
    /// Gaps that an upstream which is a relay has told, in front of packets that are still to be appended.
    var gaps: [RelayGap] = []
    /// The seconds missing in front of its first packet, as that upstream told.
    var lost: Double?
    var secondsAppended = 0.0
    /// Seconds of audio received, also if held or left out.
    var secondsReceived = 0.0
  }

  var station: StationWriter
  var writer: LogWriter { station.writer }
  var log: PacketLog { writer.log }
  let settings: UpstreamSettings
  let report: (IngestEvent) -> Void
  var intake = Intake.waiting
  var connection = Connection()
  var held = HeldItems()
  /// Finds by positions where an upstream goes on that is a relay; nil for others, and where positions are of no use.
  var joint: RelayJoint?
  var tail: LogTail
  private var brake: IntakeBrake
  /// The cause of a gap, if one came now.
  var gapCause = GapCause.restart
  private var wasInterrupted = true
  /// The number of connections in a row that brought audio and ended before its place was known.
  var tooShort = 0
  /// The first packets of the last connection, by hashes, as far as they were held.
  var before: [UInt32] = []
  /// The rest of a burst that a slow line still brings, after its beginning was left out.
  var rest: BurstRest?
  var fileBegins = FileBegins()
  var intro = Intro()
  var speakers = SpeakerWatch()

  init(writer: LogWriter, settings: UpstreamSettings, report: @escaping (IngestEvent) -> Void) {
    station = StationWriter(writer, titleShift: settings.titleShift, report: report)
    self.settings = settings
    self.report = report
    tail = LogTail(settings: settings.stitch)
    brake = IntakeBrake(leadMax: settings.leadMax)
  }

  /// Reads the log's tail, for the first worker of this process on the log. May read the disk.
  func recall(at now: Moment) { recall(at: now, away: log.away(at: now)) }

  /// - Parameter away: how long the log has been without an upstream; nil for an empty log.
  func recall(at now: Moment, away: TimeAway?) {
    station.recall()
    guard let format = station.format, let away, !log.isEmpty else { return }
    let packets = log.tail(seconds: settings.stitch.tailSeconds).map {
      TailRing.Entry(
        hash: $0.hash, seconds: Double($0.samples) / Double(format.sampleRate), bytes: $0.bytes)
    }
    tail.recall(packets, away: away, at: now.sinceBoot)
  }

  /// Adopts the state of another worker on the same log.
  func recall(_ previous: Appender) {
    (tail, fileBegins, brake) = (previous.tail, previous.fileBegins, previous.brake)
    (gapCause, wasInterrupted) = (previous.gapCause, previous.wasInterrupted)
    (tooShort, before, rest) = (previous.tooShort, previous.before, previous.rest)
    intro = previous.intro
    speakers = previous.speakers
    station.recall(previous.station)
    brake.setLeadMax(settings.leadMax)
  }

  // MARK: Connections come and go

  /// Prepares for a new connection.
  func begin() {
    connection = Connection(isBehindFile: !wasInterrupted)
    intake = .waiting
    (held, joint) = (HeldItems(), nil)
    fileBegins.begin()
    intro.end()
    brake.connectionBegins()
    station.connectionBegins()
    speakers.connectionBegins()
  }

  /// Notes that the connection is there; its audio comes from `url`, behind all redirects.
  func opened(
    _ url: String, _ source: StitchSource = StitchSource(), relay: RelayHead? = nil
  ) {
    (connection.url, connection.source) = (url, source)
    (connection.gaps, connection.lost) = (relay?.gaps ?? [], relay?.lost)
    // A relay says where its stream begins; what it sends again is no intro.
    if source.hasPast, !connection.isBehindFile, relay == nil { intro.begin(url) }
  }

  /// Notes whose titles the connection brings.
  ///
  /// - Parameter metaint: the bytes of audio in front of its first title block; nil for no blocks.
  func opened(by speaker: TitleSpeaker, metaint: Int?, at now: Moment) {
    speakers.opened(speaker, metaint: metaint, away: log.away(at: now))
  }

  /// Ends a lost connection. Held packets most likely come again, so they are left out.
  ///
  /// An upstream whose connections are always too short would never be heard. So the second time they are appended,
  /// unless the log has them.
  func interrupted(at now: Moment) {
    if case .stitching(let stitcher) = intake {
      // As far as positions tell, the log has all of it.
      if joint?.verdict != .hold { settleLast(stitcher, at: now) }
      writer.publish(at: now)
    }
    tellRest()
    tail.interrupted()
    if case .direct = intake { gapCause = .upstreamAway }
    // After a whole file, failed attempts at the next one change nothing.
    if connection.secondsAppended > 0 || !held.packets.isEmpty { wasInterrupted = true }
    intake = .waiting
    (held, joint) = (HeldItems(), nil)
  }

  /// Notes that a file arrived whole: the next connection brings another file, and nothing is missing between them.
  func fileIsComplete() {
    wasInterrupted = false
    fileBegins.isComplete()
  }

  /// Whether listeners get audio of this connection. A station that goes on has its past as their burst.
  var isHeard: Bool {
    guard connection.secondsAppended > 0 else { return false }
    if connection.secondsAppended >= settings.prebuffer { return true }
    let held = log.snapshot()
    return (held.edge.media - held.oldest.media).seconds >= settings.prebuffer
  }

  // MARK: Items

  /// Handles what one piece of the body brought.
  func receive(_ arrivals: Arrivals, at now: Moment) {
    var place = arrivals.place
    for item in arrivals.items {
      switch item {
      case .title(let title): receive(title)
      case .headers(let headers):
        connection.headers = headers
        station.linkBegins(at: now.monotonic)
      case .packet(let packet):
        receive(packet, arrivals.bytes.span.extracting(packet.range), from: place, at: now)
        place = place?.advanced(by: UInt64(packet.range.count))
      case .lost(let seconds): lose(seconds)
      }
    }
    decide(at: now)
  }

  /// Leaves out audio that cannot be carried.
  private func lose(_ seconds: Double) {
    connection.secondsReceived += seconds
    if case .direct = intake { station.lose(seconds) } else { held.lose(seconds) }
  }

  private func receive(_ title: Title) {
    speakers.spoke()
    if case .direct = intake { station.hear(title, from: .upstream) } else { held.append(title) }
  }

  private func receive(
    _ packet: PacketScanner.Packet, _ bytes: Span<UInt8>, from place: RelayPlace?, at now: Moment
  ) {
    speakers.arrived(bytes: bytes.count)
    connection.secondsReceived += packet.seconds
    let hash = packetHash(bytes)
    fileBegins.arrived(hash)
    let introPackets = intro.arrive(
      hash, seconds: packet.seconds,
      packetsMin: settings.stitch.settings(for: packet.format.codec).runMin, at: now.sinceBoot)
    if case .waiting = intake { open(packet.format, from: place, at: now) }
    if let introPackets { leaveOut(first: introPackets, before: packet.format) }
    guard case .stitching(var stitcher) = intake else {
      rest?.arrive(seconds: packet.seconds, at: now.sinceBoot)
      return append(
        bytes, packet, headers: connection.headers, hash: hash, place: place, at: now)
    }
    held.append(bytes, packet, hash: hash, headers: connection.headers, place: place)
    intake = .waiting  // so that the stitcher is not copied
    stitcher.arrive(hash, seconds: packet.seconds, at: now.sinceBoot)
    intake = .stitching(stitcher)
    joint?.arrive(hash, bytes.count, seconds: packet.seconds, at: now.sinceBoot)
    if stitcher.isExhausted || (held.isFull && !makeRoom(stitcher, at: now)) {
      decide(at: now, isFinal: true)
    }
  }

  /// Leaves out the intro, if it is still held: what is behind it is compared as if the connection began there.
  private func leaveOut(first packets: Int, before format: AudioFormat) {
    guard case .stitching = intake, let stitcher = makeStitcher(for: format, from: connection.url)
    else { return }
    held.begin(at: packets)
    intake = .stitching(stitcher)
  }

  /// Makes room among the held packets: a burst of FLAC may be too long to hold. Drops packets that will be dropped in
  /// any case.
  private func makeRoom(_ stitcher: Stitcher, at now: Moment) -> Bool {
    for isNearest in [false, true] {
      let known = stitcher.known(isNearest: isNearest, at: now.sinceBoot)
      guard known - held.forgotten > held.packets.count / 4 else { continue }
      dropKnown(0..<known)
      return true
    }
    return false
  }

  private func open(_ format: AudioFormat, from place: RelayPlace?, at now: Moment) {
    let isFileAgain = connection.isBehindFile && (format != station.format || fileBegins.isKnown)
    guard let stitcher = makeStitcher(for: format, from: connection.url), !isFileAgain else {
      _ = makeJoint(from: place)
      return flush(at: now)
    }
    intake = .stitching(stitcher)
    joint = makeJoint(from: place)
  }

  /// Makes a stitcher for the log's end; nil for an empty log.
  func makeStitcher(for format: AudioFormat, from url: String) -> Stitcher? {
    var source = connection.source
    source.hasPast = source.hasPast && !connection.isBehindFile
    // A connection that takes over began long ago.
    if url != connection.url { source.roundTrip = 0 }
    source.before = before
    return tail.stitcher(
      from: url, source, isSameFormat: format == station.format,
      settings: settings.stitch.settings(for: format.codec))
  }

  // MARK: The log

  /// Appends the held packets; what arrives then is appended directly.
  ///
  /// - Parameter besides: the number of first packets that are no part of the programme.
  func flush(besides: Int = 0, at now: Moment) {
    intake = .direct
    let items = held
    (held, joint) = (HeldItems(), nil)
    for (number, packet) in items.packets.enumerated() {
      if let title = packet.title { station.hear(title, from: .upstream) }
      if packet.lost > 0 { station.lose(packet.lost) }
      append(
        packet.bytes.span, packet.packet, headers: packet.headers,
        hash: number < besides ? nil : packet.hash, place: packet.place, at: now)
    }
    if let title = items.titleLeft { station.hear(title, from: .upstream) }
  }

  /// - Parameter hash: nil for a packet behind which no repeated audio goes on.
  private func append(
    _ bytes: Span<UInt8>, _ packet: PacketScanner.Packet, headers: OggHeaders?, hash: UInt32?,
    place: RelayPlace?, at now: Moment
  ) {
    tellGaps(upTo: place)
    if speakers.begins(with: bytes.count) { station.speakerChanges() }
    let isWritten = station.append(
      bytes, packet, headers: headers, place: hash == nil ? nil : place, isBesides: hash == nil,
      at: now.monotonic)
    guard isWritten else { return }
    let seconds = packet.seconds
    if let hash {
      tail.appended(
        hash, seconds: seconds, bytes: bytes.count, from: connection.url, at: now.sinceBoot)
    }
    brake.appended(
      seconds: seconds, bytes: bytes.count, isLive: connection.source.isLive, at: now.sinceBoot)
    connection.secondsAppended += seconds
  }

  // MARK: Titles from elsewhere

  /// Ignores the upstream's titles while the page's titles count.
  func overrule(_ isOverruled: Bool) { station.overrule(isOverruled) }

  /// Announces a title that did not come in the audio.
  func announce(_ title: Title, from origin: TitleTrack.Origin) {
    if origin == .request { speakers.spoke() }
    station.hear(title, from: origin)
  }

  // MARK: Brake

  /// Counts bytes that came besides packets, as `BesidesBrake` does.
  func received(besides count: Int, at now: Moment) {
    brake.received(besides: count, at: now.sinceBoot)
  }

  /// The seconds for which the transfer must pause; nil for no pause.
  func pause(at now: Moment) -> Double? {
    var held = 0.0
    if case .stitching(let stitcher) = intake { held = stitcher.newSecondsMax }
    return brake.pause(held: held, waitsForDisk: log.isWaitingForDisk, at: now.sinceBoot)
  }
}
