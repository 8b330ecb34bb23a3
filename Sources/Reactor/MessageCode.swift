import COpenSSL

/// HMAC-SHA-256 (RFC 2104, FIPS 180-4).
public enum MessageCode {
  /// Returns the 32 bytes that only holders of the key can make of the message.
  public static func sha256(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { code, count in
      var length: UInt32 = 0
      let made = HMAC(
        EVP_sha256(), key, Int32(clamping: key.count), message, message.count, code.baseAddress,
        &length)
      precondition(made != nil && length == 32, "SHA-256 is in every OpenSSL")
      count = 32
    }
  }
}
