/// A proxy's statement about its client, sent before the client's first byte: haproxy's PROXY protocol, versions 1 and
/// 2 (`proxy-protocol.txt` of HAProxy).
public enum ProxyHeader: Hashable, Sendable {
  /// The client's numeric address and port. Only the characters of an address in text form have been checked.
  case client(host: String, port: UInt16)
  /// The proxy speaks for itself (a check), or for a client whose address it cannot name.
  case unknown

  /// The most bytes of a version 1 header, its line end included.
  static let textMax = 107
  /// The most bytes of a version 2 header. Fields after the addresses (TLS names and the like) are skipped; proxies
  /// send no more than this.
  static let binaryMax = 16 + 4096

  private static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]

  /// Returns the header at the start of `bytes`, and its length, where the client's own bytes begin; nil while bytes
  /// are missing.
  ///
  /// - Throws: `HTTPError` as soon as it is certain that the header is missing or wrong.
  public static func parse(
    _ bytes: Span<UInt8>
  ) throws(HTTPError) -> (header: ProxyHeader, length: Int)? {
    guard bytes.count > 0 else { return nil }
    return bytes[0] == signature[0] ? try binary(bytes) : try text(bytes)
  }

  // MARK: Version 1: a line of text

  private static func text(
    _ bytes: Span<UInt8>
  ) throws(HTTPError) -> (header: ProxyHeader, length: Int)? {
    for (index, byte) in "PROXY ".utf8.enumerated() where index < bytes.count {
      guard bytes[index] == byte else { throw missing }
    }
    var end = 0
    while end < min(bytes.count, textMax), bytes[end] != ASCII.lineFeed { end += 1 }
    guard end < bytes.count, end < textMax else {
      if bytes.count >= textMax { throw wrong }
      return nil
    }
    guard bytes[end - 1] == ASCII.carriageReturn else { throw wrong }
    let line = (0..<(end - 1)).map { bytes[$0] }
    let words = line.split(separator: ASCII.space, omittingEmptySubsequences: false)
    guard words.count >= 2 else { throw wrong }
    // The specification says to ignore everything behind UNKNOWN.
    if words[1].elementsEqual("UNKNOWN".utf8) { return (.unknown, end + 1) }
    guard words.count == 6, let port = port(words[4]), self.port(words[5]) != nil,
      isAddress(words[2], of: words[1]), isAddress(words[3], of: words[1])
    else { throw wrong }
    return (.client(host: String(decoding: words[2], as: UTF8.self), port: port), end + 1)
  }

  private static func isAddress(_ text: ArraySlice<UInt8>, of family: ArraySlice<UInt8>) -> Bool {
    guard !text.isEmpty else { return false }
    func isDotted(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) || byte == UInt8(ascii: ".") }
    if family.elementsEqual("TCP4".utf8) { return text.allSatisfy(isDotted) }
    return family.elementsEqual("TCP6".utf8) && text.contains(UInt8(ascii: ":"))
      && text.allSatisfy {
        isDotted($0) || ASCII.hexValue($0) != nil || $0 == UInt8(ascii: ":")
      }
  }

  /// Reads decimal digits without a leading zero.
  private static func port(_ text: ArraySlice<UInt8>) -> UInt16? {
    guard (1...5).contains(text.count), text.allSatisfy(ASCII.isDigit),
      text.count == 1 || text.first != UInt8(ascii: "0")
    else { return nil }
    return UInt16(exactly: text.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  // MARK: Version 2: binary

  private static func binary(
    _ bytes: Span<UInt8>
  ) throws(HTTPError) -> (header: ProxyHeader, length: Int)? {
    for index in 0..<min(bytes.count, signature.count) {
      guard bytes[index] == signature[index] else { throw missing }
    }
    if bytes.count > 12, bytes[12] & 0xF0 != 0x20 || bytes[12] & 0x0F > 1 { throw wrong }
    guard bytes.count >= 16 else { return nil }
    let length = 16 + Int(pair(bytes, at: 14))
    guard length <= binaryMax else { throw wrong }
    guard bytes.count >= length else { return nil }
    // LOCAL means that the proxy speaks for itself.
    if bytes[12] & 0x0F == 0 { return (.unknown, length) }
    switch bytes[13] {
    case 0x11:
      guard length >= 16 + 12 else { throw wrong }
      let host = (16..<20).map { "\(bytes[$0])" }.joined(separator: ".")
      return (.client(host: host, port: pair(bytes, at: 24)), length)
    case 0x21:
      guard length >= 16 + 36 else { throw wrong }
      let groups = (0..<8).map { String(pair(bytes, at: 16 + 2 * $0), radix: 16) }
      return (.client(host: groups.joined(separator: ":"), port: pair(bytes, at: 48)), length)
    // Datagrams and Unix sockets have no usable client address.
    case 0x00, 0x12, 0x22, 0x31, 0x32: return (.unknown, length)
    default: throw wrong
    }
  }

  private static func pair(_ bytes: Span<UInt8>, at index: Int) -> UInt16 {
    UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
  }

  private static let missing = HTTPError.badRequest(
    "A trusted proxy must send a PROXY header before the request.")
  private static let wrong = HTTPError.badRequest("The PROXY header is malformed.")
}
