import COpenSSL
import Glibc

/// The common part of all TLS connections with the same certificates. A new certificate makes a new context; existing
/// connections keep theirs.
public final class TLSContext: Sendable {
  // OpenSSL counts the pointers' references atomically, and nothing changes the sides after `init`.
  nonisolated(unsafe) private let sides: [TLSSide]
  let isServer: Bool
  /// The certificates of a server, each the first one in its file, which clients see; empty for a client's side.
  public let certificates: [TLSCertificate]
  /// The certificate for clients that name no host, or none that another one is for.
  public var certificate: TLSCertificate? { certificates.first }
  // OpenSSL's callbacks hold these addresses unretained. Every stream holds its context, and the context holds them.
  private let tickets: TLSTicketKeys?
  private let hosts: TLSHosts?

  /// What connections begin with.
  var pointer: OpaquePointer { sides[0].pointer }

  /// Makes a server's side: TLS 1.2 and later, HTTP/1.1, no client certificates.
  ///
  /// A client gets the certificate for the host that it names (SNI). Certificates for the same hosts with keys of
  /// several kinds are offered together, since old players know RSA only. From here on the whole process ignores
  /// SIGPIPE, unless SIGPIPE has a handler: OpenSSL writes with `write`.
  /// - Parameters:
  ///   - pairs: At least one; the first is for clients that name no host.
  ///   - asksKernel: Whether the kernel should encrypt, if it can and OpenSSL supports it.
  ///   - reading: Called with each file before the file is read.
  public init(
    _ pairs: [TLSPair], tickets: TLSTicketKeys, asksKernel: Bool = false,
    reading: (String) -> Void = { _ in }
  ) throws(TLSFileError) {
    precondition(!pairs.isEmpty, "a server's side needs a certificate")
    OpenSSL.start()
    Self.ignoreBrokenPipes()
    var sides: [TLSSide] = []
    var certificates: [TLSCertificate] = []
    for pair in pairs {
      let files = try TLSFiles(certificate: pair.certificate, key: pair.key, reading: reading)
      let names = files.certificate.names
      let known = sides.firstIndex { $0.names == Set(names) && !$0.kinds.contains(files.kind) }
      if known == nil {
        let pointer = Self.make(TLS_server_method())
        sides.append(TLSSide(pointer, names: Set(names)))
        Self.prepare(pointer, tickets, asksKernel: asksKernel)
      }
      let side = sides[known ?? sides.count - 1]
      try files.install(in: side.pointer)
      side.kinds.insert(files.kind)
      certificates.append(files.certificate)
    }
    isServer = true
    self.certificates = certificates
    self.tickets = tickets
    hosts = sides.count > 1 ? TLSHosts(sides) : nil
    self.sides = sides
    if let hosts {
      copenssl_set_name_callback(pointer, chooseSide, Unmanaged.passUnretained(hosts).toOpaque())
    }
  }

  /// Makes a server's side with one certificate.
  public convenience init(
    certificate: String, key: String, tickets: TLSTicketKeys, asksKernel: Bool = false,
    reading: (String) -> Void = { _ in }
  ) throws(TLSFileError) {
    try self.init(
      [TLSPair(certificate: certificate, key: key)], tickets: tickets, asksKernel: asksKernel,
      reading: reading)
  }

  private static func prepare(
    _ pointer: OpaquePointer, _ tickets: TLSTicketKeys, asksKernel: Bool
  ) {
    if asksKernel { SSL_CTX_set_options(pointer, COPENSSL_KERNEL) }
    // Players disconnect without a closing alert.
    SSL_CTX_set_options(
      pointer,
      COPENSSL_SERVER_PREFERENCE | COPENSSL_PRIORITIZE_CHACHA | COPENSSL_IGNORE_UNEXPECTED_EOF)
    // Clients keep the sessions, so the server needs no cache.
    copenssl_set_session_cache(pointer, Int(SSL_SESS_CACHE_OFF))
    SSL_CTX_set_timeout(pointer, Int(TLSTicketKeys.rotationNanoseconds / 1_000_000_000))
    // Each side has the keys: the callback asks the side that the client's host has chosen.
    SSL_CTX_set_ex_data(pointer, 0, Unmanaged.passUnretained(tickets).toOpaque())
    SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer, ticketKey)
    SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
  }

  /// Makes a client's side, for tools and tests.
  /// - Parameter file: A PEM file of trusted certificates; nil to trust every certificate.
  public init(trusting file: String?) throws(TLSFileError) {
    OpenSSL.start()
    Self.ignoreBrokenPipes()
    let side = TLSSide(Self.make(TLS_client_method()), names: [])
    sides = [side]
    isServer = false
    certificates = []
    tickets = nil
    hosts = nil
    if let file {
      guard SSL_CTX_load_verify_file(side.pointer, file) == 1 else { throw .noCertificate(file) }
      SSL_CTX_set_verify(side.pointer, SSL_VERIFY_PEER, nil)
    }
  }

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

/// Passes the client's host to the table of sides. A host that none is for gets the first certificate.
private func chooseSide(
  _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _ hosts: UnsafeMutableRawPointer?
) -> Int32 {
  guard let hosts, let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name),
    let side = Unmanaged<TLSHosts>.fromOpaque(hosts).takeUnretainedValue()
      .side(for: String(cString: name))
  else { return SSL_TLSEXT_ERR_NOACK }
  SSL_set_SSL_CTX(ssl, side.pointer)
  return SSL_TLSEXT_ERR_OK
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
