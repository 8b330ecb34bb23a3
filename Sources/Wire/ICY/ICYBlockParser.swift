/// Reading of blocks as they are found in the wild.
///
/// Seen there: keys in any order and case, blocks that do not begin with `StreamTitle`, values
/// without quotes or in double ones, a missing last quote or semicolon, blanks around `=`, garbage
/// behind the first NUL, apostrophes and semicolons inside titles.
extension ICYBlock {
  static let fieldsMax = 32
  static let keyBytesMax = 64

  /// What a block says; nil when nothing in it can be read.
  ///
  /// A quoted value ends at its first `';`, else at the last `'`, else with the block. What stands
  /// between a value and the next key is passed over. HTML entities and the key-value lists that
  /// some networks put into `StreamTitle` are left as they are.
  ///
  /// - Parameters:
  ///   - block: the text without the length byte, with or without its padding.
  ///   - charset: how values that are not UTF-8 are read.
  public static func parse(_ block: [UInt8], charset: Charset = .windows1252) -> ICYMetadata? {
    parse(block) { Charset.decode($0, fallback: charset) }
  }

  /// The same with `text` for what turns a value's bytes into text; it has to clean it too.
  public static func parse(_ block: [UInt8], text: ([UInt8]) -> String) -> ICYMetadata? {
    var rest = block[..<(block.firstIndex(of: 0) ?? block.endIndex)]
    var metadata = ICYMetadata()
    var isReadable = false
    var fields = 0
    while fields < fieldsMax {
      // Here and not in `takeKey`: where there is no key, they would be passed over once more for each of them.
      rest = rest.drop { ASCII.isBlank($0) || $0 == UInt8(ascii: ";") }
      if rest.isEmpty { break }
      guard let key = takeKey(&rest) else {
        rest = rest[after: UInt8(ascii: ";")]
        continue
      }
      fields += 1
      isReadable = true
      metadata.add(key, text(Array(takeValue(&rest))))
    }
    return isReadable ? metadata : nil
  }

  /// Takes `key =` and the blanks around; nil, with `rest` as it was, where there is none.
  private static func takeKey(_ rest: inout ArraySlice<UInt8>) -> String? {
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

  private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let quote = rest.first, quote == ASCII.quote || quote == UInt8(ascii: "\"") else {
      return takeBareValue(&rest)
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
    // "Heroes" - David Bowie: a title that begins with a double quote, not a quoted one.
    return takeBareValue(&rest)
  }

  private static func takeBareValue(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
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
  /// What stands behind the first `byte`; empty where there is none.
  fileprivate subscript(after byte: UInt8) -> ArraySlice<UInt8> {
    guard let index = firstIndex(of: byte) else { return [] }
    return self[(index + 1)...]
  }

  fileprivate func firstIndex(of byte: UInt8, followedBy next: UInt8) -> Int? {
    indices.dropLast().first { self[$0] == byte && self[$0 + 1] == next }
  }
}
