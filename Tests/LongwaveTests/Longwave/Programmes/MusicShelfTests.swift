import Media
import Programmes
import Testing
import Wire

@testable import Library
@testable import Longwave

/// Which tracks people mean that queue them.
@Suite struct MusicShelfTests {
  private static let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)

  private static func file(
    _ number: Int, _ path: String, in root: String = "/srv/music",
    format: AudioFormat = Self.format
  ) -> MusicFile {
    MusicFile(
      root: root, path: Array(path.utf8),
      identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
      key: TrackKey(high: UInt64(number), low: 0),
      format: format, seconds: 100,
      title: "Title \(number)")
  }

  private static func shelf(
    _ folders: MusicFolder..., in format: AudioFormat = Self.format
  ) -> MusicShelf {
    let all = Dictionary(folders.map { ($0.root, $0) }) { first, _ in first }
    return MusicShelf(all, of: Set(all.keys), in: format)
  }

  private func outcome(_ shelf: MusicShelf, _ tracks: [ProgrammeCommand.Track]) -> [UInt64]? {
    try? shelf.entries(of: tracks, .end).map { $0.key?.high ?? 0 }
  }

  private func refusal(_ shelf: MusicShelf, _ track: ProgrammeCommand.Track) -> String? {
    do throws(ProgrammeFeed.Refusal) {
      _ = try shelf.entries(of: [track], .next)
      return nil
    } catch {
      if case .trackRefused(_, let reason) = error { return reason }
      return "\(error)"
    }
  }

  @Test func `tracks are found by key and by path, in any order and as often as they are named`() {
    let composed = "\u{E9}.mp3"
    let shelf = Self.shelf(
      MusicFolder(
        "/srv/music",
        files: [Self.file(1, "a/1.mp3"), Self.file(2, "2.mp3"), Self.file(3, composed)],
        isWhole: true),
      MusicFolder("/srv/music2", files: [Self.file(4, "4.mp3", in: "/srv/music2")], isWhole: true),
      MusicFolder("/one.mp3", files: [Self.file(5, "", in: "/one.mp3")], isWhole: true))
    let key = ProgrammeCommand.Track.key(TrackKey(high: 2, low: 0))
    #expect(
      outcome(
        shelf,
        [
          .path("/srv/music2/4.mp3"), key, .path("/srv/music/a/1.mp3"), .path("/srv/music//2.mp3"),
          .path("/srv/music/2.mp3"), .path("/srv/music/a/1.mp3"), .path("/one.mp3"),
          .path("/srv/music/\(composed)"),
        ]) == [4, 2, 1, 2, 2, 1, 5, 3])
    // A name is bytes: what looks alike is another file.
    for path in ["/srv/music/e\u{301}.mp3", "/srv/music", "/srv/mus", "/srv/music24.mp3", "2.mp3"] {
      #expect(
        refusal(shelf, .path(path)) == "\(ProgrammeFeed.Refusal.unknownTrack(path))", "\(path)")
    }
    #expect(outcome(shelf, [.path("/one.mp3"), .path("/none.mp3")]) == nil)
  }

  @Test func `of every file that is left out it is known why`() {
    let nowhere = Self.file(0, "").identity
    let many = (0..<1500).map {
      MusicFolder.Refused(
        path: Array("bad \($0).mp3".utf8), identity: nowhere, reason: "is bad \($0)")
    }
    // Nothing is made for a programme of AAC.
    let aac = AudioFormat(codec: .aac, sampleRate: 44_100, channels: 2)
    let others = (0..<1500).map { Self.file(10 + $0, "other \($0).mp3") }
    let shelf = Self.shelf(
      MusicFolder(
        "/srv/music", files: [Self.file(1, "1.aac", format: aac)] + others, refused: many,
        isWhole: true), in: aac)
    #expect(shelf.refusedCount == 3000 && shelf.refused.count == ProgrammeSnapshot.refusedMax)
    for number in [0, 999, 1499] {
      #expect(refusal(shelf, .path("/srv/music/bad \(number).mp3")) == "is bad \(number)")
      #expect(refusal(shelf, .path("/srv/music/other \(number).mp3")) == MusicFit.otherFormat)
      let key = TrackKey(high: UInt64(10 + number), low: 0)
      #expect(refusal(shelf, .key(key)) == MusicFit.otherFormat)
    }
  }

  @Test func `a track that is kept out is not queued, and a shelf of such tracks says so`() {
    let folder = MusicFolder(
      "/srv/music", files: [Self.file(1, "1.mp3"), Self.file(2, "2.mp3")], isWhole: true)
    let keys = [1, 2].map { TrackKey(high: $0, low: 0) }
    func shelf(without excluded: Set<TrackKey>) -> MusicShelf {
      MusicShelf([folder.root: folder], of: [folder.root], in: nil, without: excluded)
    }
    let one = shelf(without: [keys[0]])
    #expect(one.count == 1 && one.fileCount == 1)
    for track in [ProgrammeCommand.Track.key(keys[0]), .path("/srv/music//1.mp3")] {
      #expect(refusal(one, track) == "is kept out of every programme")
    }
    #expect(outcome(one, [.key(keys[1])]) == [2])
    #expect(shelf(without: Set(keys)).lack.hasPrefix("all of its music is kept out"))
  }

  @Test func `nothing is said to be empty before the first look at it is over`() {
    func lack(_ folder: MusicFolder) -> String {
      MusicShelf([folder.root: folder], of: [folder.root], in: nil, takesFirst: false).lack
    }
    let refused = MusicFolder.Refused(
      path: Array("a.mp3".utf8), identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
      reason: "has no audio")
    for files in [[], [Self.file(1, "b.mp3")]] {
      let folder = MusicFolder("/srv/music", files: files, refused: [refused])
      let words = "looks through its music: \(files.count + 1) files so far\n/srv/music"
      #expect(lack(folder) == words)
    }
    #expect(
      lack(MusicFolder("/srv/music", refused: [refused], isWhole: true))
        == "its only file cannot be played\n/srv/music")
  }
}
