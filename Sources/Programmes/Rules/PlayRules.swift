/// From which sources tracks come.
public enum Choice: Hashable, Sendable {
  public struct Weighted: Hashable, Sendable {
    public var source: Source
    /// How often the source comes beside the others.
    public var weight: Int

    public init(_ source: Source, weight: Int = 1) {
      (self.source, self.weight) = (source, weight)
    }
  }

  public struct Slot: Hashable, Sendable {
    public var source: Source
    /// How many tracks come from the source, one after the other.
    public var count: Int

    public init(_ source: Source, count: Int = 1) {
      (self.source, self.count) = (source, count)
    }
  }

  /// Sources in an order that the seed gives, each as often as its weight says.
  case play([Weighted])
  /// Sources in turn, for ever.
  case wheel([Slot])

  public static let sourcesMax = 32
  public static let weights = 1...100
  public static let slotsMax = 64
  public static let counts = 1...20

  public static func play(_ source: Source) -> Choice { .play([Weighted(source)]) }

  public var sources: [Source] {
    switch self {
    case .play(let sources): sources.map(\.source)
    case .wheel(let slots): slots.map(\.source)
    }
  }
}

/// The order of a source's tracks.
public enum Order: String, Hashable, Sendable, CaseIterable {
  case sequence, shuffle, newest
}

/// What follows the last track of a source.
public enum Repeat: String, Hashable, Sendable, CaseIterable {
  case all, one
  /// Nothing: each source is played once. No case is called as that of an optional is.
  case once = "none"
}

/// How one item follows another.
public enum Join: String, Hashable, Sendable, CaseIterable {
  case cut, gapless, fade
}

/// Seconds that lie at least between two tracks of one artist, of one title, of one album, where that can be.
public struct Separate: Hashable, Sendable {
  public var artist: Int
  public var title: Int
  public var album: Int

  /// A day: what is longer ago is forgotten.
  public static let seconds = 0...86_400
  /// What holds with `order: shuffle` if nothing is said.
  public static let ofShuffle = Separate(artist: 3600, title: 14_400, album: 0)
  public static let zero = Separate(artist: 0, title: 0, album: 0)

  public init(artist: Int, title: Int, album: Int) {
    (self.artist, self.title, self.album) = (artist, title, album)
  }
}

/// What can differ between a programme and its parts; nil where a part leaves it as it is outside of it.
public struct PlayRules: Hashable, Sendable {
  public var choice: Choice?
  public var order: Order?
  public var repeats: Repeat?
  public var separate: Separate?
  public var join: Join?
  /// Seconds of a fade.
  public var fade: Double?
  /// LUFS.
  public var loudness: Double?
  public var inserts: [InsertRule]?

  public static let fades = 0.5...15.0
  public static let fadeStandard = 4.0
  public static let loudnesses = -30.0 ... -8.0
  public static let insertsMax = 32

  public init(
    _ choice: Choice? = nil, order: Order? = nil, repeats: Repeat? = nil,
    separate: Separate? = nil, join: Join? = nil, fade: Double? = nil, loudness: Double? = nil,
    inserts: [InsertRule]? = nil
  ) {
    (self.choice, self.order, self.repeats, self.separate) = (choice, order, repeats, separate)
    (self.join, self.fade, self.loudness, self.inserts) = (join, fade, loudness, inserts)
  }

  /// Whether nothing differs.
  public var isEmpty: Bool { self == PlayRules() }

  /// Returns these rules with those of `part` in place of them, where it has some.
  public func replaced(by part: PlayRules) -> PlayRules {
    PlayRules(
      part.choice ?? choice, order: part.order ?? order, repeats: part.repeats ?? repeats,
      separate: part.separate ?? separate, join: part.join ?? join, fade: part.fade ?? fade,
      loudness: part.loudness ?? loudness, inserts: part.inserts ?? inserts)
  }

  /// Returns the seconds by which an item begins before the end of one that lasts so long: a fade, and at most a third.
  public func overlap(of seconds: Double) -> Double {
    join == .fade ? min(fade ?? Self.fadeStandard, max(0, seconds) / 3) : 0
  }

  /// What holds where nothing is said.
  public var separation: Separate { separate ?? (order == .shuffle ? .ofShuffle : .zero) }
}
