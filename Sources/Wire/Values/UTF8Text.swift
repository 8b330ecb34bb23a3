/// Fits UTF-8 into places of limited size.
public enum UTF8Text {
  /// Returns at most `bytesMax` bytes of `text`, cut between two characters.
  public static func prefix(_ text: String, bytes bytesMax: Int) -> ArraySlice<UInt8> {
    let bytes = Array(text.utf8)
    guard bytes.count > bytesMax else { return bytes[...] }
    var end = bytesMax
    while end > 0 && UTF8.isContinuation(bytes[end]) { end -= 1 }
    return bytes[..<end]
  }
}
