/// What a player wants of a reload of a media playlist (RFC 8216bis §6.2.5).
public struct HLSDirectives: Hashable, Sendable {
  public enum Skip: Hashable, Sendable {
    /// The whole list.
    case nothing
    /// A list without its older segments.
    case segments
    /// A list without its older segments and titles.
    case segmentsAndTitles
  }

  /// An answer 400, and the key that is the reason.
  public struct Refusal: Error, Hashable, Sendable {
    public let key: String
    public let message: String
  }

  /// The number of the segment that is waited for; nil: nothing is. A number beyond 64 bits is the largest.
  public var number: UInt64?
  public var skip = Skip.nothing

  public init(number: UInt64? = nil, skip: Skip = .nothing) {
    (self.number, self.skip) = (number, skip)
  }

  private static let numberKey = "_HLS_msn"
  private static let skipKey = "_HLS_skip"
  private static let partKey = "_HLS_part"

  public init(_ query: HTTPQuery) throws(Refusal) {
    for key in [Self.numberKey, Self.skipKey] where query.count(of: key) > 1 {
      throw Refusal(key: key, message: "\(key) is given twice; give it once")
    }
    if query[Self.partKey] != nil {
      throw Refusal(
        key: Self.partKey, message: "\(Self.partKey): this playlist has whole segments only")
    }
    if let text = query[Self.numberKey] {
      guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else {
        throw Refusal(
          key: Self.numberKey,
          message: "\(Self.numberKey): \"\(text.prefix(64))\" is no number of a segment")
      }
      number = UInt64(text) ?? .max
    }
    switch query[Self.skipKey] {
    case nil: break
    case "YES": skip = .segments
    case "v2": skip = .segmentsAndTitles
    case let text?:
      throw Refusal(
        key: Self.skipKey, message: "\(Self.skipKey): \"\(text.prefix(64))\" is not YES or v2")
    }
  }
}
