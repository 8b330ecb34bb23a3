import Glibc
import Media
import TestSupport
import Testing
import Wire

@testable import Library

/// What music a folder has, by the names of its files.
@Suite struct MusicScanTests {
  private let folder = TemporaryDirectory()

  /// Writes a file that is an hour old: one that was just written waits for the next look.
  private func write(_ name: String, _ bytes: [UInt8], hoursOld: Int = 1) {
    folder.write(name, bytes)
    let time = timeval(tv_sec: Glibc.time(nil) - 3600 * hoursOld, tv_usec: 0)
    #expect(
      [time, time].withUnsafeBufferPointer { utimes(folder.file(name), $0.baseAddress) } == 0)
  }

  private func music(_ number: Int) -> [UInt8] {
    NumberedFrames.stream(UInt64(number * 100)..<UInt64(number * 100 + 20))
  }

  private func look(_ known: MusicFolder? = nil) -> MusicFolder {
    MusicScan(folder.path, known: known, tags: nil).look()
  }

  @Test func `a folder's music is told from what is none, and says what its names say`() {
    write("02 Nina Simone - Sinnerman.mp3", music(1))
    write("b.MP3", music(2))
    write("zeros.mp3", [UInt8](repeating: 0, count: 100_000))
    write("page.mp3", Array("<html>".utf8))
    for name in [".hidden.mp3", "notes.txt", "half.mp3.part", "mp3"] { write(name, music(3)) }
    folder.write("new.mp3", music(4))
    let found = look()
    #expect(found.isWhole && !found.isSettled && found.problem == nil)
    #expect(found.files.map(\.title) == ["Sinnerman", "b"])
    #expect(found.files.map(\.artist) == ["Nina Simone", ""])
    #expect(found.files.allSatisfy { $0.format.sampleRate == 44_100 && $0.seconds > 0.4 })
    #expect(
      Set(found.refused.map { String(decoding: $0.path, as: UTF8.self) }) == [
        "zeros.mp3", "page.mp3",
      ])
  }

  @Test func `what has not changed is as it was, and what has is read anew`() throws {
    write("a.mp3", music(1))
    write("b.mp3", music(2))
    write("c.mp3", [])
    let first = look()
    #expect(look(first) == first)
    write("b.mp3", music(3), hoursOld: 2)
    write("c.mp3", music(4), hoursOld: 2)
    let second = look(first)
    #expect(second.files.map(\.title) == ["a", "b", "c"] && second.refused.isEmpty)
    #expect(second.files[0] == first.files[0])
    #expect(second.files[1].key != first.files[1].key)
    // Another name leaves the track what it is.
    write("d.mp3", music(1))
    #expect(look(second).files.last?.key == first.files[0].key)
  }

  @Test func `a folder that is away says so, and what was known of it is kept`() throws {
    write("a.mp3", music(1))
    let known = look()
    let gone = MusicScan(folder.path + "/none", known: known, tags: nil).look()
    let problem = try #require(gone.problem)
    #expect(gone.files.isEmpty && !gone.isWhole && problem.contains("No such file"))
    let away = known.away(problem)
    #expect(away.files == known.files && away.problem == problem)
    #expect(look(away) == known)
  }

  @Test func `the first files are told before all were looked at, where nothing was known`() {
    for number in 0..<MusicScan.firstFiles + 5 {
      write("\(1000 + number).mp3", music(number))
    }
    var told: [Int] = []
    let found = MusicScan(folder.path, tags: nil).look { told.append($0.files.count) }
    #expect(told == [MusicScan.firstFiles] && found.files.count == MusicScan.firstFiles + 5)
    _ = MusicScan(folder.path, known: found, tags: nil).look { _ in told.append(0) }
    #expect(told.count == 1)
  }

  @Test func `a file that could not be played is left out until it changes`() throws {
    write("a.mp3", music(1))
    write("b.mp3", music(2))
    var found = look()
    let isLeftOut = found.refuse(found.files[1], "it has no audio")
    let isStranger = !found.refuse(Self.stranger, "gone")
    #expect(isLeftOut && isStranger && found.files.count == 1)
    #expect(look(found) == found)
    write("b.mp3", music(2), hoursOld: 2)
    #expect(look(found).files.count == 2)
  }

  private static let stranger = MusicFile(
    root: "/x", path: [1], identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
    key: TrackKey(high: 0, low: 0),
    format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2), title: "x")
}
