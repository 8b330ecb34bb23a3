import Wire

/// A rule for a collection: which tracks of the library are in it, in which order, and how many.
///
/// It is written as JSON, as Navidrome's smart playlists (`.nsp`) are: `{"all":[{"is":{"genre":"jazz"}}],"sort":"-added"}`.
public struct CollectionRule: Hashable, Sendable {
  public indirect enum Condition: Hashable, Sendable {
    case all([Condition])
    case any([Condition])
    case test(Test)
    /// Whether the track is in another collection.
    case member(of: String, Bool)
  }

  public struct Test: Hashable, Sendable {
    public var field: Field
    public var comparison: Comparison
    public var value: Value
  }

  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    case equals = "is"
    case differs = "isNot"
    case contains, notContains, startsWith, endsWith
    case greater = "gt"
    case less = "lt"
    case inTheRange, before, after, inTheLast, notInTheLast
  }

  public enum Value: Hashable, Sendable {
    case text(String)
    /// A number; of a date with `inTheLast` days, else seconds since 1970.
    case number(Double)
    case range(Double, Double)
    case flag(Bool)
  }

  public enum Order: Hashable, Sendable {
    case random
    case field(Field, isDescending: Bool)
  }

  public var condition: Condition
  public var orders: [Order]
  /// 1 to 100,000.
  public var limit: Int?

  /// The most tracks of a collection.
  public static let tracksMax = 100_000

  public init(_ condition: Condition, orders: [Order] = [], limit: Int? = nil) {
    (self.condition, self.orders, self.limit) = (condition, orders, limit)
  }

  /// The collections that it names.
  public var collections: Set<String> { Self.collections(in: condition) }

  private static func collections(in condition: Condition) -> Set<String> {
    switch condition {
    case .all(let all), .any(let all):
      all.reduce(into: []) { $0.formUnion(collections(in: $1)) }
    case .test: []
    case .member(let name, _): [name]
    }
  }

  /// What a rule can ask of a track.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case title, artist, albumArtist, album, genre, isrc, label, path, root
    case year, disc, number, seconds, bitrate, sampleRate, channels
    case added
    case lyrics, guessed

    enum Kind { case text, number, date, flag }

    var kind: Kind {
      switch self {
      case .title, .artist, .albumArtist, .album, .genre, .isrc, .label, .path, .root: .text
      case .year, .disc, .number, .seconds, .bitrate, .sampleRate, .channels: .number
      case .added: .date
      case .lyrics, .guessed: .flag
      }
    }

    /// Navidrome's names that are others than ours, in lower case.
    private static let others: [String: Field] = [
      "tracknumber": .number, "discnumber": .disc, "duration": .seconds, "dateadded": .added,
      "filepath": .path, "haslyrics": .lyrics,
    ]

    /// Finds a field by its name, in any case.
    public init?(name: String) {
      let lower = name.lowercased()
      guard
        let field = Self.allCases.first(where: { $0.rawValue.lowercased() == lower })
          ?? Self.others[lower]
      else { return nil }
      self = field
    }
  }

  /// What is wrong with a written rule.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as `all[1].is.genre`; empty: the whole.
    public var place: String
    public var message: String

    public var description: String { place.isEmpty ? message : "\(place): \(message)" }
  }
}

extension CollectionRule.Comparison {
  /// Whether a field of a kind can be asked so.
  func fits(_ kind: CollectionRule.Field.Kind) -> Bool {
    switch self {
    case .equals, .differs: kind != .date
    case .contains, .notContains, .startsWith, .endsWith: kind == .text
    case .greater, .less: kind == .number
    case .inTheRange: kind == .number || kind == .date
    case .before, .after, .inTheLast, .notInTheLast: kind == .date
    }
  }
}
