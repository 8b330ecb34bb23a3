/// The part of a request's target behind the question mark.
public struct HTTPQuery: Hashable, Sendable {
  /// One `key=value`, percent-decoded; the value is empty where there is no `=`.
  public struct Item: Hashable, Sendable {
    public var key: String
    public var value: String
  }

  /// As it came, without the question mark; empty when there was none.
  public let raw: String
  /// The keys and values in their order.
  public let items: [Item]

  /// The query in `raw`, which is without the question mark.
  ///
  /// A `+` stays a `+`: a time zone needs it. Escapes that are none stay as they are, and control
  /// characters are dropped from keys and values: unknown keys must never make a request fail.
  public init(raw: String = "") {
    self.raw = raw
    items = Array(raw.utf8).split(separator: UInt8(ascii: "&")).map { part in
      let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      return Item(
        key: Self.decoded(part[..<equals]), value: Self.decoded(part[equals...].dropFirst()))
    }
  }

  /// The first value of a key, whose case counts; nil when it is not there.
  public subscript(key: String) -> String? {
    items.first { $0.key == key }?.value
  }

  /// How often a key is given.
  public func count(of key: String) -> Int {
    items.count { $0.key == key }
  }

  /// A key as it is meant, of one as it came.
  static func key(_ raw: Substring) -> String { decoded(Array(raw.utf8)[...]) }

  private static func decoded(_ part: ArraySlice<UInt8>) -> String {
    Charset.decode(PercentEncoding.decodedWhereValid(part))
  }
}
