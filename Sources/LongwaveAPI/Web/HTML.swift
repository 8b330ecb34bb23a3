import Longwave
import Wire

/// A piece of HTML. Texts that are put into it are escaped; this is the only place where that is done.
struct HTML: Sendable, ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral text: String) { self.text = text }
  init(stringInterpolation pieces: StringInterpolation) { text = pieces.text }

  struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }
    /// Puts in text, for people or in the quotation marks of an attribute.
    mutating func appendInterpolation(_ text: String) { self.text += XMLText.escaped(text) }
    mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    mutating func appendInterpolation(_ html: HTML) { text += html.text }
    mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
    mutating func appendInterpolation(_ pieces: [HTML]) {
      for piece in pieces { text += piece.text }
    }
    /// Puts in JSON for a data block, where only `<` could end the block. By bytes: a character may be more than `<`.
    mutating func appendInterpolation(data json: JSON) {
      var safe: [UInt8] = []
      for byte in json.bytes {
        if byte == UInt8(ascii: "<") { safe += "\\u003c".utf8 } else { safe.append(byte) }
      }
      text += String(decoding: safe, as: UTF8.self)
    }
  }
}
