import COpenSSL
import Glibc

/// A certificate, the certificates that lead to its root, and its key, read from two PEM files or one.
struct TLSFiles: ~Copyable {
  let certificate: TLSCertificate
  private let keyFile: String
  /// The X509 certificates, the server's own first.
  private let chain: [OpaquePointer]
  /// The key, an EVP_PKEY.
  private let key: OpaquePointer

  init(
    certificate file: String, key keyFile: String, reading: (String) -> Void
  ) throws(TLSFileError) {
    reading(file)
    let chain = try Self.readChain(file)
    let key: OpaquePointer
    do {
      reading(keyFile)
      key = try Self.readKey(keyFile)
    } catch {
      for certificate in chain { X509_free(certificate) }
      throw error
    }
    self.chain = chain
    self.key = key
    self.keyFile = keyFile
    certificate = TLSCertificate(
      file: file, validFrom: Self.seconds(X509_get0_notBefore(chain[0])),
      validUntil: Self.seconds(X509_get0_notAfter(chain[0])), names: Self.names(of: chain[0]))
  }

  /// The kind of key, as OpenSSL numbers kinds: RSA, elliptic curve, ….
  var kind: Int32 { EVP_PKEY_get_base_id(key) }

  /// The most names of a certificate; Let's Encrypt gives 100.
  private static let namesMax: Int32 = 256

  /// Returns the hosts among a certificate's alternative names; where it has none, its common name.
  private static func names(of certificate: OpaquePointer) -> [String] {
    var names: [String] = []
    // A host has at most 253 bytes (RFC 1035, section 2.3.4).
    var buffer = [CChar](repeating: 0, count: 256)
    func name(_ length: Int32) -> String {
      String(decoding: buffer[..<Int(length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .lowercased()
    }
    for index in 0..<namesMax {
      let length = copenssl_dns_name(certificate, index, &buffer, 253)
      if length < 0 { break }
      if length > 0 { names.append(name(length)) }
    }
    if names.isEmpty {
      let length = copenssl_common_name(certificate, &buffer, 254)
      if length > 0 { names.append(name(length)) }
    }
    return names
  }

  deinit {
    for certificate in chain { X509_free(certificate) }
    EVP_PKEY_free(key)
  }

  /// Installs the certificates and the key.
  /// - Parameter context: An SSL_CTX, which holds its own references.
  func install(in context: OpaquePointer) throws(TLSFileError) {
    ERR_clear_error()
    guard SSL_CTX_use_certificate(context, chain[0]) == 1 else {
      throw .refused(certificate.file, reason: OpenSSL.lastReason())
    }
    guard X509_check_private_key(chain[0], key) == 1 else {
      throw .keyDoesNotMatch(key: keyFile, certificate: certificate.file)
    }
    guard SSL_CTX_use_PrivateKey(context, key) == 1 else {
      throw .refused(keyFile, reason: OpenSSL.lastReason())
    }
    for other in chain.dropFirst() where copenssl_add_chain_certificate(context, other) != 1 {
      throw .refused(certificate.file, reason: OpenSSL.lastReason())
    }
  }

  private static func readChain(_ file: String) throws(TLSFileError) -> [OpaquePointer] {
    let bytes = try read(file)
    ERR_clear_error()
    let chain = withMemory(bytes) { memory in
      var chain: [OpaquePointer] = []
      while let certificate = PEM_read_bio_X509(memory, nil, nil, nil) { chain.append(certificate) }
      return chain
    }
    // OpenSSL reports even the end of the file as an error.
    let (end, reason) = (ERR_peek_last_error(), OpenSSL.lastReason())
    ERR_clear_error()
    if ERR_GET_LIB(end) != ERR_LIB_PEM || ERR_GET_REASON(end) != PEM_R_NO_START_LINE {
      for certificate in chain { X509_free(certificate) }
      throw .refused(file, reason: reason)
    }
    if chain.isEmpty { throw .noCertificate(file) }
    return chain
  }

  private static func readKey(_ file: String) throws(TLSFileError) -> OpaquePointer {
    let bytes = try read(file)
    var wasAsked = false
    let key = withMemory(bytes) { memory in
      withUnsafeMutablePointer(to: &wasAsked) { wasAsked in
        PEM_read_bio_PrivateKey(
          memory, nil,
          { _, _, _, wasAsked in
            // Without this answer, OpenSSL would ask at the terminal.
            wasAsked?.assumingMemoryBound(to: Bool.self).pointee = true
            return -1
          }, wasAsked)
      }
    }
    ERR_clear_error()
    if let key { return key }
    throw wasAsked ? .keyHasPassword(file) : .noKey(file)
  }

  private static func withMemory<Result>(
    _ bytes: [UInt8], _ body: (OpaquePointer?) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { bytes in
      let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(memory) }
      return body(memory)
    }
  }

  /// The most bytes of a file; no certificate with its chain is longer.
  private static let bytesMax = 1024 * 1024

  private static func read(_ file: String) throws(TLSFileError) -> [UInt8] {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 {
      throw errno == ENOENT ? .missing(file) : .unreadable(file, reason: reason(errno))
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: bytesMax)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      if got == 0 { break }
      if got < 0, errno == EINTR { continue }
      if got < 0 { throw .unreadable(file, reason: reason(errno)) }
      count += got
    }
    return Array(bytes[..<count])
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
    var parts = tm()
    return ASN1_TIME_to_tm(time, &parts) == 1 ? Int64(timegm(&parts)) : 0
  }
}
