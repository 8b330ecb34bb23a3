import Glibc
import Ingest
import Library
import Synchronization
import TestSupport
import Testing
import Threads
import Timeshift

@testable import Longwave

/// Roots and programmes' folders, looked through once for all.
@Suite struct MusicFoldersTests {
  private let top = TemporaryDirectory()
  private let told = Told()

  /// What followers and the relay are told.
  private final class Told: Sendable {
    let events = Mutex<[MusicEvent]>([])
    let memories = Mutex<[String: RootMemory]>([:])
    private let folders = Mutex<[String: [String: MusicFolder]]>([:])

    func take(_ found: [String: MusicFolder], of id: String) {
      folders.withLock { $0[id] = found }
    }

    /// The titles that a follower knows of a folder; nil before anything is.
    func titles(_ id: String, _ folder: String) -> [String]? {
      folders.withLock { $0[id]?[folder]?.files.map(\.title) }
    }

    func folder(_ id: String, _ folder: String) -> MusicFolder? {
      folders.withLock { $0[id]?[folder] }
    }

    func suspects(_ root: String) -> [String] {
      events.withLock { events in
        events.compactMap { if case .suspect(root, let reason) = $0 { reason } else { nil } }
      }
    }

    func count(where isCounted: (MusicEvent) -> Bool) -> Int {
      events.withLock { $0.count(where: isCounted) }
    }
  }

  private var path: String { top.path }

  /// Writes files, an hour old, each with frames of its own.
  private func write(_ names: String...) {
    for name in names {
      top.makeFolders(of: name)
      let number = UInt64(name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff }) * 100
      top.write(name, NumberedFrames.stream(number..<number + 20))
      top.age(name)
    }
  }

  private func configuration(
    _ roots: [String], _ change: (inout LibrarySettings) -> Void = { _ in }
  ) -> Configuration {
    var configuration = Configuration()
    configuration.library.roots = roots.map { MusicRoot(id: $0, path: "\(path)/\($0)") }
    change(&configuration.library)
    return configuration
  }

  private func music(_ store: RootStore? = nil, tags: [String]? = nil) -> MusicFolders {
    mkdir(top.file("data"), 0o700)
    let pace = LookPace(settle: 0.1, settleMost: 1, pauses: 0.2...0.5, share: 1)
    let kept = RootStore(
      load: { _ in .nothing },
      save: { [told] root, memory in told.memories.withLock { $0[root.id] = memory } })
    return MusicFolders(data: top.file("data"), tagProgram: tags, store: store ?? kept, pace: pace)
    {
      [told] event in told.events.withLock { $0.append(event) }
    }
  }

  private func follow(
    _ music: MusicFolders, _ folders: String..., as id: String = "night", hurries: Bool = false
  ) async {
    await music.follow(Set(folders), as: id, hurries: hurries) { [told] in told.take($0, of: id) }
  }

  private func isScanned(_ event: MusicEvent) -> Bool {
    if case .scanned = event { true } else { false }
  }

  @Test func `a programme's folder in a root is a part of the root, and none of its own`()
    async throws
  {
    write("main/a/1.mp3", "main/a/b/2.mp3", "main/c/3.mp3", "main/.j/4.mp3", "out/5.mp3")
    symlink(top.file("main/c"), top.file("link"))
    symlink("c", top.file("main/inner"))
    let music = music()
    await music.use(configuration(["main"]))
    let folders = ["main", "main/a", "main//a/./b/", "main/.j", "out", "link", "main/inner"].map {
      "\(path)/\($0)"
    }
    await music.follow(Set(folders), as: "night") { [told] in told.take($0, of: "night") }
    for (folder, titles) in zip(
      folders, [["1", "2", "3"], ["1", "2"], ["2"], ["4"], ["5"], ["3"], ["3"]])
    {
      try await eventually("\(folder) is known") { told.titles("night", folder) == titles }
    }
    // What the look at the root leaves out, and what lies elsewhere, has looks of its own.
    #expect(
      await Set(music.looked.keys) == Set(["main", "main/.j", "out"].map { "\(path)/\($0)" }))
    await music.leave("night")
    #expect(await Array(music.looked.keys) == ["\(path)/main"])
    #expect(told.memories.withLock { $0["main"]?.files } == 3)
    await music.end()
  }

  @Test func `a new programme has its first files while its root is not looked through yet`()
    async throws
  {
    write("main/a/1.mp3", "main/b/2.mp3")
    let music = music()
    // The look at the root waits for its turn.
    await music.order.enter()
    await music.use(configuration(["main"]))
    await follow(music, "\(path)/main/a", as: "old")
    await follow(music, "\(path)/main/a", as: "new", hurries: true)
    try await eventually("the first files are there") {
      told.titles("new", "\(path)/main/a") == ["1"]
    }
    #expect(told.folder("new", "\(path)/main/a")?.isWhole == true)
    #expect(told.count(where: isScanned) == 0)
    await music.order.leave()
    try await eventually("the root is looked through") { told.count(where: isScanned) > 0 }
    try await eventually("all know it") { told.titles("old", "\(path)/main/a") == ["1"] }
    await music.end()
  }

  @Test func `an empty root is not believed before it is known what it had`() async throws {
    for number in 0..<3 { write("nas/\(number).mp3") }
    let known = MusicScan("\(path)/nas", tags: nil).look().folder
    for number in 0..<3 { unlink(top.file("nas/\(number).mp3")) }
    let memory = RootMemory(device: 1, files: 3, scanned: 1000, state: .ok)
    let isSilent = Atomic(true)
    let store = RootStore(
      load: { _ in isSilent.load(ordering: .relaxed) ? .silent : .root(memory, known) },
      save: { [told] root, memory in told.memories.withLock { $0[root.id] = memory } })
    let music = music(store)
    await music.use(configuration(["nas"]) { $0.watch = .off })
    await follow(music, "\(path)/nas")
    try await eventually("that is told") {
      told.suspects("nas").last?.contains("does not answer") == true
    }
    #expect(told.memories.withLock { $0.isEmpty })
    // What is there is played, and what comes too.
    write("nas/new.mp3")
    try await eventually("the new one is known") {
      told.titles("night", "\(path)/nas") == ["new"]
    }
    unlink(top.file("nas/new.mp3"))
    isSilent.store(false, ordering: .relaxed)
    #expect(await music.scan("nas", accepts: false))
    try await eventually("nothing is forgotten") {
      told.suspects("nas").last == "is empty, and had 3 files; nothing is forgotten"
    }
    try await eventually("all of it is known") { told.titles("night", "\(path)/nas")?.count == 3 }
    await music.end()
  }

  @Test func `a root that is away, empty or half gone forgets nothing until it is accepted`()
    async throws
  {
    write("nas/1.mp3", "nas/2.mp3")
    for number in 0..<110 { write("big/\(number).mp3") }
    let music = music()
    await music.use(configuration(["nas", "big", "none"]) { $0.watch = .off })
    await follow(music, "\(path)/nas", "\(path)/big")
    try await eventually("both are known") {
      told.titles("night", "\(path)/nas")?.count == 2
        && told.titles("night", "\(path)/big")?.count == 110
    }
    try await eventually("what was never there is told") {
      told.suspects("none") == ["is away: No such file or directory"]
    }
    func scan(_ id: String, accepts: Bool = false) async {
      #expect(await music.scan(id, accepts: accepts))
    }
    func state(_ id: String) async -> RootState? {
      await music.roots.first { $0.root.id == id }?.state
    }
    #expect(await state("none") == .missing)
    #expect(await !music.scan("stranger", accepts: false))

    rename(top.file("nas"), top.file("away"))
    await scan("nas")
    try await eventually("it is away") { told.suspects("nas").last?.contains("is away") == true }
    mkdir(top.file("nas"), 0o700)
    try await eventually("it is empty") {
      told.suspects("nas").last == "is empty, and had 2 files; nothing is forgotten"
    }
    #expect(told.titles("night", "\(path)/nas") == ["1", "2"])
    try await eventually("who plays it knows") {
      told.folder("night", "\(path)/nas")?.problem != nil
    }
    #expect(await state("nas") == .suspect)
    try await eventually("that is kept") {
      told.memories.withLock { $0["nas"]?.state } == .suspect
    }
    rmdir(top.file("nas"))
    rename(top.file("away"), top.file("nas"))
    try await eventually("it is there again") {
      told.events.withLock { events in
        events.contains { if case .restored("nas", _) = $0 { true } else { false } }
      }
    }
    #expect(await state("nas") == .ok)
    try await eventually("the problem is over") {
      told.folder("night", "\(path)/nas")?.problem == nil
    }

    for number in 0..<60 { unlink(top.file("big/\(number).mp3")) }
    await scan("big")
    try await eventually("half of it is gone") {
      told.suspects("big") == ["has 50 files, and had 110 files; nothing is forgotten"]
    }
    #expect(told.titles("night", "\(path)/big")?.count == 110)
    await scan("big", accepts: true)
    try await eventually("it was accepted") { told.titles("night", "\(path)/big")?.count == 50 }
    #expect(told.memories.withLock { $0["big"] }.map { [$0.files] } == [50])
    await music.end()
  }

  @Test func `what is kept of a root counts after a start, also where the root is away by then`()
    async throws
  {
    write("main/1.mp3")
    let file = top.file("main")
    let known = MusicScan(file, tags: nil).look()
    let memory = RootMemory(device: known.device, files: 1, scanned: 0, state: .ok)
    unlink(top.file("main/1.mp3"))
    let store = RootStore(load: { _ in .root(memory, known.folder) })
    let music = music(store)
    await music.use(configuration(["main"]))
    await follow(music, file)
    try await eventually("it is empty, and had a file") {
      told.suspects("main") == ["is empty, and had 1 file; nothing is forgotten"]
    }
    try await eventually("it is known to who plays it") { told.titles("night", file) == ["1"] }
    await music.end()
  }

  @Test func `changes in watched folders are noticed by themselves`() async throws {
    write("main/a/1.mp3", "main/b/2.mp3")
    let music = music()
    await music.use(configuration(["main"]))
    let root = "\(path)/main"
    await follow(music, root)
    try await eventually("it is known") { told.titles("night", root) == ["1", "2"] }
    try await eventually("it is watched") {
      await music.roots.first.map { $0.whyUnwatched == nil && $0.scan != nil } ?? false
    }
    write("main/a/3.mp3")
    try await eventually("a file is there") { told.titles("night", root) == ["1", "3", "2"] }
    write("main/c/d/4.mp3")
    try await eventually("a folder is there") {
      told.titles("night", root) == ["1", "3", "2", "4"]
    }
    write("main/c/d/5.mp3")
    try await eventually("the new folder is watched") {
      told.titles("night", root) == ["1", "3", "2", "4", "5"]
    }
    rename(top.file("main/c"), top.file("main/a/e"))
    try await eventually("a folder has moved") {
      told.folder("night", root)?.files.map { String(decoding: $0.path, as: UTF8.self) }
        == ["a/1.mp3", "a/3.mp3", "a/e/d/4.mp3", "a/e/d/5.mp3", "b/2.mp3"]
    }
    rename(top.file("main/a/e"), top.file("e"))
    unlink(top.file("main/b/2.mp3"))
    try await eventually("what has left is gone") { told.titles("night", root) == ["1", "3"] }
    // The looks at folders were none at the whole.
    #expect(told.count(where: isScanned) == 1)
    await music.end()
  }

  @Test func `without a watch changes are noticed by looks, and with another setting at once`()
    async throws
  {
    write("main/1.mp3")
    let root = "\(path)/main"
    let music = music()
    await music.use(configuration(["main"]) { $0.watch = .off })
    await follow(music, root)
    try await eventually("it is known") { told.titles("night", root) == ["1"] }
    #expect(await music.roots.first?.whyUnwatched == "watch: false")
    write("main/2.mp3")
    #expect(await music.scan(nil, accepts: false))
    try await eventually("it is found") { told.titles("night", root) == ["1", "2"] }
    await music.use(configuration(["main"]))
    try await eventually("it is watched") { await music.roots.first?.whyUnwatched == nil }
    write("main/3.mp3")
    try await eventually("it is noticed") { told.titles("night", root) == ["1", "2", "3"] }
    // A root that is no more leaves the folder to its programme.
    await music.use(configuration([]))
    #expect(await music.roots.isEmpty)
    write("main/4.mp3")
    try await eventually("the folder is followed") {
      told.titles("night", root) == ["1", "2", "3", "4"]
    }
    await music.end()
  }

  @Test func `old tags are read in the charset of their root, and anew in another one`()
    async throws
  {
    // ID3v2.3 with a title that is declared Latin-1, and was written on Windows in Russian.
    let text: [UInt8] = [0, 0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
    let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(text.count), 0, 0] + text
    let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    top.makeFolders(of: "main/1.mp3")
    top.write("main/1.mp3", tag + NumberedFrames.stream(0..<20))
    top.age("main/1.mp3")
    let music = music(tags: [Binary.longwave, TagChild.word])
    let root = "\(path)/main"
    await follow(music, root)
    let cases: [(encoding: String?, title: String)] = [
      (nil, "Ïðèâåò"), ("windows-1251", "Привет"), ("windows-1253", "Οπθβες"),
    ]
    for (encoding, title) in cases {
      var settings = configuration([]) { $0.watch = .off }
      settings.library.roots = [
        MusicRoot(id: "main", path: root, encoding: try encoding.map { try CharsetName($0) })
      ]
      await music.use(settings)
      try await eventually("the title is \(title)") { told.titles("night", root) == [title] }
    }
    await music.end()
  }

  @Test func `a file that could not be played is left out of all that a root is played by`()
    async throws
  {
    write("main/a/1.mp3", "main/a/2.mp3")
    let music = music()
    await music.use(configuration(["main"]) { $0.watch = .off })
    await follow(music, "\(path)/main", as: "all")
    await follow(music, "\(path)/main/a", as: "part")
    try await eventually("both know it") {
      told.titles("all", "\(path)/main")?.count == 2
        && told.titles("part", "\(path)/main/a")?.count == 2
    }
    let file = try #require(told.folder("part", "\(path)/main/a")?.files.first)
    await music.refuse(file, "it has no audio")
    #expect(told.titles("all", "\(path)/main") == ["2"])
    #expect(told.titles("part", "\(path)/main/a") == ["2"])
    #expect(told.folder("part", "\(path)/main/a")?.refused.map(\.reason) == ["it has no audio"])
    await music.end()
  }

  @Test func `pauses between looks follow what a look costs and what is watched`() {
    var folder = LookedFolder("/m", nil)
    let (settings, pace) = (LibrarySettings(), LookPace())
    var look = MusicScan("/none", tags: nil).look()
    look.trouble = nil
    func pause(_ seconds: Double) -> Double { folder.pause(after: seconds, look, settings, pace) }
    folder.state = .ok
    #expect(pause(0.1) == 3600)
    folder.whyUnwatched = "it is on nfs4"
    #expect(pause(0.1) == 60 && pause(2) == 100 && pause(100) == 900)
    look.unsettled = [[]]
    #expect(pause(0.01) == 5 && pause(10) == 500)
    folder.state = .suspect
    #expect(pause(0.1) == 60 && pause(10) == 500)
  }

  @Test func `a changed folder is looked at once it has settled, or has not for long`() {
    var folder = LookedFolder("/m", nil)
    let pace = LookPace()
    func moment(_ seconds: Double) -> MonotonicTime {
      MonotonicTime(nanoseconds: 1_000_000_000_000).adding(seconds)
    }
    #expect(folder.secondsToSettle(pace, at: moment(0)) == nil)
    for second in stride(from: 0.0, through: 28, by: 4) { folder.note([[1]], at: moment(second)) }
    folder.note([[2]], at: moment(27))
    #expect(folder.takeSettled(pace, at: moment(29)).isEmpty)
    #expect(folder.secondsToSettle(pace, at: moment(29)) == 1)
    #expect(folder.takeSettled(pace, at: moment(30)) == [[1]])
    #expect(folder.takeSettled(pace, at: moment(32)) == [[2]])
    #expect(folder.secondsToSettle(pace, at: moment(40)) == nil)
  }
}
