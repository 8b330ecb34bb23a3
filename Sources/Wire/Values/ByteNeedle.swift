/// Bytes to find in other bytes, in one pass (Knuth, Morris and Pratt 1977). A new search at every place would cost the
/// product of both lengths.
struct ByteNeedle: Hashable, Sendable {
  let bytes: [UInt8]
  /// The length of each prefix's border: the longest shorter prefix with which the prefix ends.
  private let borders: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var borders = [0]
    var length = 0
    for byte in bytes.dropFirst() {
      while length > 0 && bytes[length] != byte { length = borders[length - 1] }
      if bytes[length] == byte { length += 1 }
      borders.append(length)
    }
    self.borders = borders
  }

  /// Returns where the bytes stand first in `text`; nil if they do not occur.
  func first(in text: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty else { return text.startIndex }
    var found = 0
    for (index, byte) in zip(text.indices, text) {
      while found > 0 && bytes[found] != byte { found = borders[found - 1] }
      if bytes[found] == byte { found += 1 }
      if found == bytes.count { return index + 1 - found }
    }
    return nil
  }
}
