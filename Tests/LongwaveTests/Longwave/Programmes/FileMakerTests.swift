import Glibc
import Library
import Media
import Synchronization
import TestSupport
import Testing
import Threads
import Wire

@testable import Longwave
@testable import Timeshift

/// Making tracks fit: each once, what is due first before everything else.
@Suite struct FileMakerTests {
  private static let format = MadeFormat(sampleRate: 44_100, channels: 2, bitrate: 128)!

  private let music = TemporaryDirectory()
  private let data = TemporaryDirectory()

  private func file(_ number: Int, seconds: Double = 1) throws -> MusicFile {
    let name = "\(number).flac"
    music.write(name, try ToneFile(["-c:a", "flac"], "flac", 44_100, 2).bytes(seconds: seconds))
    let open = try MediaFolder.open(name, in: music.path)
    var file = MusicFile(
      root: music.path, path: Array(name.utf8), identity: open.identity,
      key: TrackKey(high: UInt64(number), low: 0),
      format: AudioFormat(codec: .flac, sampleRate: 44_100, channels: 2), seconds: seconds,
      title: "Title \(number)")
    file.coding = .flac
    return file
  }

  /// - Parameter begun: gets the name of each file that is begun; may block.
  private func maker(
    workers: Int = 1, patience: Double = 60, begun: @escaping @Sendable (String) -> Void = { _ in }
  ) -> FileMaker {
    var calls = FileCalls.posix
    calls.free = { _ in 1 << 40 }
    calls.open = { path, flags in
      begun(path.split(separator: "/").last.map { String($0) } ?? "")
      return FileCalls.posix.open(path, flags)
    }
    return FileMaker(
      MadeFiles(data.file("renditions"), calls: calls), workers: workers, patience: patience)
  }

  private func failure(_ outcome: FileMaker.Outcome) -> ItemFailure? {
    if case .failure(let failure) = outcome { failure } else { nil }
  }

  @Test func `a track is made once, whoever asks for it, and is there for good`() async throws {
    let begun = Mutex<[String]>([])
    let maker = maker(workers: 2) { name in begun.withLock { $0.append(name) } }
    let file = try file(1)
    let made = await withTaskGroup { group in
      for due in 0..<5 {
        group.addTask { await maker.make(file, as: Self.format, due: Int64(due)) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let paths = try made.map { try $0.get().file }
    #expect(begun.withLock(\.count) == 1 && Set(paths).count == 1)
    #expect(paths[0].format == Self.format.packets && paths[0].coding == .packets)
    #expect(paths[0].title == "Title 1" && paths[0].key == file.key && paths[0].root != file.root)
    // The file itself may be gone by then.
    unlink(music.file("1.flac"))
    _ = try await maker.make(file, as: Self.format, due: 0).get()
    #expect(begun.withLock(\.count) == 1 && maker.figures.files == 1)
    await maker.drop(paths[0])
    #expect(failure(await maker.make(file, as: Self.format, due: 0)) != nil)
  }

  @Test func `what is due first is made first`() async throws {
    let begun = Mutex<[String]>([])
    let gate = Mutex(false)
    let maker = maker { name in
      begun.withLock { $0.append(name) }
      while !gate.withLock({ $0 }) { usleep(1000) }
    }
    let files = try (1...4).map { try file($0) }
    await withTaskGroup { group in
      group.addTask { _ = await maker.make(files[0], as: Self.format, due: 1) }
      while begun.withLock({ $0.isEmpty }) { await Task.yield() }
      for (file, due) in [(files[1], 30), (files[2], 20), (files[3], 40)] {
        group.addTask { _ = await maker.make(file, as: Self.format, due: Int64(due)) }
      }
      // Asked for again, since it comes sooner.
      group.addTask { _ = await maker.make(files[3], as: Self.format, due: 10) }
      while maker.waitingCount < 5 { await Task.yield() }
      gate.withLock { $0 = true }
    }
    let numbers = begun.withLock { $0 }.map { $0.dropFirst(16).first }
    #expect(numbers == ["1", "4", "3", "2"])
  }

  @Test func `what cannot be decoded is the file's fault, and what has changed is not`()
    async throws
  {
    let maker = maker()
    var broken = try file(1)
    music.write("1.flac", Array("fLaC".utf8) + Array(repeating: 0, count: 5000))
    broken.identity = try MediaFolder.open("1.flac", in: music.path).identity
    let refused = failure(await maker.make(broken, as: Self.format, due: 0))
    #expect(refused?.isOfFile == true)
    let changed = try file(2)
    music.write("2.flac", [1, 2, 3])
    let other = failure(await maker.make(changed, as: Self.format, due: 0))
    #expect(other == ItemFailure("it has changed"))
    #expect(maker.figures.files == 0)
    let names = FileCalls.posix.list(data.file("renditions")).names
    #expect(names.isEmpty)
  }

  @Test func `what waits longer than a disk may hang is made all the same`() async throws {
    // Behind everything else, a busy machine lets it stand still for seconds.
    let maker = maker(workers: 1, patience: 10) { _ in usleep(3_500_000) }
    let files = try (1...4).map { try file($0) }
    let outcomes = await withTaskGroup { group in
      for file in files { group.addTask { await maker.make(file, as: Self.format, due: 0) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.compactMap { failure($0) } == [])
  }

  @Test func `a disk that hangs costs its own tracks their time, and no others`() async throws {
    let isHanging = Atomic(true)
    let maker = maker(workers: 1, patience: 4) { name in
      let isHung = ["1", "2"].contains { name.hasPrefix(".000000000000000\($0)") }
      if isHung { while isHanging.load(ordering: .relaxed) { usleep(1000) } }
    }
    defer { isHanging.store(false, ordering: .relaxed) }
    let hung = try (1...4).map { try file($0) }
    // Two threads hang by then, and there is no third.
    for file in hung.prefix(3) {
      #expect(failure(await maker.make(file, as: Self.format, due: 0)) == .silentDisk)
    }
    let elsewhere = TemporaryDirectory()
    var other = hung[3]
    elsewhere.write("4.flac", try readFile(music.file("4.flac")))
    other.root = elsewhere.path
    other.identity = try MediaFolder.open("4.flac", in: elsewhere.path).identity
    _ = try await maker.make(other, as: Self.format, due: 0).get()
    isHanging.store(false, ordering: .relaxed)
    try await eventually("the disk answers again") {
      failure(await maker.make(hung[2], as: Self.format, due: 0)) == nil
    }
  }

  @Test func `nothing waits for a relay that ends`() async throws {
    let gate = Mutex(false)
    let maker = maker { _ in while !gate.withLock({ $0 }) { usleep(1000) } }
    let files = try (1...2).map { try file($0) }
    let outcomes = await withTaskGroup { group in
      for file in files { group.addTask { await maker.make(file, as: Self.format, due: 0) } }
      while maker.waitingCount < 2 { await Task.yield() }
      maker.stop()
      gate.withLock { $0 = true }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { failure($0) != nil })
    #expect(failure(await maker.make(files[0], as: Self.format, due: 0)) != nil)
  }
}
