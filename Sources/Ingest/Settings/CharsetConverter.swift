import Glibc
import Wire

/// Converts text from one charset to UTF-8, by the C library's iconv.
final class CharsetConverter {
  private let handle: iconv_t

  init(_ charset: CharsetName) throws(UnknownCharset) {
    let handle = iconv_open("UTF-8", charset.name)
    // iconv_open answers (iconv_t)-1 on failure.
    guard let handle, Int(bitPattern: handle) != -1 else {
      let code = errno
      throw UnknownCharset(
        name: charset.name, cause: code == EINVAL ? .unknown : .system(errno: code))
    }
    self.handle = handle
  }

  deinit { iconv_close(handle) }

  /// Converts `bytes` to text. An invalid byte becomes U+FFFD; a character cut off at the end is left out.
  func text(_ bytes: [UInt8]) -> String {
    // One byte becomes at most one or two characters, each of at most four bytes.
    var output = [UInt8](repeating: 0, count: bytes.count * 8 + 16)
    var input = bytes
    let count = convert(&input, into: &output)
    return String(decoding: output[..<count], as: UTF8.self)
  }

  private func convert(_ input: inout [UInt8], into output: inout [UInt8]) -> Int {
    _ = iconv(handle, nil, nil, nil, nil)  // back to the initial state
    let room = output.count
    return input.withUnsafeMutableBytes { source in
      output.withUnsafeMutableBytes { target in
        var from = source.bindMemory(to: CChar.self).baseAddress
        var to = target.bindMemory(to: CChar.self).baseAddress
        var left = source.count
        var free = room
        while left > 0, iconv(handle, &from, &left, &to, &free) == -1 {
          guard errno == EILSEQ, free >= Self.replacement.count else { break }
          from = from?.advanced(by: 1)
          left -= 1
          for byte in Self.replacement {
            to?.pointee = CChar(bitPattern: byte)
            to = to?.advanced(by: 1)
          }
          free -= Self.replacement.count
        }
        return room - free
      }
    }
  }

  private static let replacement = Array("\u{FFFD}".utf8)

  /// Whether ASCII stays itself, and some bytes above it are letters. False for UTF-16, EBCDIC, ISO-2022 and ASCII
  /// itself.
  var isForTitles: Bool {
    // Shift_JIS has ¥ and ‾ in the places of these two bytes.
    let ascii = [UInt8](0x20...0x7E).filter { $0 != 0x5C && $0 != 0x7E }
    guard text(ascii) == String(decoding: ascii, as: UTF8.self) else { return false }
    return [UInt8](0x80...0xFF).contains { byte in
      [[byte], [byte, 0xA1], [byte, 0x40]].contains {
        let text = text($0)
        return !text.isEmpty && !text.contains("\u{FFFD}")
      }
    }
  }
}
