import Glibc
import Ingest
import Programmes
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Library
@testable import Longwave
@testable import Timeshift

/// Tracks that do not fit a programme's format as they are, from real files to a log.
@Suite struct ProgrammeMadeTests {
  private let data = TemporaryDirectory()

  private func player(_ album: Album) throws -> AlbumPlayer {
    var calls = FileCalls.posix
    calls.free = { _ in 1 << 40 }
    let player = try AlbumPlayer(album)
    player.maker = FileMaker(MadeFiles(data.file("renditions"), calls: calls))
    return player
  }

  private var made: [String] {
    FileCalls.posix.list(data.file("renditions")).names.filter { $0.hasSuffix(".mp3") }
  }

  @Test func `a track of FLAC stands in an album of MP3 without a border`() async throws {
    let player = try player(Album([14.01, 7.23, 9.117], flac: [1]))
    let shelf = player.shelf
    #expect(shelf.count == 3 && shelf.refusedCount == 0 && shelf.format?.codec == .mp3)
    await player.begin()
    try await eventually("the second item") { player.content.titles.count >= 2 }
    let now = try #require(player.feed?.report.now)
    #expect(now.isMade && now.join == .gapless && now.title == "Track 11")
    try await eventually("the third item") { player.content.titles.count >= 3 }
    #expect(player.feed?.report.now?.isMade == false)
    #expect(player.told.made.withLock { $0 } > 5)
    await player.end()
    let content = player.content
    #expect(content.titles.prefix(3).map(\.title.text) == (10...12).map { "Artist - Track \($0)" })
    #expect(!content.gaps.contains { $0.seconds == 0 })
    let begins = Double(content.titles[2].packet * 1152) / 44_100
    #expect(abs(begins - 21.24 - 0.026) < 0.04)
    let heard = try HeardAlbum(content.packets.flatMap { $0 })
    #expect(heard.complaints == "" && heard.steadiness().softest > 0.8)
    #expect(made.count == 1 && player.told.failures.withLock(\.isEmpty))
  }

  @Test func `a made track goes on at its packet after a restart, though its file is gone`()
    async throws
  {
    let album = try Album([20], flac: [0])
    let player = try player(album)
    await player.begin()
    try await eventually("some audio") { player.content.packets.count > 80 }
    await player.end()
    let before = player.content.packets
    #expect(player.memory.playing?.isMade == true)
    unlink(album.folder.file("Artist - Track 10.flac"))
    let path = self.data.file("renditions") + "/" + made[0]
    let frames = try Self.frames(readFile(path))
    await player.begin()
    try await eventually("more audio") { player.content.packets.count > before.count + 40 }
    #expect(player.feed?.report.now?.isMade == true && player.feed?.report.now?.item == 1)
    await player.end()
    let after = player.content.packets
    #expect(after.starts(with: before))
    // Every frame once; the first ones behind the restart may be a lead-in.
    let last = try #require(after.last), place = try #require(frames.lastIndex(of: last))
    #expect(abs(place - after.count) <= 2)
  }

  @Test func `a file that was made and is spoilt is made again, and nobody blames the track`()
    async throws
  {
    let player = try player(Album([7, 6], flac: [0, 1]))
    player.programme.rules.join = .cut
    await player.begin()
    try await eventually("both are made") { made.count == 2 }
    await player.end()
    for name in made {
      let path = data.file("renditions") + "/" + name
      let descriptor = open(path, O_WRONLY | O_TRUNC)
      _ = write(descriptor, "<html>spoilt</html>", 19)
      close(descriptor)
    }
    await player.begin()
    try await eventually("it plays again") {
      player.feed?.report.state == .playing && (player.feed?.report.now?.item ?? 0) > 2
    }
    await player.end()
    let failures = player.told.failures.withLock { $0 }
    #expect(failures.contains { $0.contains("is spoilt, and is made again") }, "\(failures)")
    #expect(!failures.contains { $0.contains("left out") }, "\(failures)")
    #expect(player.shelf.count == 2)
  }

  @Test func `a made track whose made file is gone at a restart is made again, and goes on`()
    async throws
  {
    let player = try player(Album([20], flac: [0]))
    await player.begin()
    try await eventually("some audio") { player.content.packets.count > 80 }
    await player.end()
    let before = player.content.packets.count
    for name in made { unlink(data.file("renditions") + "/" + name) }
    await player.begin()
    try await eventually("more audio") { player.content.packets.count > before + 40 }
    #expect(player.feed?.report.now?.item == 1 && player.feed?.report.now?.isMade == true)
    await player.end()
    let failures = player.told.failures.withLock { $0 }
    #expect(failures.isEmpty && made.count == 1)
  }

  @Test func `next is heard as soon as it is made, and until then what plays goes on`()
    async throws
  {
    let album = try Album([60, 8], flac: [1])
    let player = try player(album)
    player.beforeMaking = { _ in try? await Task.sleep(for: .seconds(3)) }
    await player.begin()
    let feed = try #require(player.feed)
    try await eventually("something plays") { player.content.packets.count > 20 }
    let begun = Moment.now()
    _ = try await feed.perform(.next)
    try await eventually("the next item") { player.content.titles.count >= 2 }
    #expect(feed.report.now?.isMade == true)
    await player.end()
    // What is missing of a station is a gap.
    #expect(player.content.gaps.filter { $0.seconds > 0.5 }.isEmpty)
    #expect(Moment.now().wall.seconds(since: begun.wall) > 1)
  }

  @Test func `a track that has just begun is not cut for one that is still being made`()
    async throws
  {
    let player = try player(Album([30, 12, 6], flac: [1, 2]))
    player.beforeMaking = { file in
      if file.title == "Track 12" { try? await Task.sleep(for: .seconds(6)) }
    }
    await player.begin()
    let feed = try #require(player.feed)
    try await eventually("the second is made") { made.count == 1 }
    _ = try await feed.perform(.next)
    try await eventually("the second item") { feed.report.now?.item == 2 }
    _ = try await feed.perform(.next)
    try await eventually("the third item") { player.content.titles.count >= 3 }
    await player.end()
    #expect(player.content.gaps.filter { $0.seconds > 0.5 }.isEmpty)
  }

  @Test func `an insert that is hard cuts nothing until it is made`() async throws {
    let jingle = try Album([5], flac: [0])
    let player = try player(Album([60]))
    player.beforeMaking = { _ in try? await Task.sleep(for: .seconds(25)) }
    player.folders[jingle.folder.path] = jingle.found
    player.programme.rules.inserts = [
      InsertRule(.folder(jingle.folder.path), .at([try MinuteMark(":30")], .hard))
    ]
    // Half past is in fifteen seconds.
    let due = Moment.now().wall.milliseconds / 1000 + 15
    player.zone = ZoneOffsets(
      name: "Here", changes: [.init(from: .min, offset: 1800 - Int(due % 3600))])
    await player.begin()
    try await eventually("the insert") { player.content.titles.count >= 2 }
    #expect(player.feed?.report.now?.isMade == true)
    // It comes as it would have come in time.
    #expect(player.feed?.report.now?.join == .fade)
    await player.end()
    #expect(player.content.gaps.filter { $0.seconds > 0.5 }.isEmpty)
    let seconds = Double(player.content.titles[1].packet * 1152) / 44_100
    #expect(seconds > 20, "it played \(seconds) s first")
  }

  @Test func `another format counts from the next item on`() async throws {
    let player = try player(Album([6, 6]))
    await player.begin()
    try await eventually("something plays") { player.content.packets.count > 20 }
    player.wish = Programme.Format(bitrate: 64, sampleRate: 22_050, isMono: true)
    await player.feed?.use(player.shelf)
    try await eventually("the next item") { player.content.titles.count >= 2 }
    #expect(player.feed?.report.now?.isMade == true)
    try await eventually("its packets") {
      (player.content.packets.last).flatMap { MPEGHeader(in: $0.span) }?.sampleRate == 22_050
    }
    await player.end()
    let format = player.log.snapshot().format
    #expect(format == AudioFormat(codec: .mp3, sampleRate: 22_050, channels: 1))
    let failures = player.told.failures.withLock { $0 }
    #expect(failures.isEmpty)
  }

  private static func frames(_ bytes: [UInt8]) -> [[UInt8]] {
    var (scanner, place, frames) = (PacketScanner(), 0, [[UInt8]]())
    while let finding = scanner.next(in: bytes.span, from: place, atEnd: true) {
      place = finding.range.upperBound
      if case .packet = finding { frames.append(Array(bytes[finding.range])) }
    }
    return frames
  }
}
