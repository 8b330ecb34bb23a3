/// Reads request heads of RFC 9112.
///
/// The parser is strict, because every leniency is a way to smuggle a request past a proxy. The exceptions are for old
/// radios, and none concerns where a message ends.
public enum HTTPRequestParser {
  /// The most bytes of a head, its empty line included.
  public static let headBytesMax = 8192
  /// The most fields of a head.
  public static let fieldsMax = 100

  /// Returns the head at the start of `bytes`, and its length, where the body begins; nil while bytes are missing.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that the connection has sent so far. Empty lines in front are passed over.
  ///   - tolerant: Whether to accept bare LF as a line end, HTTP/1.1 without a Host, an invalid Host (`host` is nil
  ///     then), and bytes above ASCII in the target.
  /// - Throws: `HTTPError` as soon as it is certain that the request cannot be accepted.
  public static func parse(
    _ bytes: Span<UInt8>, tolerant: Bool = true
  ) throws(HTTPError) -> (head: HTTPRequestHead, length: Int)? {
    var lines = HTTPLines(isTolerant: tolerant)
    var first = try lines.next(in: bytes)
    while let line = first, line.isEmpty { first = try lines.next(in: bytes) }
    guard let first else {
      try refuseHopeless(bytes, from: lines.position)
      return nil
    }
    let line = try HTTPRequestLine(bytes.extracting(first), isTolerant: tolerant)

    var fields = HTTPFields()
    while let range = try lines.next(in: bytes) {
      if range.isEmpty {
        let head = try HTTPRequestHead(line, fields, isTolerant: tolerant)
        return (head, lines.position)
      }
      guard fields.list.count < fieldsMax else {
        throw HTTPError(status: 431, message: "The request has more than \(fieldsMax) fields.")
      }
      try fields.append(line: bytes.extracting(range))
    }
    guard bytes.count < headBytesMax else {
      throw HTTPError(status: 431, message: "The head is longer than \(headBytesMax) bytes.")
    }
    return nil
  }

  /// Refuses bytes that cannot become a request line, such as a TLS handshake, before the line is complete.
  private static func refuseHopeless(_ bytes: Span<UInt8>, from: Int) throws(HTTPError) {
    guard bytes.count < headBytesMax else {
      throw HTTPError(
        status: 414, message: "The request line is longer than \(headBytesMax) bytes.")
    }
    var index = from
    while index < bytes.count && ASCII.isToken(bytes[index]) { index += 1 }
    try HTTPRequestLine.checkMethod(length: index - from)
    guard index < bytes.count else { return }
    let isLineEnd = bytes[index] == ASCII.carriageReturn && index == from
    guard isLineEnd || (bytes[index] == ASCII.space && index > from) else {
      throw .badRequest("This is not an HTTP request.")
    }
  }
}

/// Finds the lines of a head.
struct HTTPLines {
  let isTolerant: Bool
  /// The index just past the last line.
  private(set) var position = 0

  init(isTolerant: Bool) { self.isTolerant = isTolerant }

  /// Returns the next line without its end; nil while the line is incomplete, or beyond the longest head.
  mutating func next(in bytes: Span<UInt8>) throws(HTTPError) -> Range<Int>? {
    let end = min(bytes.count, HTTPRequestParser.headBytesMax)
    var index = position
    while index < end {
      let byte = bytes[index]
      if byte == ASCII.lineFeed { return try line(endingAt: index, in: bytes) }
      if byte == ASCII.carriageReturn {
        if index + 1 < bytes.count && bytes[index + 1] != ASCII.lineFeed {
          throw .badRequest("The head has a CR without LF.")
        }
      } else if ASCII.isControl(byte) && byte != ASCII.tab {
        throw .badRequest("The head has a control character.")
      }
      index += 1
    }
    return nil
  }

  private mutating func line(
    endingAt index: Int, in bytes: Span<UInt8>
  ) throws(HTTPError) -> Range<Int> {
    let start = position
    position = index + 1
    if index > start && bytes[index - 1] == ASCII.carriageReturn { return start..<(index - 1) }
    guard isTolerant else { throw .badRequest("A line of the head ends in LF without CR.") }
    return start..<index
  }
}

extension HTTPFields {
  /// Adds a `name: value` line (RFC 9112 section 5).
  fileprivate mutating func append(line: Span<UInt8>) throws(HTTPError) {
    var colon = 0
    while colon < line.count && ASCII.isToken(line[colon]) { colon += 1 }
    guard colon < line.count, line[colon] == UInt8(ascii: ":"), colon > 0 else {
      throw .badRequest(
        ASCII.isBlank(line[0])
          ? "A field is folded over two lines." : "A field's name is not a token before a colon.")
    }
    var start = colon + 1
    var end = line.count
    while start < end && ASCII.isBlank(line[start]) { start += 1 }
    while end > start && ASCII.isBlank(line[end - 1]) { end -= 1 }
    let value = line.extracting(start..<end)
    append(
      Charset.decode(line.extracting(0..<colon)), Charset.decode(value, fallback: .latin1),
      foreign: Charset.isUTF8(value) ? nil : value.indices.map { value[$0] })
  }
}
