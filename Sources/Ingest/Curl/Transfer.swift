import CCurl
import Glibc
import Reactor
import Timeshift
import Wire

/// One GET on a `CurlMulti`: of a stream, a file, a playlist.
///
/// Made and used on the multi's loop. It can be cancelled from anywhere, its own callbacks included. Drops the body of
/// a response of 300 or more.
final class Transfer: BodyTransfer {
  /// The beginnings of good status lines, in any case.
  private static let goodStatusLines = ["ICY 200", "ICY/1.0 200", "ICE/1.0 200", "HTTP 200"]

  let handle = EasyHandle()
  var isEnded = false
  let multi: CurlMulti
  private weak var owner: (any TransferOwner)?
  /// The head of the last response.
  private var head = TransferHead()
  private var hasAnswered = false
  let request: TransferRequest
  var route: TransferRoute
  /// The redirect target for which the answer is abandoned.
  private var location: [UInt8]?
  /// Why the body is refused.
  private var refusal: String?
  /// The ticket, while the file of authorities is being read.
  private var reading: AuthorityTicket?
  private var hasAuthorities = false
  /// Why there are no authorities.
  private var authorityProblem: AuthorityError?
  /// Why there was no socket for the last address tried; nil if there was one.
  var shortage: String?
  /// Whether the body is read as it is, whatever Content-Encoding says.
  private var isTakenAsItIs = false
  /// Whether the server refused to be asked for ICY blocks.
  private var hasRefusedTitles = false
  /// Whether the answer is abandoned, to ask again without them.
  private var isRefusal = false
  private(set) var isPaused = false
  private(set) var bodyBytes = 0
  private var share = TurnShare()
  /// Whether the transfer waits for its next turn.
  private var isResting = false

  /// Begins at once; the owner hears from a later turn of the loop.
  init(_ request: TransferRequest, on multi: CurlMulti, owner: any TransferOwner) {
    self.multi = multi
    self.owner = owner
    self.request = request
    route = TransferRoute(request, scopes: multi.scopes)
    configure()
    begin()
  }

  /// The URL to which redirects have led.
  var url: String { route.url }
  var looksUpName: Bool { route.looksUpName }
  /// The scope of the address that answers.
  var scope: AddressScope { route.scope(of: handle.peer) }

  /// The round trip to the server, in seconds; 0 if unknown.
  ///
  /// Handshake and answer each take one, or longer: the shorter counts. Behind a proxy only the answer tells.
  var roundTrip: Double {
    let (handshake, answer) = handle.times
    let time = request.proxy == nil ? min(handshake, answer) : answer
    return max(0, min(Self.roundTripMax, time))
  }

  /// The longest round trip believed, in seconds: two satellites on the way.
  private static let roundTripMax = 2.0

  func cancel() {
    guard !isEnded else { return }
    reading = nil
    multi.end(self)
  }

  func pause() {
    isPaused = true
  }

  func resume() {
    guard isPaused, !isEnded else { return }
    isPaused = false
    if !isResting { multi.resume(self) }
  }

  /// Goes on in the next turn.
  func goOn() {
    isResting = false
    if !isPaused, !isEnded { multi.resume(self) }
  }

  func finish(_ result: CURLcode) {
    guard !isEnded else { return }
    if let location { return follow(location) }
    if isRefusal || isHungUp(result) { return askWithoutTitles() }
    if result == CURLE_BAD_CONTENT_ENCODING && bodyBytes == 0 && !isTakenAsItIs {
      // Some servers say "utf-8" or "audio/mpeg" of bodies that are not encoded at all.
      isTakenAsItIs = true
      head = TransferHead()
      handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
      return multi.start(self)
    }
    isEnded = true
    if result == CURLE_OK { answer() }
    owner?.transfer(self, ended: end(result))
  }

  // MARK: Titles

  private var asksForTitles: Bool {
    !request.isPage && request.asksForTitles && !hasRefusedTitles
  }

  /// Whether the server answers only requests that ask for no ICY blocks.
  var refusesTitles: Bool { hasRefusedTitles && hasAnswered }

  /// Whether the server closed without an answer, and has never answered a request for ICY blocks.
  private func isHungUp(_ result: CURLcode) -> Bool {
    guard [CURLE_GOT_NOTHING, CURLE_RECV_ERROR].contains(result), asksForTitles, !head.hasBegun,
      bodyBytes == 0, let origin = route.origin
    else { return false }
    return request.titleServers?.contains(origin) != true
  }

  private func askWithoutTitles() {
    (hasRefusedTitles, isRefusal) = (true, false)
    head = TransferHead()
    aim()
    multi.start(self)
  }

  /// Fails the transfer: too few descriptors are left to begin.
  func refuse() {
    shortage = Shortage.reason(EMFILE)
    finish(CURLE_COULDNT_CONNECT)
  }

  /// Follows a redirect. libcurl does not: it would send the station's header lines to any server, and could not be
  /// asked where it goes.
  private func follow(_ location: [UInt8]) {
    self.location = nil
    head = TransferHead()
    guard route.follow(location, from: scope) else {
      isEnded = true
      return owner?.transfer(self, ended: end(CURLE_COULDNT_CONNECT)) ?? ()
    }
    request.onStep?(.redirected(to: route.url))
    begin()
  }

  /// Sends the request, once the authorities it needs have been read.
  private func begin() {
    aim()
    guard let path = missingAuthorities, let reader = multi.authorities else {
      return multi.start(self)
    }
    reading = reader.read(path, within: request.connectTimeout) { [weak self] in self?.trust($0) }
  }

  /// The path of the authorities' file if this hop still needs it. Plain HTTP, or a request that trusts all servers,
  /// needs none.
  private var missingAuthorities: String? {
    guard !hasAuthorities, request.verifyTLS, route.origin?.scheme == "https" else { return nil }
    return request.caFile
  }

  private func trust(_ file: AuthorityReader.Outcome) {
    guard !isEnded else { return }
    reading = nil
    do throws(AuthorityError) {
      guard handle.trust(try file.get()) else {
        throw .unusable(request.caFile ?? "", "libcurl does not take it")
      }
      hasAuthorities = true
      multi.start(self)
    } catch {
      authorityProblem = error
      finish(CURLE_SSL_CACERT_BADFILE)
    }
  }

  /// Sets the options that depend on the URL.
  private func aim() {
    handle.set(CURLOPT_URL, route.url)
    var own = route.origin.map(request.headerOrigins.contains) ?? false ? request.headers : []
    if route.origin == URLText.origin(request.url) { own = request.listHeaders + own }
    let titles = asksForTitles ? ["Icy-MetaData: 1"] : []
    handle.setHeaders(titles + ["Accept: */*"] + own + request.relayHeaders)
    if route.ignoresProxyExceptions { handle.set(CURLOPT_NOPROXY, "") }
  }

  private func configure() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_USERAGENT, request.userAgent)
    if let proxy = request.proxy { handle.set(CURLOPT_PROXY, proxy) }
    handle.setOpenSocket(context) { context, _, address in
      Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue().open(address)
    }
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.milliseconds)
    // Ending a transfer does not wait for the thread that still looks up its name: a name server may be silent for
    // long.
    handle.set(CURLOPT_QUICK_EXIT, 1)
    handle.set(CURLOPT_TCP_KEEPALIVE, 1)
    // A user in the URL is sent at once, to the host of that URL only.
    handle.set(CURLOPT_HTTPAUTH, CCURL_AUTH_BASIC)
    handle.set(CURLOPT_SSL_VERIFYPEER, request.verifyTLS ? 1 : 0)
    handle.set(CURLOPT_SSL_VERIFYHOST, request.verifyTLS ? 2 : 0)
    // A server chooses the size of finite-field Diffie-Hellman numbers: 10,000 bits take 0.7 s of this thread.
    handle.set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:!kDHE")
    // SHOUTcast's status line, and its imitations. Without these aliases HTTP09_ALLOWED would give such a head as body.
    handle.setHTTP200Aliases(Self.goodStatusLines)
    // Some servers promise to keep a connection and never answer on it again.
    handle.set(CURLOPT_FORBID_REUSE, 1)
    // HTTP/0.9 is a body and nothing before it. A page of that kind could be any service's first line.
    handle.set(CURLOPT_HTTP09_ALLOWED, request.isPage ? 0 : 1)
    // A page that comes compressed unasked is unpacked, up to its owner's limit. A stream has no limit, and is left as
    // it is.
    if request.isPage {
      handle.set(CURLOPT_ACCEPT_ENCODING, "identity")
    } else {
      handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    }
    // Some servers redirect to themselves until their cookie comes back.
    handle.set(CURLOPT_COOKIEFILE, "")
    handle.set(CURLOPT_HEADERDATA, context)
    handle.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue().receive(header: line)
    }
    handle.set(CURLOPT_WRITEDATA, context)
    handle.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue().receive(body: piece)
    }
  }

  /// Receives one header line with its line end; the status line and the blank one too.
  private func receive(header line: UnsafeRawBufferPointer) -> Int {
    if isEnded { return 0 }
    switch head.read(line) {
    case .status, .field: break
    case .excess(let reason):
      refusal = reason
      return 0
    case .end:
      // A result of 0 makes curl end the transfer: a redirect's body is unwanted, and may be endless.
      if status >= 300, let leading { location = leading }
      if status == 400, asksForTitles {
        isRefusal = true
        return 0
      }
      if status >= 200 { refusal = Packing(head.fields).refusal(isPage: request.isPage) }
      if location != nil || refusal != nil { return 0 }
      if isFinal { answer() }
    }
    return isEnded ? 0 : line.count
  }

  /// Whether the response is neither an interim one nor a redirect.
  private var isFinal: Bool { status >= 200 && location == nil }

  /// The target of a redirect; a 304 is none, whatever it says.
  private var leading: [UInt8]? {
    guard (300..<400).contains(status), status != 304 else { return nil }
    return head["location"]
  }

  /// Whether the body came without a head.
  private var isBare: Bool { !head.hasBegun }

  private var status: Int { isBare ? 200 : handle.status }

  private func receive(body piece: UnsafeRawBufferPointer) -> Int {
    if isEnded { return 0 }
    if isPaused || !takesMore { return Int(CURL_WRITEFUNC_PAUSE) }
    // Only the fields of a redirect can be left in the head.
    if isBare { head.removeFields() }
    guard isFinal else { return piece.count }
    answer()
    bodyBytes += piece.count
    share.took(piece.count)
    guard !isEnded, (200..<300).contains(status) else { return isEnded ? 0 : piece.count }
    owner?.transfer(self, delivered: piece.bindMemory(to: UInt8.self).span)
    // A result of 0 makes curl end the transfer; its owner hears nothing of that.
    return isEnded ? 0 : piece.count
  }

  /// Whether the transfer has not had its share of this turn.
  ///
  /// libcurl would read on as long as there is data, up to 100 times, while all other stations wait. A page is short,
  /// by its owner's limit.
  private var takesMore: Bool {
    if request.isPage || share.hasLeft(in: multi.turn) { return true }
    if !isResting { multi.rest(self) }
    isResting = true
    return false
  }

  private func answer() {
    guard !hasAnswered else { return }
    hasAnswered = true
    if asksForTitles, (200..<300).contains(status), let origin = route.origin {
      request.titleServers?.note(origin)
    }
    request.onStep?(.connected(seconds: max(0, handle.times.handshake)))
    owner?.transfer(self, answered: status, fields: head.fields)
    head.removeFields()
  }

  private static let waysToTrust =
    "if it is the right one, name it in the station's ca-file:, or write verify-tls: false"

  private func end(_ result: CURLcode) -> TransferEnd {
    if let refusal { return .failed(reason: refusal) }
    return switch result {
    case CURLE_COULDNT_CONNECT where route.refusal ?? shortage != nil:
      .failed(reason: route.refusal ?? shortage ?? "")
    // Looking up a name needs descriptors, too.
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_FAILED_INIT:
      .failed(reason: Shortage.now ?? handle.reason(result))
    case CURLE_SSL_CACERT_BADFILE where request.caFile != nil:
      .failed(reason: "ca-file: \(authorityProblem ?? .noCertificate(request.caFile ?? ""))")
    case CURLE_PEER_FAILED_VERIFICATION where handle.isIssuerUnknown:
      .failed(reason: "\(handle.reason(result)); \(Self.waysToTrust)")
    case CURLE_OK: .complete
    case CURLE_PARTIAL_FILE: .cut
    case CURLE_OPERATION_TIMEDOUT: .timedOut(reason: handle.reason(result))
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      .failed(reason: "not an HTTP or ICY 200 answer (\(handle.reason(result)))")
    case CURLE_RECV_ERROR where bodyBytes > 0: .cut
    default: .failed(reason: handle.reason(result))
    }
  }
}
