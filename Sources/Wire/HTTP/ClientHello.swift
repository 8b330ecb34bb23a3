/// The first message of a TLS connection (RFC 8446, sections 4 and 5.1), as far as it takes to know when all of it is here.
public enum ClientHello {
  /// Of a record's head and of a message's.
  private static let headBytes = 5 + 4
  private static let messageKind: UInt8 = 1
  /// None is longer that means well; of one that is, this much.
  public static let lengthMax = 16 * 1024

  /// How many bytes there have to be, as far as these say it; what is no such message has come whole.
  public static func length(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count >= headBytes else { return headBytes }
    let record = Int(bytes[3]) << 8 | Int(bytes[4])
    guard record >= 4, bytes[5] == messageKind else { return min(bytes.count, headBytes) }
    let message = Int(bytes[6]) << 16 | Int(bytes[7]) << 8 | Int(bytes[8])
    // Records that it is cut into have heads of their own, which are left out: what is short then is soon here.
    return min(max(5 + record, headBytes + message), lengthMax)
  }
}
