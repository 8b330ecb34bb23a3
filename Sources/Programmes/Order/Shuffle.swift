import Wire

/// The order of a source's tracks in one cycle, by a seed.
///
/// Each artist's *n* tracks, ordered by a hash, stand at `(i + u + j) / n` of the cycle: `u` is the artist's in that
/// cycle, and `j`, a quarter of a step either way, the track's. So an artist is spread by construction, and another track
/// moves that artist's only.
struct Shuffle {
  /// Counts up when the same seed gives another order.
  static let version = 1

  private let key: UInt64

  init(seed: Int64) { key = UInt64(bitPattern: seed) }

  /// What a number is for: equal inputs of two purposes must not give equal numbers.
  private enum Purpose: UInt64 {
    case order = 1
    case artist, track, slot
  }

  private func hash(
    _ purpose: Purpose, _ source: UInt64, _ cycle: Int64, _ one: UInt64, _ two: UInt64 = 0
  ) -> UInt64 {
    var hash = SipHash(key, purpose.rawValue)
    hash.add(source)
    hash.add(UInt64(bitPattern: cycle))
    hash.add(one)
    hash.add(two)
    return hash.finish()
  }

  /// Returns the places of a catalogue's tracks in the order of a cycle.
  func order(of catalogue: Catalogue, source: UInt64, cycle: Int64) -> [UInt32] {
    let tracks = catalogue.tracks
    var found: [(at: UInt64, place: UInt32)] = []
    found.reserveCapacity(catalogue.count)
    var group: [(hash: UInt64, place: UInt32)] = []
    var rest = catalogue.byArtist[...]
    while let first = rest.first {
      let artist = tracks[Int(first)].artist
      group.removeAll(keepingCapacity: true)
      while let place = rest.first, tracks[Int(place)].artist == artist {
        let key = tracks[Int(place)].key
        group.append((hash(.order, source, cycle, key.high, key.low), place))
        rest.removeFirst()
      }
      group.sort { ($0.hash, $0.place) < ($1.hash, $1.place) }
      let shift = hash(.artist, source, cycle, artist)
      for (index, entry) in group.enumerated() {
        let key = tracks[Int(entry.place)].key
        let jitter = hash(.track, source, cycle, key.high, key.low)
        found.append((Self.place(index, of: group.count, shift, jitter), entry.place))
      }
    }
    found.sort { one, two in
      one.at == two.at
        ? tracks[Int(one.place)].key < tracks[Int(two.place)].key : one.at < two.at
    }
    return found.map(\.place)
  }

  /// Returns the indices of `weights`, each as often as its weight, in the order of a cycle.
  func slots(_ weights: [Int], choice: UInt64, cycle: Int64) -> [Int] {
    var found: [(at: UInt64, index: Int)] = []
    for (index, weight) in weights.enumerated() {
      let shift = hash(.slot, choice, cycle, UInt64(index))
      for step in 0..<weight {
        let jitter = hash(.slot, choice, cycle, UInt64(index), UInt64(step) + 1)
        found.append((Self.place(step, of: weight, shift, jitter), index))
      }
    }
    found.sort { ($0.at, $0.index) < ($1.at, $1.index) }
    return found.map(\.index)
  }

  /// Returns `(index + u + j) / count` modulo 1, in units of 2^-43: whole numbers are equal on every machine.
  private static func place(
    _ index: Int, of count: Int, _ shift: UInt64, _ jitter: UInt64
  ) -> UInt64 {
    // Units of 2^-32 of a step: u below 1, j between -1/4 and 1/4.
    let steps = UInt64(count) << 32
    let sum = UInt64(index) << 32 + shift >> 32 + jitter >> 33 + steps - 1 << 30
    // A source has at most 2^18 tracks, so that the shifted sum has 61 bits.
    return (sum % steps) << 11 / UInt64(count)
  }
}
