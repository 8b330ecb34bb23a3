import Glibc
import Media
import TestSupport
import Testing
import Threads
import Wire

@testable import Library
@testable import Longwave

/// Files of items while they are read.
@Suite struct ItemReaderTests {
  @Test func `a file that is replaced while it plays plays on to its end`() async throws {
    let folder = TemporaryDirectory()
    // More than is read ahead.
    let bytes = NumberedFrames.stream(0..<3000)
    folder.write("1.mp3", bytes)
    folder.age("1.mp3")
    let file = try #require(MusicScan(folder.path, tags: nil).look().folder.files.first)
    let reader = ItemReader(file, FolderTurns())
    #expect(reader.wantsPiece())
    await reader.read()
    // As taggers and copies do it: written beside, and put in its place.
    folder.write("new", NumberedFrames.stream(5000..<5100))
    #expect(rename(folder.file("new"), folder.file("1.mp3")) == 0)
    var played: [UInt8] = []
    while !reader.isOver {
      if reader.wantsPiece() { await reader.read() }
      if case .failed(let failure) = reader.state {
        Issue.record("\(failure.reason)")
        break
      }
      played += reader.take(10_000)
    }
    #expect(played == bytes)
    // The next item that is to play what was known of it is told.
    let other = ItemReader(file, FolderTurns())
    #expect(other.wantsPiece())
    await other.read()
    guard case .failed(let failure) = other.state else {
      Issue.record("it opened")
      return
    }
    #expect(failure.reason == "it has changed")
  }

  @Test func `a part far inside an Ogg file is read from near its beginning on`() async throws {
    let folder = TemporaryDirectory()
    let bytes = try ToneFile(["-c:a", "libvorbis"], "ogg", 48_000, 2).bytes(seconds: 120)
    folder.write("1.ogg", bytes)
    folder.age("1.ogg")
    var file = try #require(MusicScan(folder.path, tags: nil).look().folder.files.first)
    file.cue = TrackCue(from: 110, to: nil)
    for mayJump in [true, false] {
      let reader = ItemReader(file, FolderTurns())
      reader.mayJump = mayJump
      var read: [UInt8] = []
      while !reader.isOver {
        if reader.wantsPiece() { await reader.read() }
        if case .failed(let failure) = reader.state {
          Issue.record("\(failure.reason)")
          break
        }
        read += reader.take(10_000)
      }
      let from = try #require(reader.samplesOfOgg?.from)
      guard mayJump else {
        #expect(read == bytes && from == 110 * 48_000)
        continue
      }
      let jump = try #require(reader.jump)
      #expect(read.count < bytes.count / 2 && from + jump.samples == 110 * 48_000)
      let headers = bytes.prefix(Int(jump.headers.upperBound))
      #expect(read == Array(headers) + bytes[Int(jump.page)...])
    }
  }
}
