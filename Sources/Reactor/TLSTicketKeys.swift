import COpenSSL
import Synchronization

/// The keys that seal session tickets, shared by all loops and by every later certificate.
///
/// So a client resumes its session on any loop, and also after a reload. The keys exist in memory only. A ticket is
/// valid for one to two rotations; then its client must make a full handshake.
public final class TLSTicketKeys: Sendable {
  public static let rotationNanoseconds: Int64 = 8 * 3600 * 1_000_000_000  // bounded: a constant

  private struct Key {
    var name: [UInt8]
    var cipher: [UInt8]
    var code: [UInt8]
    /// When the key was made, in monotonic nanoseconds.
    var madeAt: Int64
  }

  private struct Pair {
    var current: Key?
    var previous: Key?
  }

  private let keys = Mutex(Pair())
  private let now: @Sendable () -> Int64

  /// - Parameter now: Returns the monotonic clock in nanoseconds.
  public init(now: @escaping @Sendable () -> Int64) { self.now = now }

  public convenience init() { self.init(now: { monotonicNanoseconds() }) }

  private func keyToSeal() -> Key? {
    let now = now()
    return keys.withLock { keys in
      Self.rotate(&keys, now)
      if keys.current == nil { keys.current = Self.makeKey(now) }
      return keys.current
    }
  }

  /// - Returns: The key, and whether the client should get a new ticket; nil for an unknown name.
  private func key(named name: UnsafeBufferPointer<UInt8>) -> (key: Key, isOld: Bool)? {
    let now = now()
    return keys.withLock { keys in
      Self.rotate(&keys, now)
      if let key = keys.current, key.name.elementsEqual(name) { return (key, false) }
      if let key = keys.previous, key.name.elementsEqual(name) { return (key, true) }
      return nil
    }
  }

  private static func rotate(_ keys: inout Pair, _ now: Int64) {
    if let current = keys.current, now - current.madeAt >= rotationNanoseconds {
      keys.previous = current
      keys.current = nil
    }
    if let previous = keys.previous, now - previous.madeAt >= 2 * rotationNanoseconds {
      keys.previous = nil
    }
  }

  private static func makeKey(_ now: Int64) -> Key? {
    guard let name = random(nameBytes), let cipher = random(32), let code = random(32) else {
      return nil
    }
    return Key(name: name, cipher: cipher, code: code, madeAt: now)
  }

  private static let nameBytes = 16
  private static let vectorBytes = 16

  private static func random(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return RAND_bytes(&bytes, Int32(count)) == 1 ? bytes : nil
  }

  // MARK: OpenSSL's callback (SSL_CTX_set_tlsext_ticket_key_evp_cb)

  /// Seals a ticket. OpenSSL's answers are: -1 error, 0 unknown key, 1 accepted, 2 accepted and to be renewed.
  func seal(
    name: UnsafeMutablePointer<UInt8>, vector: UnsafeMutablePointer<UInt8>,
    _ cipher: OpaquePointer, _ code: OpaquePointer
  ) -> Int32 {
    guard let key = keyToSeal(), RAND_bytes(vector, Int32(Self.vectorBytes)) == 1 else { return -1 }
    name.update(from: key.name, count: Self.nameBytes)
    guard EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipher, vector) == 1,
      Self.set(key.code, of: code)
    else { return -1 }
    return 1
  }

  func open(
    name: UnsafeMutablePointer<UInt8>, vector: UnsafeMutablePointer<UInt8>,
    _ cipher: OpaquePointer, _ code: OpaquePointer
  ) -> Int32 {
    let asked = UnsafeBufferPointer(start: UnsafePointer(name), count: Self.nameBytes)
    guard let (key, isOld) = key(named: asked) else { return 0 }
    guard Self.set(key.code, of: code),
      EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipher, vector) == 1
    else { return -1 }
    return isOld ? 2 : 1
  }

  private static func set(_ key: [UInt8], of code: OpaquePointer) -> Bool {
    var key = key
    return copenssl_set_hmac_sha256(code, &key, key.count) == 1
  }
}
