import Media
import Timeshift
import Wire

extension CollectionRule {
  /// What a rule needs to know besides the files.
  public struct Surroundings: Sendable {
    public var now: WallTime
    /// The same seed and files give the same order, where chance decides.
    public var seed: Int64
    /// The tracks of the collections that it names.
    public var lists: [String: Set<TrackKey>]
    /// The ids of roots, by their paths.
    public var roots: [String: String]

    public init(
      now: WallTime, seed: Int64 = 0, lists: [String: Set<TrackKey>] = [:],
      roots: [String: String] = [:]
    ) {
      (self.now, self.seed, self.lists, self.roots) = (now, seed, lists, roots)
    }
  }

  /// Returns the files that a rule means, in its order; where it says none, by their paths.
  ///
  /// - Parameter files: each track once.
  public func files(of files: some Sequence<MusicFile>, _ around: Surroundings) -> [MusicFile] {
    let test = RuleMatch(self, around)
    let found = files.filter(test.holds).sorted {
      $0.root == $1.root ? PathOrder.precedes($0.path, $1.path) : $0.root < $1.root
    }
    return Array(sorted(found, test).prefix(limit ?? Self.tracksMax))
  }

  private func sorted(_ files: [MusicFile], _ test: RuleMatch) -> [MusicFile] {
    if orders.isEmpty { return files }
    let keys = files.map { file in
      orders.map { order -> RuleMatch.SortKey in
        switch order {
        case .random: .number(test.chance(of: file))
        case .field(let field, _): test.sortKey(of: file, field)
        }
      }
    }
    let places = files.indices.sorted { one, other in
      for (order, (first, second)) in zip(orders, zip(keys[one], keys[other])) where first != second
      {
        var isDescending = false
        if case .field(_, let down) = order { isDescending = down }
        return (first < second) != isDescending
      }
      return one < other
    }
    return places.map { files[$0] }
  }
}

/// Whether files are what a rule means.
struct RuleMatch {
  enum SortKey: Comparable {
    case none
    case number(Double)
    case text(String)
  }

  private typealias Field = CollectionRule.Field
  private let condition: Folded
  private let around: CollectionRule.Surroundings

  /// A condition whose texts have the form in which they are compared.
  private indirect enum Folded {
    case all([Folded])
    case any([Folded])
    case member(Set<TrackKey>, Bool)
    case text(Field, CollectionRule.Comparison, String)
    case number(Field, CollectionRule.Comparison, CollectionRule.Value)
  }

  init(_ rule: CollectionRule, _ around: CollectionRule.Surroundings) {
    (condition, self.around) = (Self.folded(rule.condition, around), around)
  }

  private static func folded(
    _ condition: CollectionRule.Condition, _ around: CollectionRule.Surroundings
  ) -> Folded {
    switch condition {
    case .all(let all): .all(all.map { folded($0, around) })
    case .any(let all): .any(all.map { folded($0, around) })
    case .member(let name, let isMember): .member(around.lists[name] ?? [], isMember)
    case .test(let test):
      if case .text(let text) = test.value {
        .text(test.field, test.comparison, form(of: text, test.field))
      } else {
        .number(test.field, test.comparison, test.value)
      }
    }
  }

  /// Names are compared as the search does it; paths and numbers of recordings by their letters.
  private static func form(of text: String, _ field: Field) -> String {
    switch field {
    case .path, .root, .isrc: text.lowercased()
    default: Folding.key(text)
    }
  }

  func holds(_ file: MusicFile) -> Bool { holds(condition, file) }

  private func holds(_ condition: Folded, _ file: MusicFile) -> Bool {
    switch condition {
    case .all(let all): all.allSatisfy { holds($0, file) }
    case .any(let all): all.contains { holds($0, file) }
    case .member(let keys, let isMember): keys.contains(file.key) == isMember
    case .text(let field, let comparison, let wanted):
      Self.holds(texts(of: file, field).map { Self.form(of: $0, field) }, comparison, wanted)
    case .number(let field, let comparison, let value):
      holds(number(of: file, field), comparison, value)
    }
  }

  /// One of several texts is enough; of what is denied, none may be there.
  private static func holds(
    _ texts: [String], _ comparison: CollectionRule.Comparison, _ wanted: String
  ) -> Bool {
    switch comparison {
    case .equals: texts.contains(wanted)
    case .differs: !texts.contains(wanted)
    case .contains: texts.contains { $0.contains(wanted) }
    case .notContains: !texts.contains { $0.contains(wanted) }
    case .startsWith: texts.contains { $0.hasPrefix(wanted) }
    case .endsWith: texts.contains { $0.hasSuffix(wanted) }
    case .greater, .less, .inTheRange, .before, .after, .inTheLast, .notInTheLast: false
    }
  }

  private func holds(
    _ number: Double?, _ comparison: CollectionRule.Comparison, _ value: CollectionRule.Value
  ) -> Bool {
    switch (comparison, value) {
    case (.equals, .number(let wanted)): number == wanted
    case (.differs, .number(let wanted)): number != wanted
    case (.equals, .flag(let wanted)): (number ?? 0 != 0) == wanted
    case (.differs, .flag(let wanted)): (number ?? 0 != 0) != wanted
    case (.greater, .number(let wanted)), (.after, .number(let wanted)):
      number.map { $0 > wanted } ?? false
    case (.less, .number(let wanted)), (.before, .number(let wanted)):
      number.map { $0 < wanted } ?? false
    case (.inTheRange, .range(let low, let high)):
      number.map { (min(low, high)...max(low, high)).contains($0) } ?? false
    case (.inTheLast, .number(let days)): number.map { $0 >= since(days) } ?? false
    case (.notInTheLast, .number(let days)): number.map { $0 < since(days) } ?? true
    default: false
    }
  }

  private func since(_ days: Double) -> Double {
    Double(around.now.milliseconds) / 1000 - days * 86_400
  }

  // MARK: Fields

  private func texts(of file: MusicFile, _ field: Field) -> [String] {
    switch field {
    case .title: [file.title]
    case .artist: [file.artist]
    case .album: [file.album]
    case .albumArtist: [file.details.albumArtist]
    case .genre: file.details.genres
    case .isrc: [file.details.isrc]
    case .label: [file.details.label]
    case .path: [String(decoding: file.path, as: UTF8.self)]
    case .root: [around.roots[file.root] ?? file.root]
    case .year, .disc, .number, .seconds, .bitrate, .sampleRate, .channels, .added, .lyrics,
      .guessed:
      []
    }
  }

  private func number(of file: MusicFile, _ field: Field) -> Double? {
    switch field {
    case .year: file.year.map(Double.init)
    case .disc: file.details.disc.map(Double.init)
    case .number: file.details.number.map(Double.init)
    case .seconds: file.seconds
    // As it is shown, in kbit/s.
    case .bitrate: file.details.bitrate == 0 ? nil : Double(file.details.bitrate) / 1000
    case .sampleRate: Double(file.format.sampleRate)
    case .channels: Double(file.format.channels)
    // A file is as new as its content.
    case .added: Double(file.identity.modified / 1_000_000) / 1000
    case .lyrics: file.details.lyrics == nil ? 0 : 1
    case .guessed: file.details.isGuessed ? 1 : 0
    case .title, .artist, .album, .albumArtist, .genre, .isrc, .label, .path, .root: nil
    }
  }

  func sortKey(of file: MusicFile, _ field: CollectionRule.Field) -> SortKey {
    if field.kind != .text { return number(of: file, field).map { .number($0) } ?? .none }
    let text = texts(of: file, field).first.map { Self.form(of: $0, field) } ?? ""
    return text.isEmpty ? .none : .text(text)
  }

  /// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
  func chance(of file: MusicFile) -> Double {
    func mixed(_ number: UInt64) -> UInt64 {
      var mixed = number &+ 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
    let seed = mixed(UInt64(bitPattern: around.seed))
    return Double(mixed(file.key.low ^ mixed(file.key.high) ^ seed) >> 11)
  }
}
