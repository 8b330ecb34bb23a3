import CCurl
import Timeshift

/// Why a request got no reply.
public struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// No server listens at the address.
    case unreachable
    case timedOut
    /// No trusted authority vouches for the server's certificate.
    case untrusted
    /// The URL says https, and the server speaks http.
    case withoutTLS
    /// The head or the body is longer than the caller accepts.
    case tooLong
    case other
  }

  public var kind: Kind
  /// A sentence about the failure, without the URL's credentials.
  public var reason: String
  public var description: String { reason }
}

/// A reply, whatever its status.
public struct FetchReply: Hashable, Sendable {
  /// One header line.
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String
  }

  public var status: Int
  public var fields: [Field]
  /// The body; empty if it was streamed.
  public var body: [UInt8]

  /// The value of the first field with that name, in any case.
  public subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Makes single HTTP requests that block their thread: for command-line clients, never on a loop.
///
/// Redirects are not followed. Several threads may make requests at once.
public enum Fetch {
  /// The most bytes of a trusted server's reply: one that is read whole is a page of JSON, not a recording.
  public static let bytesMax = 64 << 20
  /// The most bytes of a head, including interim replies before it.
  static let headBytesMax = 64 << 10
  /// The most bytes read of an unwanted body. It is read because some services stop working when a client stops
  /// listening.
  static let unreadBytesMax = 64 << 10

  /// Sends a request and reads the whole reply, with `timeout` seconds for all of it.
  ///
  /// - Parameters:
  ///   - bytesMax: the most bytes of the body; more is an error.
  ///   - unixSocket: the path of a Unix socket to connect to in place of the URL's host.
  ///   - caFile: the path of a PEM file of the authorities to trust in place of the system's.
  ///   - isInsecure: whether any certificate is taken.
  ///   - headers: lines of the form `Name: value`.
  public static func request(
    url: String, unixSocket: String? = nil, caFile: String? = nil, isInsecure: Bool = false,
    method: String = "GET", headers: [String] = [], body: [UInt8]? = nil, bytesMax: Int = bytesMax,
    timeout: Double = 30
  ) throws(FetchError) -> FetchReply {
    let call = FetchCall(bytesMax: bytesMax, onHead: { _ in true }, onData: nil)
    call.configure(url, unixSocket, method, headers, body)
    try call.trust(caFile, at: url, isInsecure)
    call.handle.set(CURLOPT_TIMEOUT_MS, timeout.milliseconds)
    return try call.perform()
  }

  /// Sends a request for the reply's status and fields. Reads at most 64 KiB of the body, and discards them.
  public static func head(
    ofReplyTo url: String, method: String, headers: [String], body: [UInt8], timeout: Double
  ) throws(FetchError) -> FetchReply {
    var taken = 0
    let call = FetchCall(
      bytesMax: 0, onHead: { _ in true },
      onData: { piece in
        taken += piece.count
        return taken < unreadBytesMax
      })
    call.configure(url, nil, method, headers, body)
    call.handle.set(CURLOPT_TIMEOUT_MS, timeout.milliseconds)
    return try call.perform()
  }

  /// Sends a request and hands over the body as it comes, for as long as it comes.
  ///
  /// `onHead` gets the reply without its body; `onData` a piece of the body, valid during the call. Returning false
  /// ends the request without an error.
  ///
  /// - Parameter timeout: the seconds until the reply's head is there; after that there is no limit.
  public static func stream(
    url: String, unixSocket: String? = nil, caFile: String? = nil, isInsecure: Bool = false,
    method: String = "GET", headers: [String] = [], body: [UInt8]? = nil, timeout: Double = 30,
    onHead: (FetchReply) -> Bool = { _ in true }, onData: (Span<UInt8>) -> Bool
  ) throws(FetchError) -> FetchReply {
    // The closures are used during this call only.
    try withoutActuallyEscaping(onHead) { onHead throws(FetchError) in
      try withoutActuallyEscaping(onData) { onData throws(FetchError) in
        let call = FetchCall(bytesMax: 0, onHead: onHead, onData: onData)
        call.configure(url, unixSocket, method, headers, body)
        try call.trust(caFile, at: url, isInsecure)
        call.handle.set(CURLOPT_CONNECTTIMEOUT_MS, timeout.milliseconds)
        call.endWithoutHead(after: timeout)
        call.handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        return try call.perform()
      }
    }
  }
}

/// One request of `Fetch` while it runs. The corresponding C function is `curl_easy_perform`.
private final class FetchCall {
  let handle = EasyHandle()
  /// The most bytes of a body that is kept.
  private let bytesMax: Int
  private let onHead: (FetchReply) -> Bool
  private let onData: ((Span<UInt8>) -> Bool)?
  private var reply = FetchReply(status: 0, fields: [], body: [])
  private var hasHead = false
  private var isEnded = false
  private var isTooLong = false
  /// The time by which the head must be there.
  private var headDeadline: MonotonicTime?
  private var isLate = false
  private var headBytes = 0
  private var caFile: String?

  init(
    bytesMax: Int, onHead: @escaping (FetchReply) -> Bool, onData: ((Span<UInt8>) -> Bool)?
  ) {
    self.bytesMax = bytesMax
    self.onHead = onHead
    self.onData = onData
  }

  func configure(
    _ url: String, _ unixSocket: String?, _ method: String, _ headers: [String], _ body: [UInt8]?
  ) {
    handle.set(CURLOPT_URL, url)
    if let unixSocket { handle.set(CURLOPT_UNIX_SOCKET_PATH, unixSocket) }
    // Without an `Expect` header there is no round trip for 100 Continue.
    handle.setHeaders(headers + ["Expect:"])
    if let body { handle.setBody(body) }
    if method == "HEAD" { handle.set(CURLOPT_NOBODY, 1) }
    handle.set(CURLOPT_CUSTOMREQUEST, method)
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_HEADERDATA, context)
    handle.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return Unmanaged<FetchCall>.fromOpaque(context!).takeUnretainedValue().receive(header: line)
    }
    handle.set(CURLOPT_WRITEDATA, context)
    handle.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return Unmanaged<FetchCall>.fromOpaque(context!).takeUnretainedValue().receive(body: piece)
    }
  }

  /// Says whose certificates are trusted. Reads the authorities' file, if the URL needs one.
  func trust(_ caFile: String?, at url: String, _ isInsecure: Bool) throws(FetchError) {
    if isInsecure {
      handle.set(CURLOPT_SSL_VERIFYPEER, 0)
      handle.set(CURLOPT_SSL_VERIFYHOST, 0)
    }
    guard !isInsecure, let caFile, url.lowercased().hasPrefix("https:") else { return }
    self.caFile = caFile
    do throws(AuthorityError) {
      guard handle.trust(try AuthorityFile.read(caFile, takesPipes: true)) else {
        throw .unusable(caFile, "libcurl does not take it")
      }
    } catch {
      throw FetchError(kind: .other, reason: error.description)
    }
  }

  func endWithoutHead(after seconds: Double) {
    headDeadline = .now().adding(seconds)
    handle.setProgress(Unmanaged.passUnretained(self).toOpaque()) { context, _, _, _, _ in
      Unmanaged<FetchCall>.fromOpaque(context!).takeUnretainedValue().becomesLate() ? 1 : 0
    }
  }

  private func becomesLate() -> Bool {
    if let headDeadline, !hasHead, MonotonicTime.now() >= headDeadline { isLate = true }
    return isLate
  }

  func perform() throws(FetchError) -> FetchReply {
    let result = curl_easy_perform(handle.raw)
    if isLate { throw FetchError(kind: .timedOut, reason: tooSlow) }
    if isTooLong { throw FetchError(kind: .tooLong, reason: tooLong) }
    if isEnded { return reply }
    switch result {
    case CURLE_OK: return reply
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST:
      throw FetchError(kind: .unreachable, reason: handle.reason(result))
    case CURLE_OPERATION_TIMEDOUT:
      throw FetchError(kind: .timedOut, reason: tooSlow)
    case CURLE_PEER_FAILED_VERIFICATION where handle.isIssuerUnknown:
      throw FetchError(kind: .untrusted, reason: handle.reason(result))
    case _ where handle.isWithoutTLS(result):
      throw FetchError(kind: .withoutTLS, reason: "the server answers without TLS")
    case CURLE_SSL_CACERT_BADFILE where caFile != nil:
      throw FetchError(kind: .other, reason: AuthorityError.noCertificate(caFile ?? "").description)
    default: throw FetchError(kind: .other, reason: handle.reason(result))
    }
  }

  private var tooSlow: String { "the request took too long" }

  private var tooLong: String {
    if headBytes > Fetch.headBytesMax {
      return "the head of the reply is longer than \(Fetch.headBytesMax >> 10) KiB"
    }
    return "the reply is longer than \(bytesMax >> 20) MiB"
  }

  private func receive(header line: UnsafeRawBufferPointer) -> Int {
    headBytes += line.count
    guard headBytes <= Fetch.headBytesMax else {
      isTooLong = true
      return 0
    }
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      // An interim response may have come before.
      reply.fields.removeAll()
    } else if let colon = text.firstIndex(of: ":") {
      let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        .prefix { !$0.isNewline }
      reply.fields.append(FetchReply.Field(name: String(text[..<colon]), value: String(value)))
    } else if text == "\r\n" || text == "\n", handle.status >= 200 {
      reply.status = handle.status
      if !hasHead && !onHead(reply) { isEnded = true }
      hasHead = true
    }
    return isEnded ? 0 : line.count
  }

  private func receive(body piece: UnsafeRawBufferPointer) -> Int {
    if let onData {
      isEnded = !onData(piece.bindMemory(to: UInt8.self).span)
    } else if reply.body.count + piece.count > bytesMax {
      isTooLong = true
    } else {
      reply.body.append(contentsOf: piece)
    }
    return isEnded || isTooLong ? 0 : piece.count
  }
}
