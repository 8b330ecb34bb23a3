/// Reads blocks as servers really send them.
///
/// Blocks seen in practice have: keys in any order and case; another field before `StreamTitle`; values without quotes
/// or in double quotes; a missing last quote or semicolon; blanks around `=`; garbage behind the first NUL; apostrophes
/// and semicolons inside titles.
extension ICYBlock {
  static let fieldsMax = 32
  static let keyBytesMax = 64

  /// Returns the contents of a block; nil if it cannot be read.
  ///
  /// A quoted value ends at its first `';`, else at the last `'`, else with the block. Text between a value and the
  /// next key is passed over. HTML entities and the key-value lists that some networks put into `StreamTitle` are left
  /// as they are.
  ///
  /// - Parameters:
  ///   - block: The text without the length byte, with or without its padding.
  ///   - charset: The charset of values that are not UTF-8.
  public static func parse(_ block: [UInt8], charset: Charset = .windows1252) -> ICYMetadata? {
    parse(block) { Charset.decode($0, fallback: charset) }
  }

  /// Parses a block whose values `text` decodes and cleans.
  public static func parse(_ block: [UInt8], text: ([UInt8]) -> String) -> ICYMetadata? {
    var rest = block[..<(block.firstIndex(of: 0) ?? block.endIndex)]
    var metadata = ICYMetadata()
    var isReadable = false
    var fields = 0
    while fields < fieldsMax {
      // The drop is here and not in `readKey`: without a key, every semicolon would cost another pass over these bytes.
      rest = rest.drop { ASCII.isBlank($0) || $0 == UInt8(ascii: ";") }
      if rest.isEmpty { break }
      guard let key = readKey(&rest) else {
        rest = rest[after: UInt8(ascii: ";")]
        continue
      }
      fields += 1
      isReadable = true
      metadata.add(key, text(Array(readValue(&rest))))
    }
    return isReadable ? metadata : nil
  }

  /// Reads `key =` and the blanks around it; nil without a key, and `rest` then stays as it was.
  private static func readKey(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let equals = rest.prefix(keyBytesMax + 8).firstIndex(of: UInt8(ascii: "=")) else {
      return nil
    }
    let key = ASCII.trimmed(rest[..<equals])
    guard let first = key.first, ASCII.isLetter(first), key.count <= keyBytesMax,
      key.allSatisfy(isKeyByte)
    else { return nil }
    rest = rest[(equals + 1)...].drop(while: ASCII.isBlank)
    return String(decoding: key, as: UTF8.self)
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  private static func readValue(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let quote = rest.first, quote == ASCII.quote || quote == UInt8(ascii: "\"") else {
      return readBareValue(&rest)
    }
    let text = rest.dropFirst()
    if let end = text.firstIndex(of: quote, followedBy: UInt8(ascii: ";")) {
      rest = text[(end + 2)...]
      return text[..<end]
    }
    if quote == ASCII.quote {
      rest = []
      return text[..<(text.lastIndex(of: quote) ?? text.endIndex)]
    }
    if let last = text.firstIndex(of: quote), ASCII.trimmed(text[last...]).count == 1 {
      rest = []
      return text[..<last]
    }
    // Such a text is a title that begins with a double quote ("Heroes" - David Bowie), not a quoted value.
    return readBareValue(&rest)
  }

  private static func readBareValue(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let value = rest.prefix { $0 != UInt8(ascii: ";") }
    rest = rest[after: UInt8(ascii: ";")]
    return ASCII.trimmed(value)
  }
}

extension ICYMetadata {
  fileprivate mutating func add(_ key: String, _ value: String) {
    if title == nil && ASCII.equalIgnoringCase(key, "StreamTitle") {
      title = value
    } else if url == nil && ASCII.equalIgnoringCase(key, "StreamUrl") {
      url = value
    } else {
      others.append(Field(key: key, value: value))
    }
  }
}

extension ArraySlice<UInt8> {
  /// The bytes behind the first `byte`; empty if `byte` does not occur.
  fileprivate subscript(after byte: UInt8) -> ArraySlice<UInt8> {
    guard let index = firstIndex(of: byte) else { return [] }
    return self[(index + 1)...]
  }

  fileprivate func firstIndex(of byte: UInt8, followedBy next: UInt8) -> Int? {
    indices.dropLast().first { self[$0] == byte && self[$0 + 1] == next }
  }
}
