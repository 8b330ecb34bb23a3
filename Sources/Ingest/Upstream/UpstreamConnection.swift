import Reactor
import Timeshift
import Wire

/// Receives a connection's events; none after `ended`.
protocol UpstreamConnectionOwner: AnyObject {
  /// Called when an upstream has answered, and not with a playlist.
  func connection(_ connection: UpstreamConnection, opened headers: UpstreamHeaders)
  /// Called with what new bytes brought; it may be empty.
  func connection(_ connection: UpstreamConnection, delivered arrivals: Arrivals)
  func connection(_ connection: UpstreamConnection, ended end: UpstreamEnd)
}

/// One request to one URL of a station, from connect to end: a stream, a file, or a playlist. Also the connection of a
/// source, and one run of a program.
///
/// Lives on the ingest loop. It has its own timer for silence: libcurl's low-speed limit averages, and is 6 s late.
final class UpstreamConnection: TransferOwner {
  /// The longest playlist, in bytes.
  static let playlistBytesMax = 256 * 1024

  private enum Phase {
    case asking
    /// The first bytes, until they tell a playlist from audio.
    case sniffing([UInt8])
    /// Text, of which `collected` has what has come.
    case playlist
    /// The text is whole and is being read.
    case reading
    case audio
    case over
  }

  let askedURL: String
  weak var owner: (any UpstreamConnectionOwner)?
  private(set) var headers: UpstreamHeaders?
  private var received: UInt64 = 0
  /// How long the upstream asks to be left alone, in seconds; a date in place of seconds is ignored.
  private(set) var retryAfter: Double?
  private let settings: UpstreamSettings
  private let titles: TitleReader
  private let desk: ReadingDesk?
  private let playlistSecondsMax: Double
  private var reading: ReadingTicket?
  private var collected: [UInt8] = []
  private var askedAt = MonotonicTime.now()
  private var transfer: (any BodyTransfer)?
  /// Whether this is a source that pushes.
  let isPush: Bool
  /// The program whose output this is; nil for what comes over the network.
  private let program: ProgramCall?
  /// The source's address; nil for pulled upstreams, and for a source on this machine by the Unix socket.
  let peer: SocketAddress?
  private var phase = Phase.asking
  private var pipeline: Pipeline
  private var silence: LoopTimer?
  private var heardAt = MonotonicTime.now()
  private var packetWatch: PacketWatch

  init(
    _ entry: UpstreamList.Entry, settings: UpstreamSettings, titles: TitleReader,
    connectTimeout: Double, relayHeaders: [String] = [], machinery: IngestMachinery,
    owner: any UpstreamConnectionOwner,
    onStep: ((TransferStep) -> Void)? = nil
  ) {
    askedURL = entry.url
    desk = machinery.desk
    playlistSecondsMax = machinery.oddities.playlistSecondsMax
    isPush = false
    // No playlist can name a program.
    program = settings.program.flatMap {
      entry.lead == nil && entry.url == UpstreamSettings.shownURL(of: $0) ? $0 : nil
    }
    peer = nil
    self.settings = settings
    self.titles = titles
    pipeline = Pipeline(metaint: nil, hint: nil, titles: titles)
    self.owner = owner
    packetWatch = PacketWatch(dataTimeout: settings.dataTimeout)
    makeSilence(machinery.clock)
    silence?.set(after: connectTimeout + settings.dataTimeout)
    if let program {
      transfer =
        settings.encode.map {
          EncodedTransfer(program, $0, machinery: machinery, owner: self, onStep: onStep)
        } ?? ProgramTransfer(program, machinery: machinery, owner: self, onStep: onStep)
      return
    }
    var request = TransferRequest(
      url: entry.url, userAgent: settings.userAgent, connectTimeout: connectTimeout)
    request.asksForTitles = settings.asksForTitles
    request.titleServers = titles.servers
    (request.headers, request.listHeaders) = (settings.requestHeaders, entry.headers)
    request.headerOrigins = Set(settings.urls.compactMap(URLText.origin))
    request.relayHeaders = relayHeaders
    request.lead = entry.lead
    request.allowsPrivate = settings.allowsPrivate
    request.proxy = settings.proxy
    request.verifyTLS = settings.verifyTLS
    request.caFile = settings.caFile
    request.onStep = onStep
    transfer = Transfer(request, on: machinery.multi, owner: self)
  }

  /// Makes the connection of a source that pushes. Nothing happens before `start`.
  init(
    _ source: PushSource, settings: UpstreamSettings, titles: TitleReader, loop: EventLoop,
    clock: LoopClock, owner: any UpstreamConnectionOwner
  ) {
    askedURL = PushSource.url
    desk = nil
    playlistSecondsMax = .infinity
    isPush = true
    program = nil
    peer = source.peer
    self.settings = settings
    self.titles = titles
    pipeline = Pipeline(metaint: nil, hint: nil, titles: titles)
    self.owner = owner
    packetWatch = PacketWatch(dataTimeout: settings.dataTimeout)
    makeSilence(clock)
    transfer = PushTransfer(source, on: loop, owner: self)
  }

  private func makeSilence(_ clock: LoopClock) {
    silence = LoopTimer(clock) { [unowned self] in silenceFired() }
    silence?.onStandstill = { [unowned self] in bear($0) }
  }

  /// Whether this is a source's connection that is still there, or has not been started.
  var holdsPlace: Bool { isPush && (transfer as? PushTransfer)?.isOver != true }

  func start() {
    // A source that has logged in may still have to send its fields.
    silence?.set(after: settings.dataTimeout)
    (transfer as? PushTransfer)?.start()
  }

  var bodyBytes: BodyBytes { BodyBytes(received: received, skipped: pipeline.bytesSkipped) }

  /// Whether the upstream delivers in real time. A file comes as it may, and an encoder that pushes may pause.
  ///
  /// Some servers announce a length for endless streams.
  var isLive: Bool { !isPush && (headers?.contentLength == nil || headers?.isOfStation == true) }

  /// The URL that the bytes come from, behind all redirects.
  var sourceURL: String { transfer?.url ?? askedURL }

  var stitchSource: StitchSource {
    StitchSource(hasPast: isLive, mayPause: isPush, roundTrip: transfer?.roundTrip ?? 0)
  }

  /// What is odd about the upstream while it plays; nil for nothing.
  var remark: String? { Remark.of(pipeline, transfer) }

  /// The URL for events and people, without user and password.
  var shownURL: String { URLText.withoutCredentials(askedURL) }

  func cancel() {
    phase = .over
    silence = nil
    reading = nil
    transfer?.cancel()
    transfer = nil
  }

  func pause() {
    transfer?.pause()
    silence?.cancel()
  }

  func resume() {
    guard transfer?.isPaused == true else { return }
    heardAt = .now()
    packetWatch.resume(at: heardAt)
    silence?.set(after: settings.dataTimeout)
    transfer?.resume()
  }

  // MARK: From the transfer

  func transfer(_ transfer: any BodyTransfer, answered status: Int, fields: [TransferField]) {
    heard()
    silence?.set(after: settings.dataTimeout)
    guard (200..<300).contains(status) else {
      retryAfter = UpstreamHeaders.retryAfter(in: fields)
      return end(.status(status))
    }
    headers = UpstreamHeaders(fields, text: titles.texts.text)
    phase = .sniffing([])
  }

  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
    heard()
    received += UInt64(piece.count)
    switch phase {
    case .sniffing(let before): sniff(before + copy(piece))
    case .playlist: collect(copy(piece))
    case .audio: feed(piece)
    case .asking, .reading, .over: break
    }
  }

  func transfer(_ transfer: any BodyTransfer, ended end: TransferEnd) {
    switch end {
    case .complete: bodyIsOver()
    case .cut: self.end(.disconnected(reason: "the connection was lost"))
    case .timedOut(let reason): self.end(.timedOut(reason: reason))
    case .failed(let reason):
      let isHopeless = program != nil && pipeline.packets == 0
      self.end(isHopeless ? .hopeless(reason: reason) : .failed(reason: reason))
    }
  }

  private static let sourceHasGone = "the source has gone"

  private func bodyIsOver() {
    if case .sniffing(let bytes) = phase, !bytes.isEmpty { decide(bytes) }
    switch phase {
    case .asking where program != nil, .sniffing where program != nil:
      end(.hopeless(reason: "\(program?.name ?? "the program") ended and wrote nothing"))
    // A source that ends without audio may come again: nothing is wrong with the station.
    case .asking, .sniffing: end(isPush ? .disconnected(reason: Self.sourceHasGone) : .empty)
    case .playlist: readPlaylist()
    case .audio: audioIsOver()
    case .reading, .over: break
    }
  }

  private func audioIsOver() {
    guard program != nil || headers?.contentLength.map({ received >= $0 }) == true else {
      return end(
        .saidGoodbye(
          reason: isPush ? Self.sourceHasGone : "the upstream closed the connection"))
    }
    // A short file may never have gained sync: with its end known, fewer headers are enough.
    let arrivals = pipeline.finish()
    if !arrivals.isEmpty { owner?.connection(self, delivered: arrivals) }
    end(pipeline.packets > 0 ? .fileComplete : noAudio("no audio in the body"))
  }

  // MARK: Playlist or audio

  private func sniff(_ bytes: [UInt8]) {
    if bytes.count < BodyKind.sniffedBytes {
      phase = .sniffing(bytes)
    } else {
      decide(bytes)
    }
  }

  private func decide(_ bytes: [UInt8]) {
    let kind = BodyKind(
      bytes, mediaType: headers?.mediaType, url: transfer?.url ?? askedURL,
      isForced: settings.type != nil)
    if let coding = headers?.coding, bytes.starts(with: [0x1F, 0x8B]) {
      return end(.notAudio(reason: "the answer is packed (\(coding)), which nobody asked for"))
    }
    switch kind {
    case .audio where Unplayed.container(bytes, from: program) != nil:
      end(.notAudio(reason: Unplayed.container(bytes, from: program) ?? ""))
    case .playlist where program != nil, .page where program != nil, .refusal where program != nil:
      end(.notAudio(reason: "the program writes text and no audio"))
    case .playlist where isPush:
      end(.notAudio(reason: "a source sends audio, not the address of some"))
    case .playlist:
      collect(bytes)
    case .refusal(let status):
      end(.status(status))
    case .page:
      end(.notAudio(reason: "the answer is a web page"))
    case .audio: beginAudio(bytes)
    }
  }

  private func beginAudio(_ bytes: [UInt8]) {
    phase = .audio
    packetWatch.resume(at: .now())
    let headers = headers
    pipeline = Pipeline(
      metaint: headers?.metaint, hint: settings.type?.codec ?? headers?.codecHint,
      isForced: settings.type != nil, titles: titles, place: headers?.relay?.place)
    if let headers { owner?.connection(self, opened: headers) }
    feed(bytes.span)
  }

  private func collect(_ piece: [UInt8]) {
    collected += piece
    // The text was an unreadable head, with the audio behind it.
    guard BodyKind.mayBeText(piece, endingPlaylist: collected) else {
      let bytes = collected
      collected = []
      return beginAudio(bytes)
    }
    phase = .playlist
    if collected.count > Self.playlistBytesMax {
      end(.notAudio(reason: "the playlist is longer than 256 KiB"))
    }
  }

  private func readPlaylist() {
    guard let desk else { return end(.empty) }
    phase = .reading
    silence?.cancel()
    let answer = PlaylistAnswer(
      bytes: collected, mediaType: headers?.mediaType, url: transfer?.url ?? askedURL,
      scope: transfer?.scope ?? .world)
    collected = []
    reading = desk.read(shownURL) { () -> UpstreamEnd in
      answer.end
    } then: { [unowned self] outcome in
      switch outcome {
      case .read(let end): self.end(end)
      case .givenUp(let reason): end(.notAudio(reason: "the playlist is left: \(reason)"))
      }
    }
  }

  private func feed(_ piece: Span<UInt8>) {
    guard case .audio = phase else { return }
    let arrivals = pipeline.feed(piece)
    packetWatch.came(
      bytes: piece.count, hasPackets: arrivals.hasPackets, isOgg: pipeline.isOgg, at: heardAt)
    owner?.connection(self, delivered: arrivals)
    if case .audio = phase, pipeline.isOutOfStep {
      end(.disconnected(reason: "the upstream has lost the places of its title blocks"))
    }
    if case .audio = phase, pipeline.isBad {
      let wanted = settings.type.map { "\($0.rawValue)" } ?? "audio"
      end(noAudio("\(pipeline.barrenBytes) without an \(wanted) frame"))
    }
  }

  private func noAudio(_ reason: String) -> UpstreamEnd {
    let foreign = ForeignContainer(of: pipeline.beginning, mediaType: headers?.mediaType)
    return .notAudio(reason: foreign?.reason ?? reason)
  }

  // MARK: Silence and end

  private func heard() {
    heardAt = .now()
  }

  /// Seconds to the next look: not all that came meanwhile is seen in the first turn.
  private static let secondLook = 1.0

  /// Forgives `seconds` in which the loop stood still: what came meanwhile has not been looked at.
  private func bear(_ seconds: Double) {
    heardAt = heardAt.adding(seconds)
    askedAt = askedAt.adding(seconds)
    packetWatch.bear(seconds)
    silence?.putOff(by: seconds, least: Self.secondLook)
  }

  private func silenceFired() {
    let wait = settings.dataTimeout - MonotonicTime.now().seconds(since: heardAt)
    switch phase {
    case .asking: end(.timedOut(reason: "no answer"))
    case .over: break
    case .reading: break
    case .sniffing, .playlist:
      if MonotonicTime.now().seconds(since: askedAt) > playlistSecondsMax {
        return end(.timedOut(reason: "no whole playlist within \(playlistSecondsMax) s"))
      }
      waitOn(wait)
    case .audio:
      let patience = packetWatch.left(at: .now())
      if wait > 0.001 && patience <= 0.001 { return end(.timedOut(reason: PacketWatch.reason)) }
      waitOn(min(wait, patience))
    }
  }

  /// Sets the timer again, only when it has fired and not with every piece; ends the connection if no time is left.
  private func waitOn(_ seconds: Double) {
    if seconds > 0.001 { return silence?.set(after: seconds) ?? () }
    end(.timedOut(reason: "no data for \(settings.dataTimeout) s"))
  }

  private func end(_ end: UpstreamEnd) {
    if case .over = phase { return }
    cancel()
    owner?.connection(self, ended: end)
  }

  private func copy(_ piece: Span<UInt8>) -> [UInt8] { piece.withUnsafeBufferPointer { Array($0) } }
}
