/// Copies texts by runs of bytes, and has somebody else write what may not stand as it is: how every escaping here is
/// done, so that a text of megabytes costs little more than its copy.
public struct TextRuns: Sendable {
  /// By byte: whether it may have to be replaced.
  private let isSpecial: [Bool]

  public init(special: (UInt8) -> Bool) {
    isSpecial = (0...255).map { special(UInt8($0)) }
  }

  /// Appends a text's UTF-8.
  ///
  /// - Parameter replace: asked at each special byte with what is left of the text: appends what stands in its place,
  ///   and returns of how many bytes; 0: the byte stays.
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

  /// The same as a text; the text itself where nothing in it is special.
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
  /// Whether it begins with a C1 control, of which the first byte is 0xC2.
  public var beginsWithC1: Bool { count > 1 && self[0] == 0xC2 && self[1] < 0xA0 }

  /// Whether it begins with U+2028 or U+2029, which end a line for some.
  public var beginsWithSeparator: Bool {
    count > 2 && self[0] == 0xE2 && self[1] == 0x80 && (self[2] == 0xA8 || self[2] == 0xA9)
  }
}
