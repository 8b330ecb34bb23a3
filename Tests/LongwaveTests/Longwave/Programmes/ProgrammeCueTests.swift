import Media
import Programmes
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Library
@testable import Longwave

/// Parts of tracks, from real files to a log.
@Suite struct ProgrammeCueTests {
  /// Frames of `lame` before a moment of a file's sound: the encoder's delay and the decoder's are 1,105 samples.
  private func frames(before seconds: Double) -> Int {
    (Int((seconds * 44_100).rounded()) + 1105) / 1152
  }

  private func key(_ player: AlbumPlayer, _ number: Int) -> TrackKey {
    player.shelf.folders.values.first?.files[number].key ?? TrackKey(high: 0, low: 0)
  }

  @Test func `parts of an album's tracks are joined to the sample`() async throws {
    // Whole seconds are whole periods of the tones, so that the sound goes on over what is left out.
    let player = try AlbumPlayer(Album([12, 13, 5]))
    player.cues = [
      key(player, 0): TrackCue(from: nil, to: 10), key(player, 1): TrackCue(from: 1, to: 10),
    ].compactMapValues(\.self)
    try await player.run(until: 3)
    let content = player.content
    #expect(content.titles.prefix(3).map(\.title.item?.number) == [1, 2, 3])
    #expect(!content.gaps.contains { $0.seconds == 0 })
    let heard = try HeardAlbum(content.packets.flatMap { $0 })
    #expect(heard.complaints == "")
    #expect(heard.steadiness().softest > 0.8)
    let begins = content.titles.prefix(3).map { Double($0.packet * 1152) / 44_100 }
    for (place, wanted) in zip(begins, [0.0, 10, 19]) {
      let off = abs(place - wanted)
      #expect(off < 0.07, "\(begins)")
    }
    let failures = player.told.failures.withLock { $0 }
    #expect(failures == [])
  }

  @Test func `a part that is cut has its packets once, also over a restart`() async throws {
    let player = try AlbumPlayer(Album([4, 30])) { $0.join = .cut }
    player.cues = [
      key(player, 0): TrackCue(from: nil, to: 2.2), key(player, 1): TrackCue(from: 11.1, to: 25),
    ].compactMapValues(\.self)
    let files = Array(player.album.found.files)
    await player.begin()
    try await eventually("some of the second item") {
      (player.content.titles.last?.packet).map { $0 > 0 && player.content.packets.count > $0 + 40 }
        ?? false
    }
    await player.end()
    let before = player.content.packets.count
    await player.begin()
    try await eventually("more of it") { player.content.packets.count > before + 40 }
    #expect(player.feed?.report.now?.item == 2)
    await player.end()
    let content = player.content
    let first = try player.album.frames(files[0]), second = try player.album.frames(files[1])
    let border = frames(before: 2.2)
    #expect(Array(content.packets[..<border]) == Array(first[..<border]))
    // Behind what brings the first packet the bytes that it borrows.
    let begin = content.titles[1].packet
    #expect((border...border + 2).contains(begin))
    let from = frames(before: 11.1)
    let count = content.packets.count - begin
    #expect(Array(content.packets[begin...]) == Array(second[from..<from + count]))
    let heard = try HeardAlbum(content.packets[border...].flatMap { $0 })
    #expect(heard.complaints == "")
  }

  @Test func `two parts of one file follow each other with the file's own packets`() async throws {
    let player = try AlbumPlayer(Album([9]))
    let file = try #require(player.album.found.files.first)
    var (one, other) = (file, file)
    (one.key, one.title, one.cue) = (TrackKey(high: 1, low: 1), "One", TrackCue(from: nil, to: 4.3))
    (other.key, other.title) = (TrackKey(high: 2, low: 2), "Other")
    other.cue = TrackCue(from: 4.3, to: nil)
    var folder = MusicFolder(player.album.folder.path, isWhole: true)
    folder.files = MusicFiles(inOrder: [one, other])
    player.folders = [player.album.folder.path: folder]
    try await player.run(until: 3)
    let content = player.content
    #expect(content.titles.prefix(2).map(\.title.parts?.title) == ["One", "Other"])
    #expect(content.titles[1].packet == frames(before: 4.3))
    let own = try player.album.frames(file)
    // A seam to the first item again replaces the end.
    let count = frames(before: 8)
    #expect(Array(content.packets[..<count]) == Array(own[..<count]))
  }

  @Test func `of a track that is made to fit, a part is played as of any other`() async throws {
    let data = TemporaryDirectory()
    let player = try AlbumPlayer(Album([14, 12, 5], flac: [1]))
    player.maker = FileMaker(MadeFiles(data.file("renditions")))
    player.cues = [key(player, 1): TrackCue(from: 1, to: 10)].compactMapValues(\.self)
    try await player.run(until: 3)
    let content = player.content
    let heard = try HeardAlbum(content.packets.flatMap { $0 })
    #expect(heard.complaints == "" && heard.steadiness().softest > 0.8)
    let length = Double(content.titles[2].packet - content.titles[1].packet) * 1152 / 44_100
    let off = abs(length - 9)
    #expect(off < 0.07)
    let failures = player.told.failures.withLock { $0 }
    #expect(failures == [])
  }

  @Test func `parts of one file that is made to fit are made once, and nothing lies between them`()
    async throws
  {
    let data = TemporaryDirectory()
    let player = try AlbumPlayer(Album([12], flac: [0]))
    player.maker = FileMaker(MadeFiles(data.file("renditions")))
    let file = try #require(player.album.found.files.first)
    let bounds: [(Double?, Double?)] = [(nil, 4.3), (4.3, 8), (8, nil)]
    let parts = bounds.compactMap { TrackCue(from: $0, to: $1) }.map { cue in
      var part = file
      (part.cue, part.whole, part.key) = (cue, file.key, file.key.part(cue))
      part.title = "From \(cue.start)"
      return part
    }
    var folder = MusicFolder(player.album.folder.path, isWhole: true)
    folder.files = MusicFiles(inOrder: parts)
    player.folders = [player.album.folder.path: folder]
    await player.begin()
    try await eventually("the second item") { player.content.titles.count >= 2 }
    await player.end()
    // It goes on in what was made of the whole file.
    await player.begin()
    func third(_ content: AlbumPlayer.Content) -> Int? {
      content.titles.first { $0.title.parts?.title == "From 8.0" }?.packet
    }
    try await eventually("the third item") {
      third(player.content).map { player.content.packets.count > $0 + 40 } ?? false
    }
    await player.end()
    let content = player.content
    let titles = content.titles.map { $0.title.parts?.title ?? "" }
    #expect(titles.prefix(2) == ["From 0.0", "From 4.3"])
    let last = try #require(third(content))
    let heard = try HeardAlbum(content.packets.prefix(last + 40).flatMap { $0 })
    #expect(heard.complaints == "" && heard.steadiness().softest > 0.8)
    let failures = player.told.failures.withLock { $0 }
    #expect(failures == [])
    #expect(FileCalls.posix.list(data.file("renditions")).names.count == 1)
  }

  @Test func `a part that a track has not is told, and passed over`() async throws {
    let player = try AlbumPlayer(Album([3, 4])) { $0.join = .cut }
    player.cues = [key(player, 0): TrackCue(from: 3.5, to: 4)].compactMapValues(\.self)
    // As long as people believed it to be.
    var folder = player.album.found
    var file = folder.files[0]
    file.seconds = 10
    folder.files = MusicFiles([file, folder.files[1]])
    player.folders = [player.album.folder.path: folder]
    await player.begin()
    try await eventually("the other one plays") { player.content.packets.count > 60 }
    await player.end()
    #expect(player.content.titles.first?.title.parts?.title == "Track 11")
    let failures = player.told.failures.withLock { $0 }
    #expect(failures.first == "Track 10 it is too short for its cueIn and cueOut")
  }
}
