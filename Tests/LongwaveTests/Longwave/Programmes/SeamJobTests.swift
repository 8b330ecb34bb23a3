import Audio
import Library
import Media
import TestSupport
import Testing
import Threads
import Wire

@testable import Longwave

/// Seams between real files, and the streams that they make.
@Suite struct SeamJobTests {
  private func open(_ file: MusicFile) throws -> MediaFile {
    try MediaFolder.open(bytes: file.path, in: file.root)
  }

  private func job(
    _ one: MusicFile, _ other: MusicFile, _ join: SeamMaker.Join, _ place: SeamJob.Place = .end,
    steps: (Int, Int) = (0, 0)
  ) throws -> SeamJob {
    SeamJob(
      from: .init(file: one, media: try open(one), steps: steps.0),
      to: .init(file: other, media: try open(other), steps: steps.1), join: join, place: place)
  }

  /// The bytes of all files, joined.
  private func stream(_ files: [MusicFile], _ join: SeamMaker.Join) async throws -> [UInt8] {
    var stream: [UInt8] = []
    // The info frame is no audio of the stream.
    let layout = try #require(try open(files[0]).layout())
    var entered = try #require(try open(files[0]).summary(layout)).start
    for (one, other) in zip(files, files.dropFirst()) {
      let seam = try await job(one, other, join).make(FolderTurns()).get()
      #expect(seam.leave >= entered)
      let bytes = try readFile(one.root + "/" + String(decoding: one.path, as: UTF8.self))
      stream += bytes[Int(entered)..<Int(seam.leave)] + seam.before + seam.behind
      entered = seam.enter
    }
    let last = files[files.count - 1]
    let bytes = try readFile(last.root + "/" + String(decoding: last.path, as: UTF8.self))
    return stream + bytes[Int(entered)...]
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    var options: [String]
    var borders = 4
    var rate = 44_100
    var together = false
    var testDescription: String { "\(options) \(rate) Hz, \(borders) borders" }
  }

  @Test(arguments: [
    Kind(options: ["-b", "128"], borders: 20), Kind(options: ["-V", "2"]),
    Kind(options: ["-b", "320"]), Kind(options: ["-b", "128", "-p", "-m", "s"]),
    Kind(options: ["-b", "64"], rate: 22_050), Kind(options: ["-b", "160"], rate: 48_000),
    Kind(options: ["-b", "192"], borders: 20, together: true),
  ])
  func `a tone goes on over an album's borders`(_ kind: Kind) async throws {
    // Each border is elsewhere on the grid of frames.
    let lengths = (0...kind.borders).map { 3.1 + Double($0 * 7 % 13) * 0.0137 }
    let album = try Album(lengths, kind.options, rate: kind.rate, together: kind.together)
    let files = Array(album.found.files)
    #expect(files.count == lengths.count)
    let heard = try HeardAlbum(try await stream(files, .gapless), rate: kind.rate)
    #expect(heard.complaints == "")
    let steadiness = heard.steadiness()
    #expect(steadiness.softest > 0.8)
    // No step is greater than those of the files themselves.
    let own = try kind.together ? 4 : album.decoded(files).steadiness().bend
    #expect(steadiness.bend < max(4, 1.3 * own))
    // Nothing is missing, and nothing is there twice: but for half a frame at each border.
    let seconds = Double(heard.samples.count / 2) / Double(kind.rate)
    let difference = abs(seconds - lengths.reduce(0, +))
    #expect(difference < 0.1 + 0.014 * Double(kind.borders))
    // The same files without seams are no steady tone.
    if kind.together { return }
    let cut = try HeardAlbum(
      files.flatMap { try album.frames($0).flatMap(\.self) }, rate: kind.rate)
    #expect(cut.steadiness().softest < 0.5)
  }

  @Test func `what lies between two files' samples is where the seam says`() async throws {
    let album = try Album([3.2, 3.4])
    let files = Array(album.found.files)
    for join in [SeamMaker.Join.gapless, .fade(1), .over(0.7)] {
      let seam = try await job(files[0], files[1], join).make(FolderTurns()).get()
      let frames = try album.frames(files[1])
      let own = frames.dropFirst(Int(seam.samples.upperBound / 1152)).flatMap { $0 }
      let bytes = try readFile(album.folder.path + "/Artist - Track 11.mp3")
      #expect(Array(bytes[Int(seam.enter)...]) == own)
      #expect(seam.samples.lowerBound.isMultiple(of: 1152) && seam.samples.lowerBound <= 1152 * 2)
      var (rest, count) = (seam.behind[...], 0)
      while let length = MPEGHeader(in: Array(rest.prefix(4)).span)?.frameBytes {
        rest = rest.dropFirst(length)
        count += 1
      }
      #expect(UInt64(count * 1152) == seam.samples.upperBound - seam.samples.lowerBound)
      let early: Double = [SeamMaker.Join.gapless: 0, .fade(1): 1, .over(0.7): 0.7][join] ?? 9
      let off = abs(seam.early - early)
      #expect(off < 0.08)
    }
  }

  @Test func `an item is left in its middle, behind the place that was read`() async throws {
    let album = try Album([9, 3.4])
    let files = Array(album.found.files)
    let place: UInt64 = 16_000 * 4
    let seam = try await job(files[0], files[1], .blend(0.5), .behind(place, frames: 46))
      .make(FolderTurns()).get()
    let seconds = Double(seam.leave - place) / 16_000
    #expect((0...0.8).contains(seconds))
    let bytes = try readFile(album.folder.path + "/Artist - Track 10.mp3")
    let other = try readFile(album.folder.path + "/Artist - Track 11.mp3")
    let layout = try #require(try open(files[0]).layout())
    let start = try #require(try open(files[0]).summary(layout)).start
    var stream = Array(bytes[Int(start)..<Int(seam.leave)])
    stream += seam.before
    stream += seam.behind
    stream += other[Int(seam.enter)...]
    let heard = try HeardAlbum(stream)
    #expect(heard.complaints == "")
    let wanted = 4 + 0.7 + 3.4
    let length = Double(heard.samples.count / 2) / 44_100
    #expect(abs(length - wanted) < 0.5)
  }

  @Test func `a seam is made of frames that are as loud as those around it`() async throws {
    let album = try Album([3.2, 3.4])
    let files = Array(album.found.files)
    let seam = try await job(files[0], files[1], .gapless, steps: (-4, -4)).make(FolderTurns())
      .get()
    let frames = seam.before + seam.behind
    let heard = try Fixtures.mpg123(frames).samples
    let middle = heard[(heard.count / 3)..<(heard.count * 2 / 3)]
    let peak = middle.map { abs(Int($0)) }.max() ?? 0
    // Four steps are 6 dB.
    let share = Double(peak) / 32_767 / Album.amplitude
    #expect(abs(share - 0.5) < 0.05)
  }

  @Test func `what cannot be joined is refused with its reason`() async throws {
    let album = try Album([3.2, 1.5, 3])
    let files = Array(album.found.files)
    func refusal(_ job: SeamJob) async -> String? {
      guard case .failure(let refusal) = await job.make(FolderTurns()) else { return nil }
      return refusal.reason
    }
    #expect(try await refusal(job(files[0], files[1], .gapless))?.contains("needs 2 s") == true)
    #expect(try await refusal(job(files[1], files[2], .gapless))?.contains("needs 2 s") == true)
    #expect(
      try await refusal(job(files[0], files[2], .blend(0.5), .behind(1 << 40, frames: 40)))
        == "it is over")
    album.folder.write("text.mp3", Array("no music".utf8))
    let text = try MediaFolder.open(bytes: Array("text.mp3".utf8), in: album.folder.path)
    let broken = SeamJob(
      from: .init(file: files[0], media: try open(files[0]), steps: 0),
      to: .init(file: files[2], media: text, steps: 0), join: .gapless, place: .end)
    #expect(await refusal(broken) == "it is no MP3")
  }
}
