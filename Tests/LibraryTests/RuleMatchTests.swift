import Media
import Testing
import Timeshift
import Wire

@testable import Library

/// What rules find among files.
@Suite struct RuleMatchTests {
  private static func file(
    _ number: UInt64, _ title: String, _ artist: String, _ genres: [String], _ year: Int?,
    _ seconds: Double, added: Int64, _ root: String, _ path: String, hasLyrics: Bool = false
  ) -> MusicFile {
    var details = MusicDetails()
    (details.genres, details.bitrate) = (genres, 192_000)
    details.lyrics = hasLyrics ? .plain : nil
    return MusicFile(
      root: root, path: Array(path.utf8),
      identity: .init(device: 0, inode: number, bytes: 1, modified: added * 1_000_000_000),
      key: TrackKey(high: 0, low: number),
      format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2), seconds: seconds,
      title: title, artist: artist, year: year, details: details)
  }

  private static let files = [
    file(
      1, "Sinnerman", "Nina Simone", ["Jazz", "Soul"], 1965, 619, added: 1000, "/m", "Jazz/a.mp3"),
    file(2, "New Grass", "Talk Talk", ["Rock"], 1991, 580, added: 2000, "/m", "Rock/b_1.mp3"),
    file(
      3, "100% Pure", "Motörhead", ["Jazzy"], nil, 200.5, added: 900_000, "/nas", "c.mp3",
      hasLyrics: true),
  ]

  private func find(_ rule: String, seed: Int64 = 0) throws -> [UInt64] {
    let around = CollectionRule.Surroundings(
      now: WallTime(unixSeconds: 1_000_000), seed: seed,
      lists: ["a": [TrackKey(high: 0, low: 2), TrackKey(high: 0, low: 9)]], roots: ["/nas": "nas"])
    return try CollectionRule(rule).files(of: Self.files.reversed(), around).map(\.key.low)
  }

  @Test(
    arguments: [
      (#"{"all":[]}"#, [1, 2, 3]), (#"{"all":[{"is":{"artist":"NINA simone"}}]}"#, [1]),
      (#"{"all":[{"is":{"artist":"motorhead"}}]}"#, [3]),
      (#"{"all":[{"isNot":{"artist":"Nina Simone"}}]}"#, [2, 3]),
      (#"{"all":[{"is":{"genre":"jazz"}}]}"#, [1]), (#"{"all":[{"is":{"genre":"SOUL"}}]}"#, [1]),
      (#"{"all":[{"isNot":{"genre":"jazz"}}]}"#, [2, 3]),
      (#"{"all":[{"contains":{"genre":"jazz"}}]}"#, [1, 3]),
      (#"{"all":[{"startsWith":{"path":"jazz/"}}]}"#, [1]),
      (#"{"all":[{"endsWith":{"path":".mp3"}}]}"#, [1, 2, 3]),
      (#"{"all":[{"notContains":{"title":"n"}}]}"#, [3]),
      (#"{"all":[{"is":{"root":"nas"}}]}"#, [3]), (#"{"all":[{"gt":{"year":1964}}]}"#, [1, 2]),
      (#"{"all":[{"isNot":{"year":1965}}]}"#, [2, 3]),
      (#"{"all":[{"is":{"bitrate":192}}]}"#, [1, 2, 3]),
      (#"{"all":[{"inTheRange":{"seconds":[580,200.5]}}]}"#, [2, 3]),
      (#"{"all":[{"inTheLast":{"added":2}}]}"#, [3]),
      (#"{"all":[{"notInTheLast":{"added":2}}]}"#, [1, 2]),
      (#"{"all":[{"before":{"added":"1970-01-01T00:30:00Z"}}]}"#, [1]),
      (#"{"all":[{"is":{"lyrics":true}}]}"#, [3]),
      (#"{"all":[{"isNot":{"lyrics":true}}]}"#, [1, 2]),
      (
        #"{"any":[{"is":{"year":1965}},{"all":[{"lt":{"seconds":300}},{"gt":{"seconds":100}}]}]}"#,
        [1, 3]
      ),
      (#"{"all":[{"inCollection":"a"}]}"#, [2]), (#"{"all":[{"notInCollection":"a"}]}"#, [1, 3]),
      (#"{"all":[{"inCollection":"none"}]}"#, []),
      (#"{"all":[],"sort":"-year,title"}"#, [2, 1, 3]),
      (#"{"all":[],"sort":"path","limit":2}"#, [3, 1]),
    ] as [(String, [UInt64])])
  func `a rule finds what it says, in its order`(rule: String, tracks: [UInt64]) throws {
    #expect(try find(rule) == tracks)
  }

  @Test func `chance has the same order for the same seed, and others for others`() throws {
    let rule = #"{"all":[],"sort":"random"}"#
    let orders = try (0..<50).map { try find(rule, seed: $0) }
    #expect(try find(rule, seed: 7) == orders[7])
    #expect(Set(orders).count == 6)
    #expect(orders.allSatisfy { $0.sorted() == [1, 2, 3] })
  }
}
