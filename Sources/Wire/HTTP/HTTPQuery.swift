/// The part of a request's target after the question mark.
public struct HTTPQuery: Hashable, Sendable {
  /// One `key=value`, percent-decoded; the value is empty where there is no `=`.
  public struct Item: Hashable, Sendable {
    public var key: String
    public var value: String
  }

  /// The query as received, without the question mark; empty without a query.
  public let raw: String
  /// The keys and values in their order.
  public let items: [Item]

  /// Parses the query in `raw`, which has no question mark.
  ///
  /// A `+` stays a `+`, because time zones need it. Invalid escapes stay as they are, and control characters are
  /// dropped from keys and values: unknown keys must never make a request fail.
  public init(raw: String = "") {
    self.raw = raw
    items = Array(raw.utf8).split(separator: UInt8(ascii: "&")).map { part in
      let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      return Item(
        key: Self.decoded(part[..<equals]), value: Self.decoded(part[equals...].dropFirst()))
    }
  }

  /// The first value of a key, case-sensitive; nil without that key.
  public subscript(key: String) -> String? {
    items.first { $0.key == key }?.value
  }

  /// Returns a key's first value as forms write it, where a plus is a blank; nil without that key.
  public func words(of key: String) -> String? {
    for part in Array(raw.utf8).split(separator: UInt8(ascii: "&")) {
      let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      guard Self.decoded(part[..<equals]) == key else { continue }
      let value = part[equals...].dropFirst().map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
      return Self.decoded(value[...])
    }
    return nil
  }

  /// Returns the bytes of a key's first value, for a reader that knows their charset; nil without that key.
  public func bytes(of key: String) -> [UInt8]? {
    for part in Array(raw.utf8).split(separator: UInt8(ascii: "&")) {
      let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      guard Self.decoded(part[..<equals]) == key else { continue }
      return PercentEncoding.decodedWhereValid(part[equals...].dropFirst())
    }
    return nil
  }

  /// Returns how often a key occurs.
  public func count(of key: String) -> Int {
    items.count { $0.key == key }
  }

  /// Returns the decoded form of a key as received.
  static func key(_ raw: Substring) -> String { decoded(Array(raw.utf8)[...]) }

  private static func decoded(_ part: ArraySlice<UInt8>) -> String {
    Charset.decode(PercentEncoding.decodedWhereValid(part))
  }
}
