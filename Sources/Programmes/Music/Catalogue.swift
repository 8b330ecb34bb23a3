import Wire

/// The tracks of one source in their order; never changed.
public final class Catalogue: Sendable {
  /// One track in 48 bytes; texts are kept as hashes, since they are only compared.
  public struct Track: Hashable, Sendable {
    public let key: TrackKey
    /// Equal for tracks of one artist; 0: unknown.
    public let artist: UInt64
    /// Equal for tracks of one artist and title, whatever the file; 0: unknown.
    public let title: UInt64
    /// Equal for tracks of one album; 0: unknown.
    public let album: UInt64
    /// Milliseconds; the highest bit is set where they are exact.
    private let length: UInt32
    /// Seconds since 1970.
    private let date: UInt32

    private static let exactBit: UInt32 = 1 << 31

    /// - Parameters:
    ///   - seconds: How long it plays, up to 24 days.
    ///   - isExact: Whether that was counted; estimates are no basis for being on time.
    ///   - artist: The text in the form in which the library compares it, as are `title` and `album`; empty: unknown.
    ///   - added: When it was added or published, in seconds since 1970.
    public init(
      key: TrackKey, seconds: Double, isExact: Bool, artist: String = "", title: String = "",
      album: String = "", added: Int64 = 0
    ) {
      self.key = key
      self.artist = Self.hash(artist)
      // An artist never ends in a zero byte, so no other pair makes the same text.
      self.title = title.isEmpty ? 0 : Self.hash(artist + "\0" + title)
      self.album = Self.hash(album)
      let milliseconds = UInt32(bounded: seconds * 1000 + 0.5, in: 0...Self.exactBit - 1)
      length = isExact ? milliseconds | Self.exactBit : milliseconds
      date = UInt32(clamping: added)
    }

    private static func hash(_ text: String) -> UInt64 {
      text.isEmpty ? 0 : max(SipHash.of(text), 1)
    }

    public var milliseconds: Int64 { Int64(length & ~Self.exactBit) }
    public var seconds: Double { Double(milliseconds) / 1000 }
    public var isExact: Bool { length & Self.exactBit != 0 }
    public var added: Int64 { Int64(date) }

    /// Whether it is long enough to be played: what is shorter would come by the thousand.
    public var isPlayable: Bool { milliseconds >= Self.millisecondsMin }

    static let millisecondsMin: Int64 = 100

    /// What a state knows it by: half of the key is enough, since no source has 2^32 tracks.
    var fingerprint: UInt64 { key.high }
  }

  /// More tracks are left out: a state must name those that were played.
  public static let tracksMax = 250_000

  public let tracks: [Track]
  /// Places in `tracks` by rising key; equal keys by rising place.
  private let byKey: [UInt32]
  /// Places of what can be played, each key once, artist by artist, by rising key.
  let byArtist: [UInt32]
  /// Places of what can be played, each key once, the newest first.
  let byDate: [UInt32]

  public init(_ tracks: some Sequence<Track>) {
    let tracks = Array(tracks.prefix(Self.tracksMax))
    self.tracks = tracks
    var places = Array(0..<UInt32(tracks.count))
    places.sort { (tracks[Int($0)].key, $0) < (tracks[Int($1)].key, $1) }
    byKey = places
    var last: TrackKey?
    places.removeAll { place in
      let track = tracks[Int(place)]
      defer { last = track.key }
      return track.key == last || !track.isPlayable
    }
    // What can be played of several equal keys is the first: equal keys are one track, and have one length.
    byDate = places.sorted {
      let (one, two) = (tracks[Int($0)], tracks[Int($1)])
      return one.added == two.added ? $0 < $1 : one.added > two.added
    }
    places.sort {
      let (one, two) = (tracks[Int($0)], tracks[Int($1)])
      return (one.artist, one.key) < (two.artist, two.key)
    }
    byArtist = places
  }

  /// The number of different tracks that can be played.
  public var count: Int { byArtist.count }
  public var isEmpty: Bool { byArtist.isEmpty }

  /// Returns the places of a track in `tracks`, rising.
  func places(of fingerprint: UInt64) -> ArraySlice<UInt32> {
    let first = firstPlace { self.tracks[Int($0)].fingerprint >= fingerprint }
    var end = first
    while end < byKey.count, tracks[Int(byKey[end])].fingerprint == fingerprint { end += 1 }
    return byKey[first..<end]
  }

  /// Returns the track with a key.
  public func track(_ key: TrackKey) -> Track? {
    places(of: key.high).lazy.map { self.tracks[Int($0)] }.first { $0.key == key }
  }

  /// Returns the first place in `byKey` for which a condition holds that holds for all behind it.
  private func firstPlace(where holds: (UInt32) -> Bool) -> Int {
    var (low, high) = (0, byKey.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(byKey[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
