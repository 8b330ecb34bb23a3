import Programmes
import TestSupport
import Testing
import Wire

@testable import Library
@testable import Longwave
@testable import Timeshift

/// Joins while a programme plays, from real files to a log.
@Suite struct ProgrammeJoinTests {
  /// Where each track's own frames are that are behind its seam: its number of frames, and that in the log.
  private func expectOwn(
    _ content: AlbumPlayer.Content, _ titles: Range<Int>, of player: AlbumPlayer,
    _ files: [MusicFile]
  ) throws {
    for number in titles {
      let (title, packet) = content.titles[number]
      let item = try #require(title.item)
      let frames = try player.album.frames(
        try #require(files.first { $0.key == item.track }))
      let first = Int(item.sample / 1152)
      // A second behind where it begins, at 1.5 s, all is the file's own.
      for frame in [150, 152, 155] where packet + frame < content.packets.count {
        #expect(content.packets[packet + frame] == frames[first + frame], "item \(number + 1)")
      }
    }
  }

  @Test func `an album is heard without a border, and its titles stand where its tracks begin`()
    async throws
  {
    let lengths = [12.01, 9.23, 9.117]
    let player = try AlbumPlayer(try Album(lengths))
    try await player.run(until: 3)
    let content = player.content
    // A step of the machine may be a gap; a cut is one without a length.
    #expect(!content.gaps.contains { $0.seconds == 0 })
    #expect(content.titles.prefix(3).map(\.title.text) == (10...12).map { "Artist - Track \($0)" })
    try expectOwn(
      content, 1..<2, of: player, Array(player.folders.values.first?.files ?? MusicFiles()))
    var seconds = 0.0
    for (number, length) in lengths.prefix(2).enumerated() {
      seconds += length
      let begins = Double(content.titles[number + 1].packet * 1152) / 44_100
      let off = abs(begins - seconds - 0.026)
      #expect(off < 0.014 * Double(number + 2))
    }
    let heard = try HeardAlbum(content.packets.flatMap { $0 })
    #expect(heard.complaints == "")
    let steadiness = heard.steadiness()
    let own = try player.album.decoded(player.album.found.files).steadiness().bend
    #expect(steadiness.softest > 0.8 && steadiness.bend < max(4, 1.3 * own))
  }

  @Test func `a loop of one file has no border either`() async throws {
    // 441 and 554 Hz have whole periods in a second.
    let player = try AlbumPlayer(try Album([10])) { $0.repeats = .one }
    try await player.run(until: 3)
    let content = player.content
    #expect(!content.gaps.contains { $0.seconds == 0 })
    let heard = try HeardAlbum(content.packets.flatMap { $0 })
    #expect(heard.complaints == "")
    #expect(heard.steadiness().softest > 0.8)
  }

  @Test func `a fade begins the next item early, and says so`() async throws {
    let player = try AlbumPlayer(try Album([12, 7.2, 7])) {
      $0.join = .fade
      $0.fade = 1.5
    }
    await player.begin()
    try await eventually("the second item") { player.content.titles.count >= 2 }
    let report = player.feed?.report
    #expect(report?.now?.join == .fade && report?.now?.item == 2 && report?.joinRefusal == nil)
    await player.end()
    let content = player.content
    #expect(content.gaps.filter { $0.seconds == 0 }.isEmpty)
    let begins = Double(content.titles[1].packet * 1152) / 44_100
    #expect(abs(begins - 10.5) < 0.15)
  }

  @Test func `what a seam or another level has changed is not counted as the files' own`()
    async throws
  {
    let album = try Album([12, 6])
    var shares: [Double] = []
    for (gain, items) in [(nil, 2), (-6.0, 1)] {
      let player = try AlbumPlayer(album) { $0.loudness = gain.map { _ in -16 } }
      player.folders[album.folder.path]?.files = MusicFiles(
        album.found.files.map { file in
          var file = file
          file.levels = TrackGain(track: gain)
          return file
        })
      await player.begin()
      try await eventually("item \(items)") { player.content.titles.count >= items }
      try await eventually("some audio") { await player.feed?.view().passThrough != nil }
      shares.append(try #require(await player.feed?.view().passThrough))
      await player.end()
    }
    #expect(shares[0] > 0.5 && shares[0] < 1 && shares[1] == 0)
  }

  @Test func `what comes next may change while its seam is there`() async throws {
    let album = try Album([14, 9, 9.2])
    let player = try AlbumPlayer(album)
    await player.begin()
    let feed = try #require(player.feed)
    try await eventually("the seam is made") { await feed.joins.made != nil }
    // The second track is gone, so the third comes.
    var found = try #require(player.folders[album.folder.path])
    let isGone = found.refuse(found.files[1], "is gone")
    #expect(isGone)
    player.folders[album.folder.path] = found
    await feed.use(player.shelf)
    try await eventually("the next item") { player.content.titles.count >= 2 }
    await player.end()
    let content = player.content
    #expect(content.titles[1].title.text == "Artist - Track 12")
    #expect(content.gaps.filter { $0.seconds == 0 }.isEmpty)
    try expectOwn(content, 1..<2, of: player, Array(found.files))
  }

  @Test func `what is cut by the clock is faded into what comes`() async throws {
    let player = try AlbumPlayer(try Album([20, 20, 20]))
    await player.begin()
    let feed = try #require(player.feed)
    try await eventually("something plays") { player.content.packets.count > 100 }
    let before = player.content.packets.count
    await feed.cut(in: 9)
    try await eventually("the next item") { player.content.titles.count >= 2 }
    await player.end()
    let content = player.content
    #expect(content.gaps.filter { $0.seconds == 0 }.isEmpty)
    let seconds = Double((content.titles[1].packet - before) * 1152) / 44_100
    #expect(abs(seconds - 9) < 0.6)
    #expect(try HeardAlbum(content.packets.flatMap { $0 }).complaints == "")
  }

  @Test func `files that are too short for a seam are cut, which is said`() async throws {
    let player = try AlbumPlayer(try Album([12, 1.2, 3]))
    await player.begin()
    let feed = try #require(player.feed)
    try await eventually("the second item") { player.content.titles.count >= 2 }
    #expect(feed.report.now?.join == .cut && feed.report.joinRefusal?.contains("2 s") == true)
    await player.end()
    #expect(player.content.gaps.contains { $0.seconds == 0 })
    #expect(player.memory.playing?.seamEnd == nil)
  }
}

extension ProgrammeFeed {
  /// Has what plays cut in some seconds, as by a part or an insert that is hard.
  fileprivate func cut(in seconds: Double) {
    playing?.until = Self.moment() + Int64(seconds * 1000)
    look()
  }
}
