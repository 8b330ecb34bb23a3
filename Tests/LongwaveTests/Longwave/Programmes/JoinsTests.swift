import Audio
import Library
import Media
import Programmes
import Testing
import Wire

@testable import Longwave

/// Which join is wanted, and which seams still count when they come.
@Suite struct JoinsTests {
  private static let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
  private static let seam = Seam(
    leave: 1000, before: [1], secondsBefore: 0.1, behind: [2], samples: 0..<1152, enter: 500,
    early: 0)

  private func wish(_ from: UInt64, _ to: Int64, _ place: Joins.Place = .end) -> Joins.Wish {
    let file = MusicFile(
      root: "/m", path: [], identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
      key: TrackKey(high: 1, low: UInt64(to)), format: Self.format, title: "T")
    return Joins.Wish(from: from, to: to, file: file, join: .gapless, place: place)
  }

  @Test func `a seam is asked for once, and counts as long as it is wanted`() {
    var joins = Joins()
    let first = joins.want(wish(1, 2)) ?? -1
    let again = joins.want(wish(1, 2))
    #expect(first >= 0 && again == nil)
    #expect(joins.refusal == "its join was not ready in time")
    // Another item comes next: what was begun is not wanted any more.
    let second = joins.want(wish(1, 3)) ?? -1
    let isOldTaken = joins.take(.success(Self.seam), of: first, at: 0)
    #expect(!isOldTaken && joins.made == nil)
    let isTaken = joins.take(.success(Self.seam), of: second, at: 1000)
    #expect(isTaken && joins.made?.wish == wish(1, 3) && joins.refusal == nil)
    let third = joins.want(wish(1, 3))
    #expect(third == nil && joins.made != nil)
    let none = joins.want(nil)
    #expect(none == nil && joins.made == nil)
  }

  @Test func `a level that is measured late costs no seam that is there`() {
    var joins = Joins()
    let number = joins.want(wish(1, 2)) ?? -1
    var louder = wish(1, 2)
    louder.stepsTo = 3
    // One that is being made is made with it.
    let again = joins.want(louder) ?? -1
    #expect(number >= 0 && again > number)
    _ = joins.take(.success(Self.seam), of: again, at: 0)
    let late = joins.want(wish(1, 2))
    #expect(late == nil && joins.made?.wish == louder)
    // What plays by now has another level for good.
    louder.stepsFrom = 1
    let other = joins.want(louder)
    #expect(other != nil && joins.made == nil)
  }

  @Test func `what changes without end is cut, and the next item has its seam`() {
    var joins = Joins()
    var asked = 0
    for turn in 0..<100 {
      let number = joins.want(wish(1, Int64(2 + turn % 2)))
      if number != nil { asked += 1 }
    }
    #expect(asked == Joins.askedMax && joins.refusal == "what comes next changed too often")
    let next = joins.want(wish(2, 4))
    #expect(next != nil)
  }

  @Test func `a seam that comes too late is refused, and not asked for again`() {
    var joins = Joins()
    let number = joins.want(wish(1, 2)) ?? -1
    let isTaken = joins.take(.success(Self.seam), of: number, at: 1001)
    #expect(isTaken && joins.made == nil)
    #expect(joins.refusal == "its join was not ready in time")
    let again = joins.want(wish(1, 2))
    #expect(again == nil)
    // A command wants another place.
    let next = joins.want(wish(1, 2, .now(1))) ?? -1
    _ = joins.take(.failure(.init(reason: "no")), of: next, at: 0)
    #expect(joins.refusal == "no")
    let isTwice = joins.take(.success(Self.seam), of: next, at: 0)
    #expect(!isTwice)
    joins.drop()
    #expect(joins.wish == nil && joins.refusal == nil)
  }

  @Test(arguments: [
    (PlayRules(), false, false, (100.0, 100.0), SeamMaker.Join.gapless),
    (PlayRules(join: .gapless), true, false, (100, 100), .gapless),
    (PlayRules(join: .gapless), false, true, (100, 100), .blend(0.5)),
    (PlayRules(join: .cut), false, true, (100, 100), nil),
    (PlayRules(join: .cut, fade: 3), false, false, (100, 100), nil),
    (PlayRules(join: .fade), false, false, (100, 100), .fade(4)),
    (PlayRules(join: .fade, fade: 7.5), false, false, (100, 100), .fade(7.5)),
    (PlayRules(join: .fade, fade: 7.5), true, false, (100, 100), .over(7.5)),
    (PlayRules(join: .fade, fade: 7.5), true, true, (100, 100), .blend(0.5)),
    // At most a third of either is shared.
    (PlayRules(join: .fade), false, false, (100, 6), .fade(2)),
    (PlayRules(join: .fade), false, false, (9, 100), .fade(3)),
    (PlayRules(join: .fade), false, false, (1, 100), .gapless),
  ])
  func `a programme's rules say how one file follows another`(
    rules: PlayRules, isInsert: Bool, isCut: Bool, seconds: (Double, Double), join: SeamMaker.Join?
  ) {
    let found = rules.join(
      in: Self.format, isInsert: isInsert, isCut: isCut, seconds: (seconds.0, seconds.1))
    #expect(found == join)
    let aac = AudioFormat(codec: .aac, sampleRate: 44_100, channels: 2)
    #expect(rules.join(in: aac, isInsert: isInsert, isCut: isCut, seconds: (9, 9)) == nil)
  }

  @Test(
    arguments: [
      (TrackGain(), -14.0, false, 0),
      // ReplayGain says how far it is to -18.
      (TrackGain(track: -6), -18, false, -4), (TrackGain(track: -6), -12, false, 0),
      (TrackGain(track: -6), -6, false, 0), (TrackGain(track: 3, trackPeak: 0.1), -18, false, 2),
      // Nothing goes above -1 dB of full scale, and nothing is louder of which the peak is not known.
      (TrackGain(track: 9, trackPeak: 0.7), -18, false, 1), (TrackGain(track: 9), -18, false, 0),
      (TrackGain(track: 9, trackPeak: 1.2), -18, false, 0),
      (TrackGain(track: 9, trackPeak: 0), -18, false, 0),
      (TrackGain(track: -3, album: -6), -18, true, -4),
      (TrackGain(track: -3, album: -6), -18, false, -2),
      (TrackGain(track: -3), -18, true, -2), (TrackGain(album: -6), -18, false, -4),
    ] as [(TrackGain, Double, Bool, Int)])
  func `tags say by how many steps a file is made louder`(
    levels: TrackGain, target: Double, isOfAlbum: Bool, steps: Int
  ) {
    #expect(ItemGain.steps(levels, to: target, isOfAlbum: isOfAlbum) == steps)
  }
}
