import COpenSSL
import Glibc

/// What all TLS connections of one certificate have in common. Made anew when the certificate is: connections keep the
/// one they began with.
public final class TLSContext: Sendable {
  // OpenSSL counts its references atomically; it is not changed once `init` is through.
  nonisolated(unsafe) let pointer: OpaquePointer
  let isServer: Bool
  /// Of a server: the first in the file, which clients see.
  public let certificate: TLSCertificate?
  // OpenSSL's callback finds it by its address; every stream holds its context, and this holds the keys.
  private let tickets: TLSTicketKeys?

  /// A server's side: TLS 1.2 and later, HTTP/1.1, no client certificates.
  ///
  /// SIGPIPE is ignored in the whole process from here on, unless it has a handler: OpenSSL writes with `write`.
  /// - Parameters:
  ///   - certificate: a PEM file, the server's certificate first and then those that lead to the root.
  ///   - key: a PEM file.
  ///   - asksKernel: whether the kernel is to encrypt, where it can and OpenSSL knows how.
  ///   - reading: told of each file before it is read.
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
    // Players go without a word.
    SSL_CTX_set_options(
      pointer,
      COPENSSL_SERVER_PREFERENCE | COPENSSL_PRIORITIZE_CHACHA | COPENSSL_IGNORE_UNEXPECTED_EOF)
    // Sessions are with the clients, not with us.
    copenssl_set_session_cache(pointer, Int(SSL_SESS_CACHE_OFF))
    SSL_CTX_set_timeout(pointer, Int(TLSTicketKeys.rotationNanoseconds / 1_000_000_000))
    SSL_CTX_set_ex_data(pointer, 0, Unmanaged.passUnretained(tickets).toOpaque())
    SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer, ticketKey)
    SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
    try files.install(in: pointer)
  }

  /// A client's side, for tools and tests.
  /// - Parameter file: a PEM file of certificates that are believed; nil: anything is.
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
    // A read takes one message that is not for us (KeyUpdate) and no more: else whoever sends nothing but such holds it
    // for as long as they come.
    copenssl_clear_mode(context, Int(SSL_MODE_AUTO_RETRY))
    SSL_CTX_set_options(context, COPENSSL_NO_COMPRESSION | COPENSSL_NO_RENEGOTIATION)
    _ = copenssl_set_min_version(context, TLS1_2_VERSION)
    // Of TLS 1.2 only what has forward secrecy and authenticates what it encrypts; TLS 1.3 has nothing else.
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

/// The tickets' keys, wherever the connection is. -1 ends the handshake.
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

/// ALPN (RFC 7301): HTTP/1.1, for whoever offers it. Whoever offers other things only gets no answer to that, rather
/// than no connection: players of radio say odd things.
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
