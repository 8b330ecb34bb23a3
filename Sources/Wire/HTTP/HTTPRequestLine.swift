/// The first line of a request: `METHOD SP target SP version` (RFC 9112 section 3).
struct HTTPRequestLine {
  static let methodBytesMax = 32

  let method: String
  let target: HTTPTarget
  let version: HTTPVersion

  init(_ line: Span<UInt8>, isTolerant: Bool) throws(HTTPError) {
    guard let first = line.firstIndex(of: ASCII.space, from: 0),
      let second = line.firstIndex(of: ASCII.space, from: first + 1),
      line.firstIndex(of: ASCII.space, from: second + 1) == nil
    else { throw .badRequest("The request line is not a method, a target and a version.") }

    for index in 0..<first where !ASCII.isToken(line[index]) {
      throw .badRequest("The method is not a token.")
    }
    guard first > 0 else { throw .badRequest("The method is missing.") }
    try Self.checkMethod(length: first)
    method = Charset.decode(line.extracting(0..<first))
    version = try Self.version(line.extracting((second + 1)..<line.count))
    guard method != "CONNECT" else {
      throw HTTPError(status: 501, message: "This server is not a proxy.")
    }
    target = try HTTPTarget(
      line.extracting((first + 1)..<second), method: method, isTolerant: isTolerant)
  }

  static func checkMethod(length: Int) throws(HTTPError) {
    guard length <= methodBytesMax else {
      throw HTTPError(status: 501, message: "The method is longer than any known one.")
    }
  }

  private static func version(_ text: Span<UInt8>) throws(HTTPError) -> HTTPVersion {
    let version = Charset.decode(text)
    switch version {
    case "HTTP/1.1": return .http11
    case "HTTP/1.0", "ICE/1.0": return .http10
    default: break
    }
    let digits = Array(version.utf8.dropFirst(5))
    guard version.utf8.starts(with: "HTTP/".utf8), digits.count == 3, ASCII.isDigit(digits[0]),
      digits[1] == UInt8(ascii: "."), ASCII.isDigit(digits[2])
    else { throw .badRequest("The version is not HTTP/1.0 or HTTP/1.1.") }
    guard digits[0] == UInt8(ascii: "1") else {
      throw HTTPError(status: 505, message: "The version is not HTTP/1.0 or HTTP/1.1.")
    }
    return .http11
  }
}

extension Span<UInt8> {
  func firstIndex(of byte: UInt8, from: Int) -> Int? {
    var index = from
    while index < count {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }
}
