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

  /// Returns the head as sent, its empty line included; see `HTTPFields.lines`.
  ///
  /// - Parameter standing: lines in front of those of the fields.
  public func bytes(standing: [UInt8] = []) -> [UInt8] {
    precondition((100...999).contains(status), "a status has three digits")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    bytes += version.rawValue.utf8
    bytes.append(ASCII.space)
    bytes.append(decimal: UInt64(status))
    bytes.append(ASCII.space)
    bytes += HTTPStatus.reason(status).utf8
    bytes += "\r\n".utf8
    bytes += standing
    fields.append(to: &bytes)
    bytes += "\r\n".utf8
    return bytes
  }
}

extension HTTPFields {
  /// The fields as sent, a line each.
  ///
  /// No value can end a line or begin another: CR, LF, NUL and other controls except tab become spaces. A field whose
  /// name is not a token is left out, because upstreams' fields are passed on unchecked.
  public var lines: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    for field in list where Self.isName(field.name) {
      bytes += field.name.utf8
      bytes += ": ".utf8
      let start = bytes.count
      bytes += field.value.utf8
      for index in start..<bytes.count where ASCII.isControl(bytes[index]) {
        if bytes[index] != ASCII.tab { bytes[index] = ASCII.space }
      }
      bytes += "\r\n".utf8
    }
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken)
  }
}
