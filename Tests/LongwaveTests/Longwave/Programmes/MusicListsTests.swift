import Synchronization
import TestSupport
import Testing

@testable import Library
@testable import Longwave

/// Lists that programmes play, looked at again and again.
@Suite struct MusicListsTests {
  private let top = TemporaryDirectory()

  /// Writes songs and a list of them, all an hour old.
  private func write(_ list: String, of songs: String...) {
    for (number, name) in songs.enumerated() {
      top.makeFolders(of: name)
      let first = UInt64(number) * 1000
      top.write(name, NumberedFrames.stream(first..<first + 20))
      top.age(name)
    }
    top.write(list, Array(songs.joined(separator: "\n").utf8))
    top.age(list)
  }

  /// What a follower was told last.
  private final class Told: Sendable {
    private let music = Mutex<MusicFolder?>(nil)

    func take(_ found: [String: MusicFolder]) { music.withLock { $0 = found.values.first } }

    /// The titles of what is known as a whole.
    var titles: [String]? {
      music.withLock { music in
        music.flatMap { $0.isWhole ? $0.files.map(\.title) : nil }
      }
    }
  }

  private func wish(_ list: String) -> MusicLists.Wish {
    .init(path: top.file(list), rights: ListRights(isFree: true))
  }

  @Test func `a file that cannot be played during a look at its list is left out behind it`()
    async throws
  {
    write("l.m3u", of: "a.mp3", "b.mp3")
    let known = MusicListScan(top.file("l.m3u"), ListRights(isFree: true), tags: nil).look(nil)
    let bad = try #require(known.music.files.first)
    // Tags are read as soon as there is a file: the look waits for it.
    let program = ["/bin/sh", "-c", "until [ -e \(top.file("go")) ]; do sleep 0.05; done"]
    let lists = MusicLists(
      MusicFolders(data: top.file("data"), tagProgram: nil), tagProgram: program)
    let told = Told()
    await lists.follow([wish("l.m3u")], as: "night") { told.take($0) }
    try await eventually("the look has begun") { await lists.isLooking }
    await lists.refuse(bad, "is bad")
    top.write("go", [])
    try await eventually("the list is known") { told.titles != nil }
    #expect(told.titles == ["b"])
    await lists.leave("night")
  }

  @Test func `a data folder that is made later is hidden all the same`() async throws {
    let lists = MusicLists(MusicFolders(data: top.file("data"), tagProgram: nil), tagProgram: nil)
    write("l.m3u", of: "a.mp3", "data/own.mp3")
    let told = Told()
    await lists.follow([wish("l.m3u")], as: "night") { told.take($0) }
    try await eventually("the list is known") { told.titles != nil }
    #expect(told.titles == ["a"])
    await lists.leave("night")
  }
}

extension MusicLists {
  fileprivate var isLooking: Bool { !refusedMeanwhile.isEmpty }
}
