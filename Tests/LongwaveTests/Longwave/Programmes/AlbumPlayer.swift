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
@testable import Timeshift

/// A programme that plays an album into a log.
final class AlbumPlayer {
  final class Told: Sendable {
    /// Files that could not be played, and why.
    let failures = Mutex<[String]>([])
    /// Seconds that were told of as made.
    let made = Mutex(0.0)
  }

  let album: Album
  let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
  let loop: EventLoop
  var programme: Programme
  var memory = ProgrammeMemory(seed: 1)
  var folders: [String: MusicFolder]
  let told = Told()
  /// The format that it is to have; nil: that of most of its music.
  var wish: Programme.Format?
  private(set) var feed: ProgrammeFeed?
  var zone = ZoneOffsets.machine
  /// What is played of tracks of which not all is.
  var cues: [TrackKey: TrackCue] = [:]
  /// Makes what does not fit; nil: nothing is made.
  var maker: FileMaker?
  /// Is waited for before a file is made; no thread that others want is held by it.
  var beforeMaking: @Sendable (MusicFile) async -> Void = { _ in }

  init(_ album: Album, _ rules: (inout PlayRules) -> Void = { _ in }) throws {
    self.album = album
    folders = [album.folder.path: album.found]
    programme = Programme(playing: .folder(album.folder.path))
    rules(&programme.rules)
    loop = try EventLoop(name: "feeds")
    #expect(loop.start())
  }

  deinit { loop.stop() }

  var shelf: MusicShelf {
    MusicShelf(
      folders, of: Set(folders.keys), in: log.snapshot().format, wish: wish, cues: cues)
  }

  func begin() async {
    let plan = Plan(programme, Stock(), in: zone, state: memory.state)
    let feed = ProgrammeFeed(
      log, plan, memory, on: loop, turns: FolderTurns(),
      owner)
    self.feed = feed
    await feed.use(shelf)
    await feed.begin()
  }

  private var owner: ProgrammeFeed.Owner {
    var owner = ProgrammeFeed.Owner(
      tell: { _ in }, keep: { _ in },
      tellFailure: { [told] file, failure in
        told.failures.withLock { $0.append("\(file.title) \(failure.reason)") }
      })
    guard let maker else { return owner }
    owner.make = { [beforeMaking] file, format, due in
      await beforeMaking(file)
      return await maker.make(file, as: format, due: due)
    }
    owner.dropMade = { made in Task { await maker.drop(made) } }
    owner.report = { [told] event in
      if case .made(let seconds) = event { told.made.withLock { $0 += seconds } }
    }
    return owner
  }

  func end() async {
    if let feed { memory = await feed.end() }
    feed = nil
  }

  func run(until items: Int) async throws {
    await begin()
    try await eventually("item \(items)") { content.titles.count >= items }
    await end()
  }

  struct Content {
    var packets: [[UInt8]] = []
    /// Titles, each with the number of the packet behind it.
    var titles: [(title: Title, packet: Int)] = []
    var gaps: [(seconds: Double, packet: Int)] = []
  }

  var content: Content {
    let tap = Tap(log, from: .oldest)
    var content = Content()
    while case .item(let item) = tap.read() {
      switch item {
      case .packet(let packet): content.packets.append(Array(packet.bytes))
      case .title(let mark): content.titles.append((mark.title, content.packets.count))
      case .gap(let mark): content.gaps.append((mark.seconds, content.packets.count))
      case .format, .missed: break
      }
    }
    return content
  }
}
