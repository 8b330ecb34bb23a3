import Glibc
@testable import Media
import Reactor
import TestSupport
import Testing
import Threads
import Wire

@testable import Server
@testable import Timeshift

/// Passes over files, and what is remembered of them.
@Suite struct FileLibraryTests {
  private typealias Identity = MediaFile.Identity

  private func identity(_ number: Int) -> Identity {
    Identity(device: 1, inode: UInt64(number), bytes: 1, modified: 1)
  }

  private let one = AddressBlock(.tcp(.ipv4(1, port: 1)))
  private let other = AddressBlock(.tcp(.ipv4(2, port: 1)))

  /// Begins or joins a pass, and hands the answer over when there is one.
  private func begin(
    _ passes: inout IndexPasses, _ number: UInt64, _ file: Int, _ customer: AddressBlock?
  ) async -> IndexPasses.Begun {
    var begun = IndexPasses.Begun.tooMany
    _ = await withCheckedContinuation { (continuation: IndexPasses.Waiting) in
      begun = passes.wait(number, for: identity(file), from: customer, continuation)
      // Nobody here waits for it.
      if begun != .tooMany { _ = passes.leave(number, identity(file)) }
      continuation.resume(returning: .busy)
    }
    return begun
  }

  @Test func `an address begins so many passes, and joins as many as it likes`() async {
    var passes = IndexPasses()
    for file in 0..<IndexPasses.perAddress {
      #expect(await begin(&passes, UInt64(file), file, one) == .first)
    }
    #expect(await begin(&passes, 10, 99, one) == .tooMany)
    #expect(await begin(&passes, 11, 0, one) == .joined)
    #expect(await begin(&passes, 12, 99, other) == .first)
    #expect(await begin(&passes, 13, 98, nil) == .first)
    // Nobody waits for it any more.
    let (isGivenUp, again) = (passes.giveUp(identity(0)), passes.giveUp(identity(0)))
    #expect(isGivenUp && !again)
    #expect(await begin(&passes, 14, 97, one) == .first)
    let waiting = passes.end(identity(97))
    #expect(waiting.isEmpty)
    #expect(await begin(&passes, 15, 96, one) == .first)
  }

  @Test func `a pass over a file that nobody waits for any more is not made`() async throws {
    let scratch = TemporaryDirectory()
    let library = FileLibrary()
    defer { library.stop() }
    let path = scratch.write("a.mp3", NumberedFrames.stream(0..<2000))
    let file = try MediaFolder.open("", in: path)
    let gate = Flag()
    // Holds the thread up.
    #expect(library.indexer.run { while !gate.isSet { usleep(1000) } })
    let waiting = (0..<20).map { _ in Task { await library.index(of: file, for: one) } }
    for task in waiting { task.cancel() }
    for task in waiting {
      if case .busy = await task.value { continue }
      Issue.record("it was answered otherwise")
    }
    gate.set()
    await withCheckedContinuation { done in _ = library.indexer.run { done.resume() } }
    #expect(library.passesMade == 0)
    if case .index = await library.index(of: file, for: one) {} else { Issue.record("no index") }
    #expect(library.passesMade == 1)
  }

  @Test func `files open for listeners are bounded, shared by address, and each open once`()
    async throws
  {
    let scratch = TemporaryDirectory()
    let library = FileLibrary(openMax: 20)
    defer { library.stop() }
    for number in 0..<30 {
      scratch.write("\(number).mp3", NumberedFrames.stream(0..<40))
    }
    func find(_ number: Int, _ customer: AddressBlock?, isHeard: Bool = true) async throws
      -> FoundFile.Answer
    {
      try await self.find(number, of: scratch, in: library, for: customer, isHeard: isHeard)
    }
    var held: [FoundFile] = []
    func take(_ number: Int, _ customer: AddressBlock?) async throws {
      guard case .found(let file) = try await find(number, customer) else {
        Issue.record("\(number) is not found")
        return
      }
      held.append(file)
    }
    for number in 0..<8 { try await take(number, one) }
    guard case .tooMany = try await find(8, one) else { throw Unexpected() }
    // What is open already costs nothing more.
    try await take(0, one)
    try await take(0, other)
    // Whoever only looks has nothing open.
    guard case .found = try await find(8, one, isHeard: false) else { throw Unexpected() }
    for number in 8..<15 { try await take(number, other) }
    #expect(library.isCrowded)
    // The last ones are for those who have none.
    guard case .busy = try await find(15, other) else { throw Unexpected() }
    try await take(15, AddressBlock(.tcp(.ipv4(3, port: 1))))
    for number in 16..<20 { try await take(number, nil) }
    guard case .busy = try await find(20, nil) else { throw Unexpected() }
    held.removeAll()
    #expect(library.openFigures.now == 0)
    for number in 10..<30 { try await take(number, nil) }
  }

  @Test func `a file counts for those who hear it, whoever was the first`() async throws {
    let scratch = TemporaryDirectory()
    let library = FileLibrary(openMax: 100)
    defer { library.stop() }
    for number in 0..<20 {
      scratch.write("\(number).mp3", NumberedFrames.stream(0..<40))
    }
    func find(_ numbers: Range<Int>, _ customer: AddressBlock?) async throws -> [FoundFile] {
      var found: [FoundFile] = []
      for number in numbers {
        let answer = try await self.find(number, of: scratch, in: library, for: customer)
        if case .found(let file) = answer { found.append(file) }
      }
      return found
    }
    var first = try await find(0..<8, one)
    let second = try await find(0..<8, other)
    #expect(try await find(8..<9, one).isEmpty)
    withExtendedLifetime(first) {}
    first.removeAll()
    // They are the other's now.
    first = try await find(8..<17, one)
    #expect(first.count == 8)
    #expect(try await find(17..<18, other).isEmpty)
    withExtendedLifetime((first, second)) {
      #expect(library.openFigures.now == 16)
    }
  }

  @Test func `the addresses of a /48 begin as many passes as eight of them`() async {
    var passes = IndexPasses()
    var first = 0
    for file in 0..<64 {
      let block = AddressBlock(.tcp(.ipv6(0x1_0000 + UInt64(file / 2), 1, port: 1)))
      if await begin(&passes, UInt64(file), file, block) == .first { first += 1 }
    }
    #expect(first == 8 * IndexPasses.perAddress)
    let neighbour = AddressBlock(.tcp(.ipv6(0x2_0000, 1, port: 1)))
    #expect(await begin(&passes, 99, 99, neighbour) == .first)
  }

  private struct Unexpected: Error {}

  /// The numbered files of a folder.
  private func find(
    _ number: Int, of scratch: TemporaryDirectory, in library: FileLibrary,
    for customer: AddressBlock?,
    isHeard: Bool = true
  ) async throws -> FoundFile.Answer {
    await library.find(
      try FileRequest("\(number).mp3", HTTPQuery()),
      in: FileSource(root: scratch.file("."), throttleBypass: .zero), for: customer,
      isHeard: isHeard)
  }

  @Test func `a cache of facts on files has a bound`() {
    var cache = FileCache(bytesMax: 100_000)
    for number in 0..<10_000 {
      cache.set(nil, of: identity(number))
      #expect(cache.bytes <= 100_000)
    }
    guard case .noAudio = cache.look(identity(9_999)), case .none = cache.look(identity(0)) else {
      Issue.record("the oldest is kept, or the newest is not")
      return
    }
  }
}
