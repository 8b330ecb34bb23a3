import COpenSSL

/// The functions of OpenSSL's libcrypto that are used apart from TLS.
public enum OpenSSL {
  /// Sets OpenSSL up. Call it before any other use in the process, libcurl's included; later calls do nothing.
  ///
  /// Without this call, OpenSSL would clean up in `exit` while threads still end, and those would use freed memory.
  public static func start() { _ = isStarted }

  private static let isStarted: Void = {
    let result = OPENSSL_init_crypto(COPENSSL_NO_ATEXIT, nil)
    precondition(result == 1, "OpenSSL does not start")
  }()

  /// The version of OpenSSL, for example `OpenSSL 3.5.4 30 Sep 2025`. The corresponding C function is
  /// `OpenSSL_version`.
  public static var libraryVersion: String? {
    // OPENSSL_VERSION
    OpenSSL_version(0).map { String(cString: $0) }
  }

  /// Whether two secrets are equal, in a time that does not depend on where they differ. The time may reveal their
  /// lengths. The corresponding C function is `CRYPTO_memcmp`.
  public static func equalInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
  }

  /// Returns the reason of the last failed call on this thread, in OpenSSL's words.
  static func lastReason() -> String {
    let code = ERR_peek_last_error()
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
  }
}
