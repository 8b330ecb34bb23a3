import COpenSSL

/// What is wanted of OpenSSL's libcrypto, but for TLS.
public enum OpenSSL {
  /// To be called before anything else of OpenSSL's in a process, libcurl's use of it included; again it does nothing.
  ///
  /// OpenSSL would take itself down in `exit`, while our threads still end: they found freed memory there.
  public static func start() { _ = isStarted }

  private static let isStarted: Void = {
    let result = OPENSSL_init_crypto(COPENSSL_NO_ATEXIT, nil)
    precondition(result == 1, "OpenSSL does not start")
  }()

  /// Such as `OpenSSL 3.5.4 30 Sep 2025`. The corresponding C function is `OpenSSL_version`.
  public static var libraryVersion: String? {
    // OPENSSL_VERSION
    OpenSSL_version(0).map { String(cString: $0) }
  }

  /// Whether two secrets are equal, in a time that tells nothing of where they differ. Their lengths may show.
  /// The corresponding C function is `CRYPTO_memcmp`.
  public static func equalInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
  }

  /// Why the last call failed, in OpenSSL's words, on the thread that made it.
  static func lastReason() -> String {
    let code = ERR_peek_last_error()
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
  }
}
