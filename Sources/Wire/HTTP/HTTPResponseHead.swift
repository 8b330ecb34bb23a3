/// The head of an answer, with status and fields.
public struct HTTPResponseHead: Hashable, Sendable {
  public var version: HTTPVersion
  /// The status, 100 to 999.
  public var status: Int
  public var fields: HTTPFields

  public init(
    version: HTTPVersion = .http11, status: Int = 200, fields: HTTPFields = HTTPFields()
  ) {
    self.version = version
    self.status = status
    self.fields = fields
  }

  /// Returns the head as sent, its empty line included.
  ///
  /// No value can end a line or begin another: CR, LF, NUL and other controls except tab become spaces. A field whose
  /// name is not a token is left out, because upstreams' fields are passed on unchecked.
  public func bytes() -> [UInt8] {
    precondition((100...999).contains(status), "a status has three digits")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    bytes += "\(version.rawValue) \(status) \(HTTPStatus.reason(status))\r\n".utf8
    for field in fields.list where Self.isName(field.name) {
      bytes += field.name.utf8
      bytes += ": ".utf8
      let start = bytes.count
      bytes += field.value.utf8
      for index in start..<bytes.count where ASCII.isControl(bytes[index]) {
        if bytes[index] != ASCII.tab { bytes[index] = ASCII.space }
      }
      bytes += "\r\n".utf8
    }
    bytes += "\r\n".utf8
    return bytes
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken)
  }
}
