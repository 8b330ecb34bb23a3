import COpenSSL
import Glibc

/// The common part of all TLS connections with one certificate. A new certificate makes a new context; existing
/// connections keep theirs.
public final class TLSContext: Sendable {
  // OpenSSL counts the pointer's references atomically, and nothing changes the context after `init`.
  nonisolated(unsafe) let pointer: OpaquePointer
  let isServer: Bool
  /// The certificate of a server, the first one in the file, which clients see; nil for a client's side.
  public let certificate: TLSCertificate?
  // OpenSSL's callback holds the keys' address unretained. Every stream holds its context, and the context holds the
  // keys.
  private let tickets: TLSTicketKeys?

  /// Makes a server's side: TLS 1.2 and later, HTTP/1.1, no client certificates.
  ///
  /// From here on the whole process ignores SIGPIPE, unless SIGPIPE has a handler: OpenSSL writes with `write`.
  /// - Parameters:
  ///   - certificate: A PEM file with the server's certificate first, then the certificates that lead to the root.
  ///   - key: A PEM file.
  ///   - asksKernel: Whether the kernel should encrypt, if it can and OpenSSL supports it.
  ///   - reading: Called with each file before the file is read.
  public init(
    certificate certificateFile: String, key keyFile: String, tickets: TLSTicketKeys,
    asksKernel: Bool = false, reading: (String) -> Void = { _ in }
  ) throws(TLSFileError) {
    OpenSSL.start()
    Self.ignoreBrokenPipes()
    let files = try TLSFiles(certificate: certificateFile, key: keyFile, reading: reading)
    pointer = Self.make(TLS_server_method())
    isServer = true
    certificate = files.certificate
    self.tickets = tickets
    if asksKernel { SSL_CTX_set_options(pointer, COPENSSL_KERNEL) }
    // Players disconnect without a closing alert.
    SSL_CTX_set_options(
      pointer,
      COPENSSL_SERVER_PREFERENCE | COPENSSL_PRIORITIZE_CHACHA | COPENSSL_IGNORE_UNEXPECTED_EOF)
    // Clients keep the sessions, so the server needs no cache.
    copenssl_set_session_cache(pointer, Int(SSL_SESS_CACHE_OFF))
    SSL_CTX_set_timeout(pointer, Int(TLSTicketKeys.rotationNanoseconds / 1_000_000_000))
    SSL_CTX_set_ex_data(pointer, 0, Unmanaged.passUnretained(tickets).toOpaque())
    SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer, ticketKey)
    SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
    try files.install(in: pointer)
  }

  /// Makes a client's side, for tools and tests.
  /// - Parameter file: A PEM file of trusted certificates; nil to trust every certificate.
  public init(trusting file: String?) throws(TLSFileError) {
    OpenSSL.start()
    Self.ignoreBrokenPipes()
    pointer = Self.make(TLS_client_method())
    isServer = false
    certificate = nil
    tickets = nil
    if let file {
      guard SSL_CTX_load_verify_file(pointer, file) == 1 else { throw .noCertificate(file) }
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    }
  }

  deinit { SSL_CTX_free(pointer) }

  private static func make(_ method: OpaquePointer?) -> OpaquePointer {
    guard let context = SSL_CTX_new(method) else { fatalError("no memory for a TLS context") }
    copenssl_set_mode(
      context,
      Int(
        SSL_MODE_ENABLE_PARTIAL_WRITE | UInt32(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
          | UInt32(SSL_MODE_RELEASE_BUFFERS)))
    // A read consumes at most one message that carries no text (KeyUpdate), because a peer that sends only those must
    // not hold the loop.
    copenssl_clear_mode(context, Int(SSL_MODE_AUTO_RETRY))
    SSL_CTX_set_options(context, COPENSSL_NO_COMPRESSION | COPENSSL_NO_RENEGOTIATION)
    _ = copenssl_set_min_version(context, TLS1_2_VERSION)
    // TLS 1.2 allows forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20")
    return context
  }

  private static func ignoreBrokenPipes() {
    var action = sigaction()
    guard sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else {
      return
    }
    signal(SIGPIPE, SIG_IGN)
  }
}

/// Passes the tickets' keys to OpenSSL's callback. -1 ends the handshake.
private func ticketKey(
  _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?,
  _ vector: UnsafeMutablePointer<UInt8>?,
  _ cipher: OpaquePointer?, _ code: OpaquePointer?, _ isSealing: Int32
) -> Int32 {
  guard let keys = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0), let name, let vector, let cipher,
    let code
  else { return -1 }
  let tickets = Unmanaged<TLSTicketKeys>.fromOpaque(keys).takeUnretainedValue()
  return isSealing == 1
    ? tickets.seal(name: name, vector: vector, cipher, code)
    : tickets.open(name: name, vector: vector, cipher, code)
}

/// Chooses the ALPN protocol (RFC 7301): HTTP/1.1 where a client offers it. A client that offers only other protocols
/// gets no answer but keeps its connection, because radio players offer odd protocols.
private func selectProtocol(
  _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ chosenBytes: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
  _ offeredBytes: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  let offers = UnsafeBufferPointer(start: offered, count: Int(offeredBytes))
  var index = 0
  while index < offers.count {
    let name = offers.dropFirst(index + 1).prefix(Int(offers[index]))
    if name.elementsEqual("http/1.1".utf8) {
      chosen?.pointee = offers.baseAddress! + index + 1
      chosenBytes?.pointee = UInt8(name.count)
      return SSL_TLSEXT_ERR_OK
    }
    index += 1 + Int(offers[index])
  }
  return SSL_TLSEXT_ERR_NOACK
}
