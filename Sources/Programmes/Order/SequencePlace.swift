/// Where a source stands that is played in its own order, in which a track may come several times.
///
/// The place is kept by the last tracks' keys, so that it is the same after tracks were added, moved or taken away.
struct SequencePlace: Sendable {
  private(set) var cycle: Int64 = 1
  /// The place in the source that comes next.
  private(set) var next = 0
  /// Fingerprints of the last tracks, the newest last.
  private(set) var recent: [UInt64] = []
  /// Fingerprints of tracks that are passed over once.
  private(set) var skips: [UInt64] = []
  private var catalogue: Catalogue?

  static let recentMax = 16
  static let skipsMax = 500

  init() {}

  /// Makes a place that was written down.
  init(cycle: Int64, next: Int, recent: [UInt64], skips: [UInt64]) {
    self.cycle = max(1, cycle)
    self.next = max(0, min(next, Catalogue.tracksMax))
    self.recent = recent.suffix(Self.recentMax)
    self.skips = skips.suffix(Self.skipsMax)
  }

  var total: Int { catalogue?.tracks.count ?? 0 }
  var left: Int { max(0, total - next) }

  /// Finds the place in another catalogue.
  mutating func settle(in catalogue: Catalogue) {
    guard catalogue !== self.catalogue else { return }
    self.catalogue = catalogue
    for (back, print) in recent.reversed().enumerated() {
      // Of several equal tracks, the nearest to where it was; of two as near, the later one.
      let was = next - 1 - back
      let place = catalogue.places(of: print).reversed()
        .min { abs(Int($0) - was) < abs(Int($1) - was) }
      guard let place else { continue }
      next = Int(place) + 1
      return
    }
    next = min(next, catalogue.tracks.count)
  }

  /// Returns the next tracks up to the end, `most` at most.
  func candidates(_ most: Int) -> [Catalogue.Track] {
    guard let catalogue else { return [] }
    var skips = skips
    var found: [Catalogue.Track] = []
    var index = next
    while index < catalogue.tracks.count, found.count < most {
      let track = catalogue.tracks[index]
      index += 1
      if let skip = skips.firstIndex(of: track.fingerprint) {
        skips.remove(at: skip)
      } else if track.isPlayable {
        found.append(track)
      }
    }
    return found
  }

  /// Stands behind the next place of a track; false if it does not come any more.
  @discardableResult
  mutating func play(_ fingerprint: UInt64) -> Bool {
    guard let catalogue else { return false }
    var index = next
    while index < catalogue.tracks.count {
      let print = catalogue.tracks[index].fingerprint
      index += 1
      let skip = skips.firstIndex(of: print)
      if let skip { skips.remove(at: skip) }
      recent.append(print)
      if skip == nil, print == fingerprint {
        if recent.count > Self.recentMax { recent.removeFirst(recent.count - Self.recentMax) }
        next = index
        return true
      }
    }
    if recent.count > Self.recentMax { recent.removeFirst(recent.count - Self.recentMax) }
    next = index
    return false
  }

  /// Stands in front of the track that was played last; another one is left as it is.
  mutating func takeBack(_ fingerprint: UInt64) {
    guard recent.last == fingerprint, next > 0 else { return }
    recent.removeLast()
    next -= 1
  }

  /// Passes over a track that would come.
  mutating func skip(_ fingerprint: UInt64) {
    skips.append(fingerprint)
    if skips.count > Self.skipsMax { skips.removeFirst() }
  }

  /// Begins anew at the first track.
  mutating func begin() {
    (next, recent, skips) = (0, [], [])
    cycle = cycle == .max ? 1 : cycle + 1
  }
}
