import Reactor
import Wire

/// One request to one URL of a station: a stream, a file, or a playlist.
final class PulledDelivery: BodyDelivery {
  /// The longest playlist, in bytes.
  static let playlistBytesMax = 256 * 1024

  private static let refusedTitles =
    "the upstream refuses requests for titles; icy: false asks for none at once"

  let askedURL: String
  weak var owner: (any UpstreamDeliveryOwner)?
  var transfer: Transfer?
  let body: AudioBody
  let silence: SilenceWatch
  private let pool: ReadingPool
  /// The text received so far; nil while the body is no text.
  private var text: [UInt8]?
  private var reading: ReadingTicket?

  /// Begins at once; the owner hears from a later turn of the loop.
  ///
  /// - Parameters:
  ///   - connectTimeout: the seconds for connecting.
  ///   - relayHeaders: the header lines by which relays know each other.
  init(
    _ entry: UpstreamList.Entry, by maker: DeliveryMaker, connectTimeout: Double,
    relayHeaders: [String], owner: any UpstreamDeliveryOwner, onStep: ((TransferStep) -> Void)?
  ) {
    let (settings, machinery) = (maker.settings, maker.machinery)
    askedURL = entry.url
    self.owner = owner
    body = maker.body()
    silence = maker.silence(beginningSecondsMax: machinery.oddities.playlistSecondsMax)
    pool = machinery.readingPool
    silence.onSilence = { [unowned self] in end(.timedOut(reason: $0)) }
    silence.begin(connectTimeout: connectTimeout)
    var request = TransferRequest(
      url: entry.url, userAgent: settings.userAgent, connectTimeout: connectTimeout)
    request.asksForTitles = settings.asksForTitles
    request.titleServers = maker.titles.servers
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

  var sourceURL: String { transfer?.url ?? askedURL }

  /// Some servers announce a length for endless streams.
  var isLive: Bool { headers?.contentLength == nil || headers?.isOfStation == true }

  var stitchSource: StitchSource {
    StitchSource(hasPast: isLive, roundTrip: transfer?.roundTrip ?? 0)
  }

  var remark: String? {
    body.remark ?? (transfer?.refusesTitles == true ? Self.refusedTitles : nil)
  }

  func transfer(_ transfer: any BodyTransfer, answered status: Int, fields: [TransferField]) {
    silence.answered()
    guard (200..<300).contains(status) else {
      return end(.status(status, retryAfter: UpstreamHeaders.retryAfter(in: fields)))
    }
    body.answered(fields)
  }

  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
    silence.heard()
    guard text != nil else { return read(piece) }
    body.count(piece.count)
    collect(piece.array)
  }

  func begins(with bytes: [UInt8], as kind: BodyKind) {
    switch kind {
    case .playlist:
      text = []
      collect(bytes)
    case .refusal(let status): end(.status(status))
    case .page: end(.notAudio(reason: "the answer is a web page"))
    case .audio: beginAudio(bytes)
    }
  }

  func bodyEnded() {
    if let text { return readPlaylist(text) }
    guard body.isAudio else { return end(.empty) }
    guard body.isWhole else {
      return end(.saidGoodbye(reason: "the upstream closed the connection"))
    }
    fileEnded()
  }

  // MARK: Playlist

  private func collect(_ piece: [UInt8]) {
    text?.append(contentsOf: piece)
    guard let text else { return }
    // The text was an unreadable head, with the audio behind it.
    guard BodyKind.mayBeText(piece, endingPlaylist: text) else {
      self.text = nil
      return beginAudio(text)
    }
    if text.count > Self.playlistBytesMax {
      end(.notAudio(reason: "the playlist is longer than 256 KiB"))
    }
  }

  private func readPlaylist(_ text: [UInt8]) {
    silence.pause()
    let answer = PlaylistAnswer(
      bytes: text, mediaType: headers?.mediaType, url: sourceURL, scope: transfer?.scope ?? .world)
    self.text = nil
    reading = pool.read(shownURL) { () -> UpstreamEnd in
      answer.end
    } then: { [unowned self] outcome in
      switch outcome {
      case .read(let end): self.end(end)
      case .givenUp(let reason): end(.notAudio(reason: "the playlist was not read: \(reason)"))
      }
    }
  }
}
