/// Once through a source's tracks, each once: by shuffle, or the newest first.
///
/// What was played is known by key, so that edits of the source neither repeat nor leave out a track.
struct Cycle: Sendable {
  /// Counts from 1.
  private(set) var number: Int64 = 1
  /// The number of tracks that are still to come.
  private(set) var left = 0
  private var catalogue: Catalogue?
  /// Places of all tracks in the order of this cycle; shared by copies.
  private var order: [UInt32] = []
  /// The number of places at the beginning of `order` that were all played.
  private var frontier = 0
  /// One bit for each place of the catalogue.
  private var played: [UInt64] = []
  /// Fingerprints of tracks that were played in this cycle, and that the catalogue does not have now.
  private var strangers: [UInt64] = []
  private var seed: Int64?

  init() {}

  /// Makes a cycle that was written down.
  init(number: Int64, played: [UInt64]) {
    self.number = max(1, number)
    strangers = Array(played.suffix(Catalogue.tracksMax))
  }

  /// Fingerprints of what was played in this cycle.
  var fingerprints: [UInt64] {
    guard let catalogue else { return strangers }
    let known = catalogue.byDate.filter(isPlayed).map { catalogue.tracks[Int($0)].fingerprint }
    return strangers + known
  }

  /// Whether all was played, and there was something.
  var isOver: Bool { left == 0 && !order.isEmpty }
  var total: Int { order.count }

  /// Makes the order for a catalogue, unless it is the one that is known.
  mutating func settle(
    in catalogue: Catalogue, _ kind: Kind, source: UInt64, seed: Int64
  ) {
    guard catalogue !== self.catalogue || seed != self.seed else { return }
    let before = fingerprints
    (self.catalogue, self.seed) = (catalogue, seed)
    arrange(kind, source)
    strangers = before.filter { print in
      let places = catalogue.places(of: print).filter { catalogue.tracks[Int($0)].isPlayable }
      // Of equal keys, the first place is the one in the order.
      if let place = places.first { mark(place) }
      return places.isEmpty
    }
    if strangers.count > Catalogue.tracksMax {
      strangers.removeFirst(strangers.count - Catalogue.tracksMax)
    }
  }

  enum Kind: Sendable { case shuffle, newest }

  /// Begins the next cycle.
  mutating func begin(_ kind: Kind, source: UInt64) {
    number = number == .max ? 1 : number + 1
    strangers = []
    arrange(kind, source)
  }

  private mutating func arrange(_ kind: Kind, _ source: UInt64) {
    guard let catalogue else { return }
    order =
      switch kind {
      case .newest: catalogue.byDate
      case .shuffle:
        Shuffle(seed: seed ?? 0).order(of: catalogue, source: source, cycle: number)
      }
    played = Array(repeating: 0, count: (catalogue.tracks.count + 63) / 64)
    (left, frontier) = (order.count, 0)
  }

  private func isPlayed(_ place: UInt32) -> Bool {
    played[Int(place / 64)] & 1 << UInt64(place % 64) != 0
  }

  private mutating func mark(_ place: UInt32) {
    guard !isPlayed(place) else { return }
    played[Int(place / 64)] |= 1 << UInt64(place % 64)
    left -= 1
    while frontier < order.count, isPlayed(order[frontier]) { frontier += 1 }
  }

  /// Counts a track as played; false if it is none of this cycle, or was played.
  @discardableResult
  mutating func play(_ fingerprint: UInt64) -> Bool {
    guard let place = unplayed(fingerprint) else { return false }
    mark(place)
    return true
  }

  /// Whether a track is still to come.
  func isLeft(_ fingerprint: UInt64) -> Bool { unplayed(fingerprint) != nil }

  private func unplayed(_ fingerprint: UInt64) -> UInt32? {
    guard let catalogue else { return nil }
    let place = catalogue.places(of: fingerprint).first { catalogue.tracks[Int($0)].isPlayable }
    return place.flatMap { isPlayed($0) ? nil : $0 }
  }

  /// Returns the first tracks that are still to come, `most` at most.
  func candidates(_ most: Int) -> [Catalogue.Track] {
    guard let catalogue else { return [] }
    var found: [Catalogue.Track] = []
    found.reserveCapacity(min(most, left))
    var index = frontier
    while index < order.count, found.count < most {
      if !isPlayed(order[index]) { found.append(catalogue.tracks[Int(order[index])]) }
      index += 1
    }
    return found
  }
}

extension Cycle {
  /// The track with a fingerprint, of the catalogue in which the cycle stands.
  func track(_ fingerprint: UInt64) -> Catalogue.Track? {
    catalogue?.places(of: fingerprint).first.flatMap { catalogue?.tracks[Int($0)] }
  }
}
