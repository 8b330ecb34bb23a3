import Wire

/// The tracks that a station has played last, from whatever source.
struct History: Sendable {
  struct Entry: Hashable, Sendable {
    /// When it began, in milliseconds since 1970.
    var at: Int64
    var artist: UInt64
    var title: UInt64
    var album: UInt64
  }

  /// A day of tracks of 3:36.
  static let entriesMax = 400

  /// The newest last.
  private(set) var entries: [Entry] = []

  init(_ entries: [Entry] = []) {
    self.entries = entries.suffix(Self.entriesMax).sorted { $0.at < $1.at }
  }

  mutating func add(_ track: Catalogue.Track, at moment: Int64) {
    entries.append(
      Entry(at: moment, artist: track.artist, title: track.title, album: track.album))
    // Removed by the dozen, since each removal moves the rest.
    if entries.count > Self.entriesMax + 32 {
      entries.removeFirst(entries.count - Self.entriesMax)
    }
  }

  /// Moves all back where the clock was put back: what was played before stays before.
  mutating func settle(at moment: Int64) {
    guard let last = entries.last?.at, last > moment else { return }
    for index in entries.indices {
      entries[index].at = entries[index].at.saturatingSubtract(last - moment)
    }
  }
}

/// What a track was nearer to than `separate` wants.
public enum Relaxed: String, Hashable, Sendable, CaseIterable {
  case artist, title, album
}

/// Whether tracks are far enough from what was played, at one moment.
struct Separation {
  private let rules: Separate
  private let moment: Int64
  /// The newest first: as far back as any rule looks.
  private let entries: [History.Entry]

  init(_ rules: Separate, _ history: History, at moment: Int64) {
    (self.rules, self.moment) = (rules, moment)
    let reach = Int64(max(rules.artist, rules.title, rules.album)) * 1000
    entries = history.entries.reversed().prefix { moment - $0.at < reach }
  }

  /// How near a track is: the rules that it breaks, and the smallest part of a wanted distance, in millionths.
  struct Nearness {
    var broken: [Relaxed] = []
    var part: Int64 = .max
  }

  func nearness(of track: Catalogue.Track) -> Nearness {
    var nearness = Nearness()
    for (rule, wanted, value, path) in [
      (Relaxed.artist, rules.artist, track.artist, \History.Entry.artist),
      (.title, rules.title, track.title, \.title), (.album, rules.album, track.album, \.album),
    ] where wanted > 0 && value != 0 {
      let wanted = Int64(wanted) * 1000
      guard let entry = entries.first(where: { $0[keyPath: path] == value }) else { continue }
      let gone = moment - entry.at
      guard gone < wanted else { continue }
      nearness.broken.append(rule)
      nearness.part = min(nearness.part, gone * 1_000_000 / wanted)
    }
    return nearness
  }

  /// Whether a track breaks no rule.
  func allows(_ track: Catalogue.Track) -> Bool {
    for entry in entries {
      let gone = moment - entry.at
      if isNear(rules.artist, gone), track.artist != 0, entry.artist == track.artist {
        return false
      }
      if isNear(rules.title, gone), track.title != 0, entry.title == track.title { return false }
      if isNear(rules.album, gone), track.album != 0, entry.album == track.album { return false }
    }
    return true
  }

  private func isNear(_ wanted: Int, _ gone: Int64) -> Bool { gone < Int64(wanted) * 1000 }

  /// Whether two tracks may follow each other.
  func allows(_ one: Catalogue.Track, then two: Catalogue.Track) -> Bool {
    !(rules.artist > 0 && one.artist != 0 && one.artist == two.artist
      || rules.title > 0 && one.title != 0 && one.title == two.title
      || rules.album > 0 && one.album != 0 && one.album == two.album)
  }
}
