import TestSupport
import Testing
import Wire

@testable import Media

/// The packets of a part of a file.
@Suite struct MediaCutTests {
  private let folder = TemporaryDirectory()

  private func cut(
    _ bytes: [UInt8], from start: Double?, to end: Double?
  ) throws -> (cut: MediaCut?, steps: Int) {
    folder.write("file", bytes)
    let file = try MediaFolder.open(bytes: Array("file".utf8), in: folder.path)
    let cue = try #require(TrackCue(from: start, to: end))
    var search = try #require(try MediaCutSearch(file, cue))
    var steps = 1
    while !(try search.step()) { steps += 1 }
    return (search.cut, steps)
  }

  @Test func `a part begins with the packet that has its first moment, and so does what follows`()
    throws
  {
    let bytes = NumberedFrames.stream(0..<5000)
    let (found, steps) = try cut(bytes, from: 1, to: 100)
    let part = try #require(found)
    // 44,100 samples are 38 frames and 324 samples.
    let first = NumberedFrames.position(of: 38), last = NumberedFrames.position(of: 3828)
    #expect(part.first?.packet.lowerBound == first && part.first?.into == 324)
    #expect(part.last?.packet.lowerBound == last && part.last?.into == 4_410_000 - 3828 * 1152)
    #expect(part.leadIn.isEmpty)
    #expect(part.warmUp?.from == NumberedFrames.position(of: 26))
    #expect(part.warmUp?.samples == 12 * 1152)
    // Not all of a long file is read at once.
    #expect(steps > 1)
    let next = try #require(try cut(bytes, from: 100, to: nil).cut)
    #expect(next.first == part.last && next.last == nil)
    let before = try #require(try cut(bytes, from: nil, to: 1).cut)
    #expect(before.first == nil && before.last == part.first && before.warmUp == nil)
  }

  @Test func `of a file that ends before it there is no part`() throws {
    let bytes = NumberedFrames.stream(0..<100)
    #expect(try cut(bytes, from: 3, to: nil).cut == nil)
    #expect(try cut(bytes, from: 3, to: 4).cut == nil)
    // Both in one packet.
    #expect(try cut(bytes, from: 1, to: 1.001).cut == nil)
    let whole = try #require(try cut(bytes, from: 1, to: 1000).cut)
    #expect(whole.first != nil && whole.last == nil)
  }

  @Test func `bounds that cannot be are no part`() {
    #expect(TrackCue(from: nil, to: nil) == nil && TrackCue(from: 0, to: nil) == nil)
    #expect(TrackCue(from: -1, to: 2) == nil && TrackCue(from: 2, to: 2) == nil)
    #expect(TrackCue(from: .nan, to: nil) == nil && TrackCue(from: nil, to: .infinity) == nil)
    #expect(TrackCue(from: 1, to: nil)?.seconds(of: 10) == 9)
    #expect(TrackCue(from: 1, to: 4)?.seconds(of: 3) == 2)
    #expect(TrackCue(from: nil, to: 4)?.seconds(of: 10) == 4)
    #expect(TrackCue(from: 11, to: nil)?.seconds(of: 10) == 0)
  }
}
