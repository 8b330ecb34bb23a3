import Glibc
import Library
import Logging
import Programmes
import Server
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

/// What becomes of plays: counted, written, read.
@Suite struct PlayDeskTests {
  /// A switch that closures may have.
  private final class Switch: Sendable {
    private let value = Atomic(true)

    var isOn: Bool {
      get { value.load(ordering: .relaxed) }
      set { value.store(newValue, ordering: .relaxed) }
    }
  }

  private final class World: Sendable {
    let folder = TemporaryDirectory()
    let hub = EventHub(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let mayWrite = Switch()
    let desk: PlayDesk

    /// - Parameter name: of the database's folder in the folder.
    init(in name: String = "") {
      let path = folder.file(name + "plays.db")
      desk = PlayDesk(path, hub, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
        [mayWrite] in mayWrite.isOn
      }
    }

    /// Kinds of events that were told.
    var told: [String] {
      hub.ring.read(after: 0, limit: 100).events.map(\.kind)
    }
  }

  /// An hour ago, in milliseconds since 1970: what is too old is deleted.
  private static let start = (Moment.now().wall.unixSeconds - 3600) * 1000

  private func note(
    _ item: UInt64, seconds: Double, isWhole: Bool? = nil, kind: TitleItem.Kind = .track
  ) -> PlayNote {
    // 10 s each, one behind the other.
    let at = WallTime(milliseconds: Self.start + Int64(item) * 10_000)
    var shown = ProgrammeItem(item: item, kind: kind, at: at)
    (shown.title, shown.why) = ("Title \(item)", .order)
    return PlayNote(
      item: shown, isrc: "GBAYE0000001", seconds: seconds, began: at,
      ended: at.adding(seconds: seconds), isWhole: isWhole)
  }

  private func attend(_ desk: PlayDesk, after seconds: Double = 60) async {
    await desk.attend(at: MonotonicTime.now().adding(seconds))
  }

  private func plays(_ desk: PlayDesk, _ query: PlayQuery = PlayQuery()) async throws -> [Play] {
    try await desk.page(query).plays
  }

  @Test func `an item that is over is written at once, with what was heard of it`() async throws {
    let world = World()
    let desk = world.desk
    desk.note(note(1, seconds: 5), of: "night")
    desk.note(note(1, seconds: 10, isWhole: true), of: "night")
    desk.note(note(2, seconds: 2), of: "night")
    // The second look finds 3 listeners 2 s behind the end of the first item, and 1 of a copy, 20 s later.
    let sources: [UInt64: PlayDesk.Source] = [
      7: .init(programme: "night"), 8: .init(programme: "night", delay: MediaTime(seconds: 20)),
    ]
    var sample = HearingSample()
    let second = (Self.start + 20_000) / 1000
    try await eventually("it is written") {
      await attend(desk, after: 0)
      return try await plays(desk).count == 1
    }
    let now = MonotonicTime.now()
    await desk.hear(sample, of: sources, at: now)
    sample.add(3, at: second + 1, of: 7)
    sample.add(1, at: second + 20, of: 8)
    sample.add(9, at: second, of: 9)
    await desk.hear(sample, of: sources, at: now.adding(5))
    try await eventually("what is heard is written") {
      await attend(desk)
      return try await plays(desk).first?.heard ?? 0 > 0
    }
    let play = try #require(try await plays(desk).first)
    #expect(play.key.item == 1 && play.isWhole == true && play.seconds == 10)
    #expect(play.isrc == "GBAYE0000001" && play.title == "Title 1" && play.why == "order")
    // Of 5 s up to 1.5 s behind the border, 3.5 s are of the first; of the copy 4.5 s.
    #expect((14_500...15_500).contains(play.heard), "\(play.heard)")
    #expect(try await plays(desk, PlayQuery(station: "jazz")).isEmpty)
    desk.note(note(2, seconds: 10, isWhole: false), of: "night")
    await desk.close()
    let store = PlayStore(world.folder.file("plays.db"))
    try store.begin()
    let all = try store.page(PlayQuery()).plays
    #expect(all.map(\.key.item) == [2, 1] && all[0].isWhole == false)
    // 1.5 s of three, and half a second of the copy's.
    #expect((4500...5500).contains(all[0].heard), "\(all[0].heard)")
  }

  @Test func `a disk without room is told once, and has all when it can be written`() async throws {
    let world = World(in: "away/")
    let desk = world.desk
    for item in 1...3 as ClosedRange<UInt64> {
      desk.note(note(item, seconds: 10, isWhole: true), of: "night")
      try await eventually("it is tried") {
        await attend(desk)
        return world.told.count == 1
      }
    }
    await #expect(throws: RelayError.self) { try await desk.page(PlayQuery()) }
    #expect(world.told == ["storage-failed"])
    mkdir(world.folder.file("away"), 0o700)
    try await eventually("it is written") {
      await attend(desk)
      return world.told.count == 2
    }
    #expect(world.told == ["storage-failed", "storage-restored"])
    #expect(try await plays(desk).map(\.key.item) == [3, 2, 1])
    await desk.close()
  }

  @Test func `in a folder that is another's nothing is written`() async throws {
    let world = World()
    world.mayWrite.isOn = false
    world.desk.note(note(1, seconds: 10, isWhole: true), of: "night")
    for _ in 0..<5 { await attend(world.desk) }
    await #expect(throws: RelayError.self) { try await world.desk.page(PlayQuery()) }
    await world.desk.close()
    #expect(world.folder.names.isEmpty && world.told.isEmpty)
  }

  @Test func `behind a restart, who listens in the past still counts for what is heard`()
    async throws
  {
    let world = World()
    let path = world.folder.file("plays.db")
    let store = PlayStore(path)
    try store.write(
      PlayChanges(
        plays: (1...3).map { note(UInt64($0), seconds: 10, isWhole: true).play(of: "night") }))
    store.close()
    let desk = world.desk
    desk.note(note(9, seconds: 5), of: "night")
    let sources: [UInt64: PlayDesk.Source] = [7: .init(programme: "night")]
    var time = MonotonicTime.now()
    try await eventually("what was played is known again") {
      var sample = HearingSample()
      sample.add(1, at: (Self.start + 28_000) / 1000, of: 7)
      time = time.adding(5)
      await desk.hear(sample, of: sources, at: time)
      await attend(desk)
      return try await plays(desk).contains { $0.heard > 0 }
    }
    #expect(try await plays(desk).filter { $0.heard > 0 }.map(\.key.item) == [2])
    await desk.close()
  }

  @Test func `another station is one play under its own name`() throws {
    var note = note(4, seconds: 600, isWhole: true, kind: .live)
    (note.item.title, note.item.artist) = ("Last song", "Somebody")
    note.item.source = try Source("station:studio")
    let play = note.play(of: "night")
    #expect(play.title == "studio" && play.artist == nil && play.kind == .live)
  }
}
