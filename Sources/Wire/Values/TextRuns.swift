/// Copies texts by runs of bytes, and lets a closure write the bytes that must be escaped.
///
/// All escaping uses these runs, so that a text of megabytes costs little more than its copy.
public struct TextRuns: Sendable {
  /// Whether each byte may have to be replaced, indexed by byte.
  private let isSpecial: [Bool]

  public init(special: (UInt8) -> Bool) {
    isSpecial = (0...255).map { special(UInt8($0)) }
  }

  /// Appends a text's UTF-8.
  ///
  /// - Parameter replace: Called at each special byte with the rest of the text. It appends the replacement, and
  ///   returns how many bytes the replacement stands for; 0 keeps the byte.
  public func append(
    _ text: String, to bytes: inout [UInt8],
    replace: (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Int
  ) {
    var text = text
    text.withUTF8 { source in
      isSpecial.withUnsafeBufferPointer { isSpecial in
        var copied = 0
        var place = 0
        while place < source.count {
          guard isSpecial[Int(source[place])] else {
            place += 1
            continue
          }
          bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[copied..<place]))
          let left = UnsafeBufferPointer(rebasing: source[place...])
          let replaced = min(replace(left, &bytes), left.count)
          copied = place + replaced
          place += max(1, replaced)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[copied...]))
      }
    }
  }

  /// Returns the escaped text; the text itself where nothing in it is special.
  public func text(
    _ text: String, replace: (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Int
  ) -> String {
    if !text.utf8.contains(where: { isSpecial[Int($0)] }) { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 64)
    append(text, to: &bytes, replace: replace)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the text begins with a C1 control, whose first byte is 0xC2.
  public var beginsWithC1: Bool { count > 1 && self[0] == 0xC2 && self[1] < 0xA0 }

  /// Whether the text begins with U+2028 or U+2029, which some programs read as the end of a line.
  public var beginsWithSeparator: Bool {
    count > 2 && self[0] == 0xE2 && self[1] == 0x80 && (self[2] == 0xA8 || self[2] == 0xA9)
  }
}
