import Foundation
import TestSupport
import Wire

@testable import Programmes

/// Music that exists as values only.
enum Music {
  static func key(_ number: Int) -> TrackKey {
    var mix = SplitMix(seed: UInt64(number))
    return TrackKey(high: mix.next(), low: mix.next())
  }

  static func track(
    _ number: Int, _ seconds: Double = 240, artist: String = "", title: String? = nil,
    album: String = "", isExact: Bool = true, added: Int64 = 0
  ) -> Catalogue.Track {
    Catalogue.Track(
      key: key(number), seconds: seconds, isExact: isExact, artist: artist,
      title: title ?? "title \(number)", album: album, added: added)
  }

  /// Tracks of artists in turn, numbered from `first`.
  static func catalogue(
    _ count: Int, artists: Int = 1, first: Int = 0, seconds: (Int) -> Double = { _ in 240 }
  ) -> Catalogue {
    Catalogue(
      (first..<first + count).map {
        track($0, seconds($0), artist: "artist \(first) \($0 % artists)")
      })
  }

  /// Lengths between 2:30 and 5:30, as songs have.
  static func songLength(_ number: Int) -> Double {
    Double(SipHash.of("\(number)") % 180_000) / 1000 + 150
  }

  static let hot = Source.collection("hot")
  static let gold = Source.collection("gold")
  static let jingles = Source.collection("jingles")
  static let news = Source.url("https://example.org/news.mp3")

  /// Europe's rule: clocks change at 01:00 UTC.
  static let berlin = ZoneOffsets(
    name: "Europe/Berlin",
    changes: [
      .init(from: .min, offset: 3600), .init(from: seconds("2026-03-29T01:00:00Z"), offset: 7200),
      .init(from: seconds("2026-10-25T01:00:00Z"), offset: 3600),
      .init(from: seconds("2027-03-28T01:00:00Z"), offset: 7200),
    ])

  static func seconds(_ text: String) -> Int64 {
    ((try? TimestampText.parse(text)) ?? 0) / 1_000_000_000
  }

  /// Milliseconds since 1970.
  static func moment(_ text: String) -> Int64 { seconds(text) * 1000 }
}

extension ProgrammeState {
  /// The state as it is after it was written down and read again.
  func stored() throws -> ProgrammeState {
    try JSONDecoder().decode(ProgrammeState.self, from: JSONEncoder().encode(self))
  }
}

extension Plan {
  init(_ programme: Programme, _ catalogues: [Source: Catalogue], in zone: ZoneOffsets = .utc) {
    self.init(programme, Stock(catalogues), in: zone, state: ProgrammeState(seed: 7))
  }

  /// Returns the steps of some items, each at the end of the one before.
  mutating func steps(_ count: Int, from moment: Int64 = 0) -> [Step] {
    var now = moment
    return (0..<count).map { _ in
      let step = next(at: now)
      now = step.planned?.end ?? now + 60_000
      return step
    }
  }

  mutating func items(_ count: Int, from moment: Int64 = 0) -> [Planned] {
    steps(count, from: moment).compactMap(\.planned)
  }
}

extension [Planned] {
  var keys: [TrackKey] { compactMap { $0.track?.key } }
}
