import Glibc
import Ingest
import Programmes
import Reactor
import Synchronization
import TestSupport
import Testing
import Threads
import Wire

@testable import Library
@testable import Longwave
@testable import Media
@testable import Timeshift

/// A programme's items in a log, from real files.
@Suite struct ProgrammeFeedTests {
  @Test func `a file with a long tail that is no audio is over at its end, and late once at most`()
    async throws
  {
    let album = try Album([4, 5])
    let name = "Artist - Track 10.mp3"
    #expect(truncate(album.folder.file(name), 200 << 20) == 0)
    album.folder.age(name)
    let player = try AlbumPlayer(album) { $0.join = .cut }
    try await player.run(until: 2)
    let content = player.content
    let begins = Double(content.titles[1].packet * 1152) / 44_100
    #expect(abs(begins - 4) < 0.2)
    #expect(content.gaps.filter { $0.seconds > 0 }.count <= 2)
  }

  @Test func `an insert behind the end of what plays leaves what is next as it is`() async throws {
    let player = try AlbumPlayer(Album([8, 8, 4]))
    player.programme.rules.inserts = [
      InsertRule(.folder(player.album.folder.path), .at([try MinuteMark(":30")], .hard))
    ]
    let due = Moment.now().wall.milliseconds / 1000 + 300
    player.zone = ZoneOffsets(
      name: "Here", changes: [.init(from: .min, offset: 1800 - Int(due % 3600))])
    await player.begin()
    let feed = try #require(player.feed)
    try await eventually("the first item") { feed.report.now?.item == 1 }
    let before = feed.report.upcoming.map(\.item)
    await feed.use(player.shelf)
    await feed.follow(clockSetBy: 0)
    #expect(feed.report.upcoming.map(\.item) == before && feed.report.upcoming[0].kind == .track)
    try await eventually("the second item") { player.content.titles.count >= 2 }
    #expect(feed.report.now?.join == .gapless)
    await player.end()
  }

  @Test func `what an insert was to cut plays on where the insert is missed by then`()
    async throws
  {
    let player = try AlbumPlayer(Album([20, 20, 4])) { $0.join = .cut }
    player.programme.rules.inserts = [
      InsertRule(
        .folder(player.album.folder.path), .at([try MinuteMark(":30")], .hard), within: 1)
    ]
    let due = Moment.now().wall.milliseconds / 1000 + 3
    player.zone = ZoneOffsets(
      name: "Here", changes: [.init(from: .min, offset: 1800 - Int(due % 3600))])
    await player.begin()
    let feed = try #require(player.feed)
    try await eventually("the first item") { feed.report.now?.item == 1 }
    #expect(feed.report.upcoming.first?.kind == .insert)
    let before = player.content.packets.count
    await feed.standStill(seconds: 6)
    try await eventually("more of the first item") {
      player.content.packets.count > before + 100
    }
    #expect(player.content.titles.count == 1 && feed.report.now?.item == 1)
    await player.end()
  }

  private static let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
  private static let framesOfFile = 20

  /// A folder with files of numbered frames: file n has the frames from 100 n on.
  private struct Music {
    let folder = TemporaryDirectory()
    var files: [MusicFile] = []

    init(_ count: Int) throws {
      for number in 0..<count { try add(number) }
    }

    mutating func add(_ number: Int, _ bytes: [UInt8]? = nil) throws {
      let name = "Artist \(number) - Title \(number).mp3"
      let first = UInt64(number * 100)
      folder.write(
        name,
        bytes ?? NumberedFrames.stream(first..<first + UInt64(ProgrammeFeedTests.framesOfFile)))
      let file = try MediaFolder.open(bytes: Array(name.utf8), in: folder.path)
      files.append(
        MusicFile(
          root: folder.path, path: Array(name.utf8), identity: file.identity,
          key: TrackKey(high: UInt64(number) &+ 1, low: 0), format: ProgrammeFeedTests.format,
          seconds: Double(ProgrammeFeedTests.framesOfFile) * 1152 / 44_100, isExact: true,
          title: "Title \(number)", artist: "Artist \(number)"))
    }

    var found: MusicFolder { MusicFolder(folder.path, files: files, isWhole: true) }

    var shelf: MusicShelf { MusicShelf([folder.path: found], of: [folder.path], in: nil) }

    var programme: Programme {
      var programme = Programme(playing: .folder(folder.path))
      programme.rules.join = .cut
      return programme
    }
  }

  private final class Told: Sendable {
    let refused = Mutex<[String]>([])
    let states = Mutex<[StationState]>([])
    /// In their order.
    let memories = Mutex<[ProgrammeMemory]>([])
    let losses = Mutex<[ItemLoss]>([])
    let plays = Mutex<[PlayNote]>([])

    /// What was said last of each item.
    var lastPlays: [PlayNote] {
      plays.withLock { notes in
        Dictionary(notes.map { ($0.item.item, $0) }) { $1 }.values.sorted {
          $0.item.item < $1.item.item
        }
      }
    }
    let takes = Mutex<[StationTake]>([])
    let isDiskAway = Atomic(false)
    let isDiskBack = Atomic(false)

    func runTakes() { for take in takes.withLock({ $0 }) { _ = take.run(at: .now()) } }
  }

  private func makeFeed(
    _ log: PacketLog, _ programme: Programme, _ memory: ProgrammeMemory, _ loop: EventLoop,
    _ told: Told, turns: FolderTurns = FolderTurns()
  ) -> ProgrammeFeed {
    let plan = Plan(programme, Stock(), in: .machine, state: memory.state)
    return ProgrammeFeed(
      log, plan, memory, on: loop, turns: turns,
      ProgrammeFeed.Owner(
        tell: { if case .state(let state, _) = $0 { told.states.withLock { $0.append(state) } } },
        keep: { memory in told.memories.withLock { $0.append(memory) } },
        tellFailure: { file, failure in
          let word = failure.isOfFile ? " for good" : ""
          told.refused.withLock { $0.append("\(file.title) \(failure.reason)\(word)") }
        },
        report: { event in
          if case .failed(let loss) = event { told.losses.withLock { $0.append(loss) } }
        },
        play: { note in told.plays.withLock { $0.append(note) } },
        take: { log, wish in
          let take = StationTake(log, wish, makeDecoder: PacketDecoder.make)
          told.takes.withLock { $0.append(take) }
          return take
        }))
  }

  private struct Heard {
    var numbers: [UInt64] = []
    var titles: [Title] = []
    var gaps: [Double] = []
  }

  private func content(_ log: PacketLog) -> Heard {
    let tap = Tap(log, from: .oldest)
    var heard = Heard()
    while case .item(let item) = tap.read() {
      switch item {
      case .packet(let packet):
        heard.numbers.append(NumberedFrames.number(of: Array(packet.bytes)) ?? .max)
      case .title(let mark): heard.titles.append(mark.title)
      case .gap(let mark): heard.gaps.append(mark.seconds)
      case .format, .missed: break
      }
    }
    return heard
  }

  private func withLoop(_ body: (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop(name: "feeds")
    #expect(loop.start())
    do { try await body(loop) } catch {
      loop.stop()
      throw error
    }
    loop.stop()
  }

  /// The packets of files, each whole and one behind the other.
  private func packets(_ numbers: some Sequence<Int>) -> [UInt64] {
    numbers.flatMap { number in
      (0..<Self.framesOfFile).map { UInt64(number * 100 + $0) }
    }
  }

  @Test func `a folder's files are heard one after the other, each whole and with its title`()
    async throws
  {
    let music = try Music(6)
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let told = Told()
    try await withLoop { loop in
      let feed = makeFeed(log, music.programme, ProgrammeMemory(seed: 1), loop, told)
      await feed.begin()
      await feed.use(music.shelf)
      try await eventually("the packets are there") {
        content(log).numbers.count >= 9 * Self.framesOfFile
      }
      _ = await feed.end()
    }
    let heard = content(log)
    #expect(Array(heard.numbers.prefix(160)) == packets([0, 1, 2, 3, 4, 5, 0, 1]))
    #expect(
      heard.titles.prefix(7).map(\.text) == (0..<7).map { "Artist \($0 % 6) - Title \($0 % 6)" })
    #expect(heard.titles.prefix(7).map(\.item?.number) == (1...7).map { UInt64($0) })
    #expect(heard.titles[1].item?.track == TrackKey(high: 2, low: 0))
    // A seam is no gap for people, and the machine may have been late.
    #expect(heard.gaps.count >= 8 && heard.gaps.filter { $0 == 0 }.count >= 8)
    #expect(told.states.withLock { $0.contains(.playing) } && told.refused.withLock(\.isEmpty))
  }

  @Test func `a programme goes on at the packet where it ended`() async throws {
    let music = try Music(4)
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    var memory = ProgrammeMemory(seed: 1)
    for turn in 1...4 {
      let told = Told()
      try await withLoop { loop in
        let feed = makeFeed(log, music.programme, memory, loop, told)
        let before = content(log).numbers.count
        await feed.begin()
        await feed.use(music.shelf)
        try await eventually("the packets are there") {
          content(log).numbers.count > before + 7 * turn
        }
        memory = await feed.end()
      }
      #expect(ProgrammeMemory(text: memory.text)?.playing == memory.playing)
    }
    let numbers = content(log).numbers
    #expect(
      numbers == Array(packets((0..<numbers.count / 20 + 1).map { $0 % 4 }).prefix(numbers.count)))
    let items = content(log).titles.compactMap { $0.item?.number }
    #expect(items == items.sorted() && Set(items).count == (numbers.count + 19) / 20)
  }

  @Test func `of a track is played what people want of it, at the packet also after a restart`()
    async throws
  {
    let music = try Music(3)
    // The packets 5 to 14 of the second file, and those from 14 on of the third.
    let second = 1152 / 44_100.0
    let cues = [
      music.files[1].key: TrackCue(from: 5.5 * second, to: 15.5 * second),
      music.files[2].key: TrackCue(from: 14.2 * second, to: nil),
    ].compactMapValues(\.self)
    let shelf = MusicShelf(
      [music.folder.path: music.found], of: [music.folder.path], in: nil, cues: cues)
    let tracks = try #require(shelf.stock.catalogues.values.first).tracks
    #expect(tracks.map { ($0.seconds / second).rounded() } == [20, 10, 6])
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    var memory = ProgrammeMemory(seed: 1)
    let told = Told()
    for turn in 1...6 {
      try await withLoop { loop in
        let feed = makeFeed(log, music.programme, memory, loop, told)
        let before = content(log).numbers.count
        await feed.begin()
        await feed.use(shelf)
        try await eventually("the packets are there") {
          content(log).numbers.count > before + 7 * turn
        }
        memory = await feed.end()
      }
      #expect(ProgrammeMemory(text: memory.text)?.playing == memory.playing)
    }
    let numbers = content(log).numbers
    let cycle = Array(UInt64(0)..<20) + Array(105..<115) + Array(214..<220)
    let wanted = (0...numbers.count / cycle.count).flatMap { _ in cycle }
    #expect(numbers == Array(wanted.prefix(numbers.count)))
    let whole = told.lastPlays.filter { $0.isWhole == true }
    #expect(whole.count >= 3)
    for play in whole {
      let wanted = try #require(play.item.seconds)
      let off = abs(play.seconds - wanted)
      #expect(off < 0.03, "\(play.item.title ?? "")")
    }
    let losses = told.losses.withLock { $0 }
    #expect(losses.isEmpty)
  }

  @Test func `an item of which the log has nothing comes again, also after two ends in a row`()
    async throws
  {
    let music = try Music(3)
    let (log, other) = (
      PacketLog(memoryOnly: LogConfiguration(), at: .now()),
      PacketLog(memoryOnly: LogConfiguration(), at: .now())
    )
    let told = Told()
    try await withLoop { loop in
      let first = makeFeed(log, music.programme, ProgrammeMemory(seed: 1), loop, told)
      await first.use(music.shelf)
      await first.begin()
      try await eventually("something plays") { !content(log).numbers.isEmpty }
      var memory = await first.end()
      // The next item begins, and the log loses all of it.
      let second = makeFeed(other, music.programme, memory, loop, told)
      await second.use(music.shelf)
      let before = told.memories.withLock { $0.count }
      await second.begin()
      memory = try await eventually("the next item") {
        told.memories.withLock { $0.dropFirst(before).first { $0.before != nil } }
      }
      _ = await second.end()
      let lost = try #require(memory.playing)
      #expect(memory.before?.item == content(log).titles.last?.item?.number)
      // The next end comes before anything else begins.
      let third = makeFeed(log, music.programme, memory, loop, told)
      let kept = told.memories.withLock { $0.count }
      await third.begin()
      memory = try await eventually("it goes on") {
        told.memories.withLock { $0.dropFirst(kept).first }
      }
      _ = await third.end()
      #expect(memory.playing?.item == memory.before?.item)
      var plan = Plan(music.programme, music.shelf.stock, in: .machine, state: memory.state)
      let next = plan.upcoming(from: 0, count: 1).first
      #expect(next?.track?.key.description == lost.key)
    }
  }

  @Test func `a file that cannot be played is told and passed over`() async throws {
    var music = try Music(2)
    try music.add(2, [UInt8](repeating: 0, count: 30_000))
    try music.add(3)
    try music.add(4)
    music.folder.write("Artist 4 - Title 4.mp3", [1, 2, 3])
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let told = Told()
    try await withLoop { loop in
      let feed = makeFeed(log, music.programme, ProgrammeMemory(seed: 1), loop, told)
      await feed.use(music.shelf)
      await feed.begin()
      try await eventually("the packets are there") {
        content(log).numbers.count >= 7 * Self.framesOfFile
      }
      _ = await feed.end()
    }
    #expect(Array(content(log).numbers.prefix(120)) == packets([0, 1, 3, 0, 1, 3]))
    let refused = told.refused.withLock { $0 }
    #expect(
      Set(refused) == [
        "Title 2 it has no audio of a known format for good", "Title 4 it has changed",
      ])
    let losses = told.losses.withLock { $0 }
    #expect(Set(losses.map(\.title)) == ["Title 2", "Title 4"])
    #expect(losses.allSatisfy { $0.path?.hasPrefix(music.folder.path) == true && $0.item > 0 })
  }

  @Test func `a jingle is an item of its own, and the song's title stays`() async throws {
    let (music, jingles) = (try Music(3), try Music(1))
    var programme = music.programme
    programme.rules.inserts = [InsertRule(.folder(jingles.folder.path), .everyTracks(1))]
    let roots = [music.folder.path: music.found, jingles.folder.path: jingles.found]
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    try await withLoop { loop in
      let feed = makeFeed(log, programme, ProgrammeMemory(seed: 1), loop, Told())
      await feed.begin()
      await feed.use(MusicShelf(roots, of: Set(roots.keys), in: nil))
      try await eventually("six items") { content(log).titles.count >= 6 }
      _ = await feed.end()
    }
    let titles = content(log).titles.prefix(6)
    #expect(titles.map(\.item?.number) == (1...6).map { UInt64($0) })
    #expect(titles.map(\.item?.kind) == [.track, .insert, .track, .insert, .track, .insert])
    #expect(titles.map(\.parts?.title) == [0, 0, 1, 1, 2, 2].map { "Title \($0)" })
  }

  @Test func `of a programme that has played, no folder is played before all of it is known`()
    throws
  {
    let music = try Music(3)
    var part = music.found
    part.isWhole = false
    let roots = [music.folder.path: part]
    func shelf(_ takesFirst: Bool) -> MusicShelf {
      MusicShelf(roots, of: Set(roots.keys), in: nil, takesFirst: takesFirst)
    }
    #expect(shelf(true).stock.catalogues.count == 1 && shelf(false).stock.catalogues.isEmpty)
    #expect(music.shelf.stock.catalogues.count == 1)
  }

  @Test func `next leaves what plays, previous plays it again`() async throws {
    let music = try Music(5)
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let told = Told()
    try await withLoop { loop in
      let feed = makeFeed(log, music.programme, ProgrammeMemory(seed: 1), loop, told)
      await feed.use(music.shelf)
      await #expect(throws: (any Error).self) { try await feed.perform(.next) }
      await feed.begin()
      try await eventually("the packets are there") { !content(log).numbers.isEmpty }
      try await eventually("something plays") { (try? await feed.perform(.next)) == true }
      let left = content(log).titles.count
      try await eventually("the next one plays") { content(log).titles.count > left }
      try await eventually("there is one before it") {
        (try? await feed.perform(.previous)) == true
      }
      // Others may begin before it: they last half a second.
      try await eventually("a track plays again") {
        let titles = content(log).titles.map(\.text)
        // Sooner than in the order.
        return titles.indices.contains { titles[..<$0].suffix(4).contains(titles[$0]) }
      }
      _ = await feed.end()
    }
    let titles = content(log).titles
    #expect(titles.count >= 3)
    // What `previous` plays is another item, of a track that was played.
    #expect(Set(titles.map(\.item?.number)).count == titles.count)
  }

  @Test func `what a command has left does not come back, though nothing else was heard`()
    async throws
  {
    let music = try Music(4)
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    var memory = ProgrammeMemory(seed: 1)
    var left: UInt64 = 0
    try await withLoop { loop in
      let feed = makeFeed(log, music.programme, memory, loop, Told())
      await feed.begin()
      await feed.use(music.shelf)
      try await eventually("something plays") { content(log).numbers.count > 30 }
      left = try #require(feed.report.now?.item)
      _ = try await feed.perform(.next)
      // As a kill would leave it.
      memory = try #require(ProgrammeMemory(text: await feed.kept.text))
      _ = await feed.end()
    }
    let before = content(log).titles.filter { $0.item?.number == left }.count
    try await withLoop { loop in
      let feed = makeFeed(log, music.programme, memory, loop, Told())
      await feed.begin()
      await feed.use(music.shelf)
      let count = content(log).numbers.count
      try await eventually("it plays again") { content(log).numbers.count > count + 50 }
      _ = await feed.end()
    }
    let titles = content(log).titles.compactMap { $0.item?.number }
    #expect(titles.filter { $0 == left }.count == before && titles.contains { $0 > left })
  }

  @Test func `what was played is told: how much of it, and whether to its end`() async throws {
    var music = try Music(2)
    // More than the lead, so that it is on air when it is left.
    try music.add(2, NumberedFrames.stream(0..<600))
    var details = MusicDetails()
    (details.isrc, details.label) = ("GBAYE0000001", "Verve")
    music.files[0].details = details
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let told = Told()
    try await withLoop { loop in
      let feed = makeFeed(log, music.programme, ProgrammeMemory(seed: 1), loop, told)
      await feed.begin()
      await feed.use(music.shelf)
      try await eventually("the long one plays") { told.lastPlays.count == 3 }
      #expect(await feed.next())
      try await eventually("the next one plays") { told.lastPlays.count >= 4 }
      _ = await feed.end()
    }
    let plays = told.lastPlays
    #expect(plays.prefix(4).map(\.item.item) == [1, 2, 3, 4])
    #expect(plays.prefix(3).map(\.isWhole) == [true, true, false])
    let length = Double(Self.framesOfFile) * 1152 / 44_100
    for play in plays.prefix(2) { #expect(abs(play.seconds - length) < 0.001) }
    #expect((0.1..<14).contains(plays[2].seconds))
    #expect(plays[0].isrc == "GBAYE0000001" && plays[0].label == "Verve" && plays[1].isrc == nil)
    // Air times, by which what is heard belongs to one of them; the machine may have been late.
    for (one, next) in zip(plays, plays.dropFirst()) {
      // A log's first air times are those of when it was fed, which is up to the lead in front.
      #expect(next.began.seconds(since: one.began) > -ProgrammeFeed.leadSeconds)
      #expect((-0.01..<10).contains(one.ended.seconds(since: one.began) - one.seconds))
    }
  }

  @Test func `a file's picture makes no piece of it longer, and what goes on after a rest plays`()
    async throws
  {
    var music = try Music(1)
    // An ID3 tag of 2 MiB: its length in four times seven bits.
    let tag = Array("ID3".utf8) + [4, 0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 2 << 20)
    try music.add(1, tag + NumberedFrames.stream(0..<600))
    music.files.remove(at: 0)
    music.files[0].seconds = 600 * 1152 / 44_100
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    try await withLoop { loop in
      let feed = makeFeed(log, music.programme, ProgrammeMemory(seed: 1), loop, Told())
      await feed.begin()
      await feed.use(music.shelf)
      var leads: [Double] = []
      try await eventually("some seconds") {
        leads.append(log.snapshot().edgeAir.seconds(since: Moment.now().wall))
        return log.snapshot().edge.media.seconds > 6
      }
      // A piece may last a second where the bit rate is low.
      #expect(leads.max() ?? 9 < ProgrammeFeed.leadSeconds + 1.1)
      await feed.rest("nobody listens")
      #expect(feed.report.state == .paused)
      await feed.begin()
      #expect(feed.report.state == .playing)
      _ = await feed.end()
    }
  }

  @Test func `an item that goes on after a restart is one play`() async throws {
    var music = try Music(1)
    try music.add(1, NumberedFrames.stream(0..<600))
    music.files[1].seconds = 600 * 1152 / 44_100
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    var memory = ProgrammeMemory(seed: 1)
    var before: PlayNote?
    for turn in 0...2 {
      // As if the relay had been away for too long.
      if turn == 2 { (memory.playing, memory.before) = (nil, nil) }
      let told = Told()
      try await withLoop { loop in
        let feed = makeFeed(log, music.programme, memory, loop, told)
        await feed.begin()
        await feed.use(music.shelf)
        try await eventually("the second item is told") {
          told.lastPlays.contains { $0.item.item == 2 }
        }
        if turn == 2 {
          try await eventually("the next item") { told.lastPlays.count > 1 }
        } else {
          #expect(told.plays.withLock { $0.last?.isWhole } == .some(nil))
          let heard = content(log).numbers.count
          try await eventually("more of it") { content(log).numbers.count > heard }
        }
        memory = await feed.end()
      }
      let play = try #require(told.lastPlays.first { $0.item.item == 2 })
      #expect(play.isWhole == false && play.item.track == TrackKey(high: 2, low: 0))
      if let before {
        #expect(play.item.at.milliseconds == before.item.at.milliseconds)
        // A pause lies in the middle of it, which is no part of it. A frame lasts 26 ms.
        let more = play.seconds - before.seconds
        #expect(turn == 1 ? more > 0.02 : abs(more) < 0.01, "turn \(turn): \(more) s more")
      }
      before = play
    }
  }

  @Test func `what waits for a slow disk is lost by no command, and by no studio`() async throws {
    let music = try Music(8)
    var programme = music.programme
    programme.live = .init("studio", afterSilence: 600)
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let studio = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: .now()), seconds: 0)
    let (told, turns) = (Told(), FolderTurns())
    try await withLoop { loop in
      let feed = makeFeed(log, programme, ProgrammeMemory(seed: 1), loop, told, turns: turns)
      await feed.use(stations: ["studio": studio.log])
      await feed.use(music.shelf)
      await feed.begin()
      try await eventually("something plays") { !content(log).numbers.isEmpty }
      // It plays as soon as it is read again.
      told.runTakes()
      studio.append(200, at: .now())
      let slow = Task {
        await turns.run(in: music.folder.path, within: nil) {
          told.isDiskAway.store(true, ordering: .relaxed)
          while !told.isDiskBack.load(ordering: .relaxed) { usleep(1000) }
        }
      }
      try await eventually("an item waits") {
        let isAway = told.isDiskAway.load(ordering: .relaxed)
        return await feed.isWaiting && isAway
      }
      let waiting = try #require(await feed.decided)
      let queued = TrackKey(high: 1, low: 0)
      _ = try await feed.perform(.queue([.key(queued)], .end))
      // As it is after a kill.
      var again = Plan(programme, music.shelf.stock, in: .machine, state: await feed.kept.state)
      let now = Moment.now().wall.milliseconds
      let coming = [now, now + 60_000].map { again.next(at: $0).planned?.track?.key }
      #expect(coming == [queued, waiting.track?.key])
      try await eventually("the studio plays") {
        told.runTakes()
        await feed.goOn()
        return await feed.isLive
      }
      let before = content(log).numbers.count
      try await eventually("the studio is heard") {
        told.runTakes()
        return content(log).numbers.count > before
      }
      told.isDiskBack.store(true, ordering: .relaxed)
      _ = await slow.value
      await feed.use(stations: [:])
      try await eventually("both are heard behind it") {
        let titles = content(log).titles.split { $0.item?.kind == .live }.last ?? []
        return titles.prefix(2).map { $0.item?.track } == [queued, waiting.track?.key]
      }
      _ = await feed.end()
    }
  }

  @Test(arguments: [
    ("{artist} - {title}", "A", "T", "B", 1990, "A - T"),
    ("{artist} - {title}", "", "T", "", nil, "T"),
    ("{title} ({album}, {year})", "A", "T", "", 1990, "T (1990)"),
    ("{title} [{album}]", "A", "T", "", nil, "T"),
    ("{title} ({album}, {year})", "A", "T", "B", nil, "T (B)"),
    ("{title} ({album}, {year})", "A", "T", "", nil, "T"),
    ("{title} [{album}]", "A", "T", "B", nil, "T [B]"),
    ("Now: {artist}: {title}", "", "T", "", nil, "T"),
    ("{other} {title}", "A", "T", "", nil, "{other} T"),
    ("{album}", "A", "T", "", nil, "T"), ("{title", "A", "T", "", nil, "{title"),
  ])
  func `a title is written by a pattern, without what is not known`(
    pattern: String, artist: String, title: String, album: String, year: Int?, text: String
  ) {
    let file = MusicFile(
      root: "/m", path: [], identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
      key: TrackKey(high: 0, low: 0), format: Self.format, title: title, artist: artist,
      album: album, year: year)
    #expect(ItemTitle(pattern).text(of: file) == text)
  }
}

extension ProgrammeFeed {
  /// Whether an item was decided on whose file is not open yet.
  fileprivate var isWaiting: Bool { decided != nil && playing == nil }
}

extension ProgrammeFeed {
  /// Holds the thread of all programmes, as a machine that stands still does.
  fileprivate func standStill(seconds: UInt32) { sleep(seconds) }
}
