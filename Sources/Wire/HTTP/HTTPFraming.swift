extension HTTPRequestHead {
  /// Builds a head, and checks the fields that decide about its host and its body.
  init(_ line: HTTPRequestLine, _ fields: HTTPFields, isTolerant: Bool) throws(HTTPError) {
    let host = try Self.host(fields, version: line.version, isTolerant: isTolerant)
    self.init(
      method: line.method, target: line.target.text, path: line.target.path,
      query: line.target.query, version: line.version, fields: fields,
      // RFC 9112 section 3.2.2: the target's host counts, whatever the Host field says.
      host: line.target.host ?? host,
      contentLength: try Self.contentLength(fields),
      isChunked: try Self.isChunked(fields, version: line.version))
  }

  /// Returns the host of the Host field, checked as RFC 9112 section 3.2 demands; nil without a usable one.
  private static func host(
    _ fields: HTTPFields, version: HTTPVersion, isTolerant: Bool
  ) throws(HTTPError) -> String? {
    let hosts = fields.all("Host")
    guard hosts.count <= 1 else { throw .badRequest("There are two Host fields.") }
    guard let host = hosts.first else {
      guard isTolerant || version == .http10 else { throw .badRequest("The Host is missing.") }
      return nil
    }
    guard HTTPHost.isValid(host) else {
      guard isTolerant else { throw .badRequest("The Host is invalid.") }
      return nil
    }
    return host.isEmpty ? nil : host
  }

  /// Whether the body is chunked. A body has a length or is chunked, never both (RFC 9112 section 6).
  private static func isChunked(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPError) -> Bool {
    guard fields["Transfer-Encoding"] != nil else { return false }
    guard fields["Content-Length"] == nil else {
      throw .badRequest("There are both a Transfer-Encoding and a Content-Length.")
    }
    guard version == .http11 else { throw .badRequest("HTTP/1.0 has no Transfer-Encoding.") }
    guard fields.tokens("Transfer-Encoding") == ["chunked"] else {
      throw HTTPError(status: 501, message: "The only Transfer-Encoding here is chunked.")
    }
    return true
  }

  private static func contentLength(_ fields: HTTPFields) throws(HTTPError) -> Int? {
    let lengths = fields.all("Content-Length")
    guard let text = lengths.first else { return nil }
    guard lengths.count == 1 else { throw .badRequest("There are two Content-Length fields.") }
    guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else {
      throw .badRequest("The Content-Length is not a number.")
    }
    guard let length = Int(text) else {
      throw HTTPError(status: 413, message: "The Content-Length is too large.")
    }
    return length
  }
}
