/// Figures that are wanted of a station's sound.
struct SoundWish: OptionSet, Hashable {
  let rawValue: Int

  static let levels = SoundWish(rawValue: 1)
  static let spectrum = SoundWish(rawValue: 2)
  /// Levels and bands as pictures show them.
  static let sound = SoundWish(rawValue: 4)
  /// Dead air, loudness out of bounds, and clipping.
  static let rules = SoundWish(rawValue: 8)
  /// Levels and loudness for the station's state and the metrics.
  static let always = SoundWish(rawValue: 16)

  /// Most `levels` of a station that are made in a second of sound.
  static let levelsPerSecond = 20
  /// Most `spectrum` of a station that are made in a second of sound.
  static let spectraPerSecond = 30

  /// The kinds of figures that are made of decoded sound.
  static let kinds: [RelayEvent.Kind] = [.levels, .spectrum, .sound]

  init(rawValue: Int) { self.rawValue = rawValue }

  /// The wish of watchers of a kind.
  init(_ kind: RelayEvent.Kind?) {
    switch kind {
    case .levels: self = .levels
    case .spectrum: self = .spectrum
    case .sound: self = .sound
    default: self = []
    }
  }
}
