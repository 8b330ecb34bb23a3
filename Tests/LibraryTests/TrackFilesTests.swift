import Media
import Testing
import Wire

@testable import Library

/// Files by their tracks.
@Suite struct TrackFilesTests {
  private func file(_ path: String, _ key: UInt64) -> MusicFile {
    MusicFile(
      root: "/m", path: Array(path.utf8),
      identity: .init(device: 0, inode: 0, bytes: 0, modified: 0), key: TrackKey(high: key, low: 0),
      format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2), title: path)
  }

  @Test func `of files of one track the first is found, and each track once`() {
    let files = MusicFiles([file("c", 1), file("b", 9), file("a", 5), file("d", 9), file("e", 5)])
    let tracks = TrackFiles(files)
    #expect(tracks.map(\.title) == ["c", "a", "b"])
    for (key, title) in [(0, nil), (1, "c"), (5, "a"), (6, nil), (9, "b"), (10, nil)]
      as [(UInt64, String?)]
    {
      #expect(tracks[TrackKey(high: key, low: 0)]?.title == title)
    }
    let some = TrackFiles(files) { $0.title > "a" }
    #expect(some.map(\.title) == ["c", "e", "b"])
    #expect(TrackFiles(MusicFiles())[TrackKey(high: 1, low: 0)] == nil)
  }
}
