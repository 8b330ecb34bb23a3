import Media
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Library
@testable import Longwave

/// Which tracks are measured, and what their loudness is then.
@Suite struct TrackMeasuresTests {
  /// What was kept, in its order.
  private final class Kept: Sendable {
    let all = Mutex<[TrackKey: TrackMeasure]>([:])
    let isWritable = Atomic(true)

    func save(_ measures: [TrackKey: TrackMeasure]) -> Bool {
      guard isWritable.load(ordering: .relaxed) else { return false }
      all.withLock { $0.merge(measures) { _, new in new } }
      return true
    }
  }

  private let kept = Kept()
  private let folder = TemporaryDirectory()

  private func makeMeasures(
    said: @escaping @Sendable (TrackKey) -> Double? = { _ in nil }
  ) -> TrackMeasures {
    TrackMeasures(said: said) { [kept] in kept.save($0) }
  }

  /// Sines that are so loud, in dBFS, as MP3s of two seconds.
  private func music(_ loudness: [Double]) throws -> [MusicFile] {
    for (number, decibels) in loudness.enumerated() {
      let sine = "pow(10\\,\(decibels)/20)*sin(2*PI*\(900 + number)*t)"
      try Tool.must(
        [
          "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
          "aevalsrc=\(sine)|\(sine):s=44100:d=2:c=stereo", "-b:a", "128k", "-y",
          folder.file("\(number).mp3"),
        ], in: folder)
      folder.age("\(number).mp3")
    }
    return Array(MusicScan(folder.path, tags: nil).look().folder.files)
  }

  private func shelf(_ files: [MusicFile]) -> MusicShelf {
    let found = MusicFolder(folder.path, files: files, isWhole: true)
    return MusicShelf([folder.path: found], of: [folder.path], in: nil)
  }

  @Test func `music whose tags say nothing is measured, kept, and known`() async throws {
    var files = try music([-20, -26, -14])
    files[1].levels.track = -3
    let measures = makeMeasures()
    measures.load([:])
    measures.follow(shelf(files), of: "night")
    try await eventually("two are kept") { kept.all.withLock { $0.count == 2 } }
    #expect(measures.count == 2 && measures[files[1].key] == nil)
    let loud = measures.levels(of: files[2])
    #expect(abs(try #require(loud.track) + 4) < 1 && loud.album == nil)
    #expect(abs(try #require(loud.trackPeak) - 0.2) < 0.04)
    #expect(measures.levels(of: files[1]).track == -3)
  }

  @Test func `nothing is measured before the database has said what it knows`() async throws {
    let files = try music([-20, -26])
    let measures = makeMeasures()
    measures.follow(shelf(files), of: "night")
    measures.load([files[0].key: TrackMeasure(loudness: -9, truePeak: 0)])
    try await eventually("the other one is kept") { kept.all.withLock { $0.count == 1 } }
    #expect(kept.all.withLock { $0[files[0].key] } == nil)
    #expect(measures.levels(of: files[0]).track == -9)
  }

  @Test func `what comes next is measured, whatever else waits`() async throws {
    let files = try music([-20, -26])
    let measures = makeMeasures()
    measures.load([:])
    measures.hurry(files[1])
    try await eventually("it is known") { measures[files[1].key] != nil }
    #expect(measures[files[0].key] == nil)
  }

  @Test func `a file that has changed since the look is passed over`() async throws {
    let files = try music([-20, -26])
    folder.write("0.mp3", Array("no audio".utf8))
    let measures = makeMeasures()
    measures.load([:])
    measures.follow(shelf(files), of: "night")
    try await eventually("the other one is kept") { kept.all.withLock { $0.count == 1 } }
    #expect(measures[files[0].key] == nil)
    // Other music may be what was away.
    let there = try music([-20, -26])
    measures.follow(shelf(there), of: "night")
    try await eventually("it is measured") { measures[there[0].key] != nil }
  }

  @Test func `a gain that people gave counts before tags and measures`() async throws {
    var files = try music([-20])
    files[0].levels.track = -3
    let measures = makeMeasures { _ in 2.5 }
    measures.load([files[0].key: TrackMeasure(loudness: -9, truePeak: -1)])
    let levels = measures.levels(of: files[0])
    #expect(levels.track == 2.5 && levels.album == 2.5)
  }

  @Test func `nothing is measured where only tags count, and all is where that ends`() async throws
  {
    let files = try music([-20])
    let measures = makeMeasures()
    measures.use(isOn: false)
    measures.load([:])
    measures.follow(shelf(files), of: "night")
    measures.hurry(files[0])
    #expect(measures.count == 0)
    measures.use(isOn: true)
    try await eventually("it is known") { measures.count == 1 }
  }

  @Test func `a part that comes next is measured with the others of its file`() async throws {
    let file = try music([-20])[0]
    let parts = [(nil, 0.7), (0.7, 1.4), (1.4, nil)].compactMap { TrackCue(from: $0, to: $1) }
      .map { cue in
        var part = file
        (part.cue, part.whole, part.key) = (cue, file.key, file.key.part(cue))
        return part
      }
    var list = MusicFolder(folder.file("mix.cue"), isWhole: true)
    list.files = MusicFiles(inOrder: parts)
    let key = MusicShelf.key(ofList: list.root)
    let measures = makeMeasures()
    measures.hurry(parts[2])
    measures.follow(MusicShelf([key: list], of: [key], in: nil), of: "night")
    measures.load([:])
    try await eventually("one is known") { measures[parts[2].key] != nil }
    #expect(measures.count == 3)
    let loudness = try #require(measures[parts[0].key]?.loudness)
    #expect(abs(loudness + 20) < 1)
  }

  @Test func `what the database refuses is written later`() async throws {
    let files = try music([-20, -26])
    kept.isWritable.store(false, ordering: .relaxed)
    let measures = makeMeasures()
    measures.load([:])
    measures.hurry(files[0])
    try await eventually("it is known") { measures[files[0].key] != nil }
    kept.isWritable.store(true, ordering: .relaxed)
    measures.hurry(files[1])
    try await eventually("both are kept") { kept.all.withLock { $0.count == 2 } }
  }
}
