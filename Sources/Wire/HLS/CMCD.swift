/// What players tell of themselves with each request (CTA-5004, Common Media Client Data).
public enum CMCD {
  /// Returns the id of the player's session: from the query, else from the field; nil where neither has one.
  public static func session(_ query: HTTPQuery, _ fields: HTTPFields) -> String? {
    query["CMCD"].flatMap { session(in: $0) }
      ?? fields["CMCD-Session"].flatMap { session(in: $0) }
  }

  /// The most bytes that are read; players tell less than a thousand.
  private static let bytesMax = 4096
  /// The most characters of a session's id (CTA-5004 table 1).
  private static let sessionBytesMax = 64

  /// Returns the `sid` of a list such as `br=128,sid="6e2f",su`.
  static func session(in text: String) -> String? {
    var list = KeyList(bytes: Array(text.utf8.prefix(bytesMax)))
    while let item = list.next() {
      guard item.key.elementsEqual("sid".utf8) else { continue }
      return (1...sessionBytesMax).contains(item.value.count)
        ? String(validating: item.value, as: UTF8.self) : nil
    }
    return nil
  }

  /// Reads `key`, `key=value` and `key="value"`, with commas between.
  private struct KeyList {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> (key: ArraySlice<UInt8>, value: [UInt8])? {
      guard place < bytes.count else { return nil }
      let start = place
      let key = bytes[start...].prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }
      place = key.endIndex
      var value: [UInt8] = []
      if place < bytes.count, bytes[place] == UInt8(ascii: "=") {
        place += 1
        value = self.value()
      }
      // Behind a value in quotes nothing counts but the comma.
      while place < bytes.count, bytes[place] != UInt8(ascii: ",") { place += 1 }
      place += 1
      return (ASCII.trimmed(key), value)
    }

    private mutating func value() -> [UInt8] {
      var value: [UInt8] = []
      let isQuoted = place < bytes.count && bytes[place] == UInt8(ascii: "\"")
      if isQuoted { place += 1 }
      while place < bytes.count {
        let byte = bytes[place]
        if byte == UInt8(ascii: isQuoted ? "\"" : ",") { break }
        // RFC 8941 §3.3.3: a backslash stands before a quotation mark or another one.
        if isQuoted, byte == UInt8(ascii: "\\"), place + 1 < bytes.count { place += 1 }
        value.append(bytes[place])
        place += 1
      }
      return value
    }
  }
}
