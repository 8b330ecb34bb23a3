/// Finds the length of the first message of a TLS connection (RFC 8446, sections 4 and 5.1), to know when all of it has
/// arrived.
public enum ClientHello {
  /// The length of a record's head and a message's head together.
  private static let headBytes = 5 + 4
  private static let messageKind: UInt8 = 1
  /// The most bytes that are waited for; a longer message counts as complete at this length.
  public static let lengthMax = 16 * 1024

  /// Returns the message's full length as far as `bytes` tell it. Bytes of another kind count as complete.
  public static func length(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count >= headBytes else { return headBytes }
    let record = Int(bytes[3]) << 8 | Int(bytes[4])
    guard record >= 4, bytes[5] == messageKind else { return min(bytes.count, headBytes) }
    let message = Int(bytes[6]) << 16 | Int(bytes[7]) << 8 | Int(bytes[8])
    // The heads of further records are left out. If the length is short by them, the missing bytes arrive soon.
    return min(max(5 + record, headBytes + message), lengthMax)
  }
}
