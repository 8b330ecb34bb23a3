/// Where a server listens: `0.0.0.0:8000`, `[::1]:8000`, `localhost:0`.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or an address, IPv6 without its brackets.
  public var host: String
  /// 0 lets the system choose.
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// nil when it is not HOST:PORT, with an IPv6 address in brackets.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    let isDecimal = !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
    guard isDecimal, let port = UInt16(digits) else { return nil }
    guard let host = Self.host(in: text[..<colon]) else { return nil }
    self.init(host: host, port: port)
  }

  private static func host(in text: Substring) -> String? {
    if text.hasPrefix("["), text.hasSuffix("]") {
      let address = text.dropFirst().dropLast()
      let isAddress = address.allSatisfy { $0.isHexDigit || ":.%".contains($0) }
      return isAddress && address.contains(":") ? String(address) : nil
    }
    let isName = text.utf8.allSatisfy { byte in
      switch UInt8(byte) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isName && !text.isEmpty ? String(text) : nil
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
