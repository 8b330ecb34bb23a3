import CCurl
import Glibc
import Reactor
import Wire

/// One libcurl easy handle and the lists it points to; freed together.
///
/// With `CurlMulti`, `Transfer` and `Fetch` this is all code that calls libcurl: C inside, the project's words outside.
/// libcurl copies every string it is given. The corresponding C functions are `curl_easy_init`, `curl_easy_setopt`,
/// `curl_easy_cleanup`.
final class EasyHandle {
  let raw: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var aliases: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>

  init() {
    curlIsReady
    guard let raw = curl_easy_init() else { preconditionFailure("no memory for a curl handle") }
    self.raw = raw
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
    // Otherwise curl raises SIGALRM for name resolution, and its SIGPIPE handling fails in threads.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
  }

  deinit {
    curl_easy_cleanup(raw)
    curl_slist_free_all(headers)
    curl_slist_free_all(aliases)
    errorText.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) {
    let result = ccurl_set_long(raw, option, value)
    precondition(result == CURLE_OK, "libcurl refused option \(option.rawValue)")
  }

  /// Sets an option to a string. False: libcurl does not take the value.
  @discardableResult
  func set(_ option: CURLoption, _ value: String) -> Bool {
    ccurl_set_string(raw, option, value) == CURLE_OK
  }

  func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer?) {
    ccurl_set_pointer(raw, option, pointer)
  }

  func set(_ option: CURLoption, _ function: @escaping ccurl_data_function) {
    ccurl_set_data_function(raw, option, function)
  }

  /// Trusts only these authorities, in PEM. False: libcurl does not take them.
  func trust(_ authorities: [UInt8]) -> Bool {
    // Otherwise the authorities of the system's folder would count as well.
    set(CURLOPT_CAPATH, nil)
    return authorities.withUnsafeBytes { bytes in
      ccurl_set_copied_blob(raw, CURLOPT_CAINFO_BLOB, bytes.baseAddress, bytes.count) == CURLE_OK
    }
  }

  /// Sets the request headers, each `Name: value`, in place of those set before. Not while a request runs.
  func setHeaders(_ lines: [String]) {
    let old = headers
    headers = nil
    for line in lines { headers = curl_slist_append(headers, line) }
    ccurl_set_list(raw, CURLOPT_HTTPHEADER, headers)
    curl_slist_free_all(old)
  }

  /// Sets the function that makes the sockets; it returns -1 to forbid an address.
  func setOpenSocket(
    _ context: UnsafeMutableRawPointer, _ function: @escaping curl_opensocket_callback
  ) {
    let result = ccurl_set_open_socket_function(raw, function, context)
    precondition(result == CURLE_OK, "libcurl refused a function")
  }

  /// Sets the function called at least once a second while a request runs; a result other than 0 ends the request.
  func setProgress(
    _ context: UnsafeMutableRawPointer, _ function: @escaping curl_xferinfo_callback
  ) {
    let result = ccurl_set_progress_function(raw, function, context)
    precondition(result == CURLE_OK, "libcurl refused a function")
  }

  /// Sets the status lines that count as `HTTP/1.0 200 OK`. Called once.
  func setHTTP200Aliases(_ lines: [String]) {
    for line in lines { aliases = curl_slist_append(aliases, line) }
    ccurl_set_list(raw, CURLOPT_HTTP200ALIASES, aliases)
  }

  /// Sets a request body, which libcurl copies.
  func setBody(_ body: [UInt8]) {
    set(CURLOPT_POSTFIELDSIZE, body.count)
    body.withUnsafeBytes { bytes in
      // An empty array has no address, and without an address curl would read from stdin.
      withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { none in
        let start = bytes.baseAddress ?? UnsafeRawPointer(none.baseAddress!)
        set(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
      }
    }
  }

  /// The status of the last response, 0 before there is one.
  var status: Int {
    var value = 0
    ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &value)
    return value
  }

  /// The address of the other end, or of the proxy; nil before there is a connection.
  var peer: SocketAddress? {
    var value: UnsafeMutablePointer<CChar>?
    ccurl_get_string(raw, CURLINFO_PRIMARY_IP, &value)
    // A zone may follow the address: fe80::1%eth0.
    let text = value.map { String(cString: $0).prefix { $0 != "%" } }
    return text.flatMap { SocketAddress(host: String($0), port: 0) }
  }

  /// Seconds of connecting, without the name's look-up, and from the request to the first byte of the answer.
  var times: (handshake: Double, answer: Double) {
    (
      time(CURLINFO_CONNECT_TIME_T) - time(CURLINFO_NAMELOOKUP_TIME_T),
      time(CURLINFO_STARTTRANSFER_TIME_T) - time(CURLINFO_PRETRANSFER_TIME_T)
    )
  }

  /// Returns a duration in seconds; libcurl gives microseconds.
  private func time(_ information: CURLINFO) -> Double {
    var value: curl_off_t = 0
    ccurl_get_offset(raw, information, &value)
    return Double(value) / 1e6
  }

  /// A sentence about a failure, equal for equal failures: libcurl's own text often includes milliseconds.
  func reason(_ result: CURLcode) -> String {
    switch result {
    case CURLE_COULDNT_CONNECT: return "cannot connect" + systemReason
    case CURLE_OPERATION_TIMEDOUT: return "the connection attempt took too long"
    case CURLE_GOT_NOTHING: return "the connection was closed without an answer"
    case _ where isWithoutTLS(result): return "the server answers without TLS; write http:// there"
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2:
      return "the answer is no HTTP; if the server speaks TLS on this port, write https:// there"
    default:
      // For other results libcurl's text may quote a URL, or a proxy's with its password.
      let text = Self.isAboutTheServer(result) ? String(cString: errorText) : ""
      return text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
    }
  }

  /// Whether a server answers what should have begun TLS in plain text.
  func isWithoutTLS(_ result: CURLcode) -> Bool {
    guard result == CURLE_SSL_CONNECT_ERROR else { return false }
    let text = String(cString: errorText)
    // OpenSSL's words for plain text in the place of a record.
    return ["wrong version number", "packet length too long", "http request"].contains {
      text.contains($0)
    }
  }

  /// Whether libcurl's own text says more than `curl_easy_strerror`, and concerns the server alone.
  private static func isAboutTheServer(_ result: CURLcode) -> Bool {
    switch result {
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR,
      CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
      CURLE_OUT_OF_MEMORY, CURLE_PARTIAL_FILE:
      true
    default: false
    }
  }

  /// Whether the server's certificate was refused because no trusted authority vouches for it.
  ///
  /// False if it is for another name, or expired.
  var isIssuerUnknown: Bool {
    var code = 0
    ccurl_get_long(raw, CURLINFO_SSL_VERIFYRESULT, &code)
    // x509_vfy.h: no issuer (2, 20, 21), self-signed (18), a self-signed issuer (19).
    return [2, 18, 19, 20, 21].contains(code)
  }

  private var systemReason: String {
    var code = 0
    ccurl_get_long(raw, CURLINFO_OS_ERRNO, &code)
    return code == 0 ? "" : ": " + String(cString: strerror(Int32(code)))
  }
}

/// Initialises libcurl once, before any handle, and never undoes it. In old versions curl_global_init is not safe
/// against itself.
private let curlIsReady: Void = {
  OpenSSL.start()
  let result = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  precondition(result == CURLE_OK, "libcurl does not start")
}()

extension Double {
  /// Seconds in libcurl's milliseconds, within its limits: it refuses values beyond 32 bits, and 0 would mean no limit.
  var milliseconds: Int { Int(bounded: self * 1000, in: 1...1_000_000_000) }
}
