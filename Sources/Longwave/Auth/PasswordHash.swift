import CCrypt

/// A password as files keep it: bcrypt (`$2y$`, `$2b$`, `$2a$`), SHA-crypt (`$5$`, `$6$`) or yescrypt (`$y$`).
///
/// The only use of libcrypt. The corresponding C function is `crypt_rn`.
package struct PasswordHash: Hashable, Sendable {
  let text: String

  /// Nil for a hash that is unknown here, or too weak to be used any more (MD5, plain SHA-1, DES).
  init?(_ text: String) {
    guard ["$2y$", "$2b$", "$2a$", "$5$", "$6$", "$y$"].contains(where: text.hasPrefix),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") })
    else { return nil }
    self.text = text
  }

  /// Whether the password matches. Takes up to a tenth of a second, on purpose: never call it on a loop.
  func matches(_ password: [UInt8]) -> Bool {
    // C ends a text at a NUL, and libcrypt accepts no longer password than this.
    guard password.count < Int(CRYPT_MAX_PASSPHRASE_SIZE), !password.contains(0) else {
      return false
    }
    let size = MemoryLayout<crypt_data>.size
    let data = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { data.deallocate() }
    data.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let phrase = password.map { CChar(bitPattern: $0) } + [0]
    guard let result = crypt_rn(phrase, text, data, Int32(size)) else { return false }
    return AdminAccess.areEqual(Array(String(cString: result).utf8), text)
  }
}
