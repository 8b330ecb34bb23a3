import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite struct SharedCacheTests {
  private typealias Cache = SharedCache<String, String>

  private func cache(kept seconds: Double = 3600, perCustomer: Int = 32) -> Cache {
    Cache("test", perCustomer: perCustomer, keptSeconds: seconds, keptBytesMax: 1 << 20) {
      $1.utf8.count
    }
  }

  private func customer(_ number: UInt32) -> AddressBlock {
    AddressBlock(.tcp(.ipv4(0x0A00_0000 + number, port: 1)))!
  }

  /// Holds the cache's two lanes until it is opened, and keeps the order in which things are made.
  private final class Gate: Sendable {
    private struct State {
      var isOpen = false
      var held = 0
      var made: [String] = []
    }

    private let state = Mutex(State())

    func open() { state.withLock { $0.isOpen = true } }
    var held: Int { state.withLock(\.held) }
    var made: [String] { state.withLock(\.made) }

    func hold() -> String {
      state.withLock { $0.held += 1 }
      while !state.withLock(\.isOpen) { usleep(1000) }
      return "held"
    }

    func make(_ text: String) -> String {
      state.withLock { $0.made.append(text) }
      return text
    }
  }

  /// A cache both of whose lanes are busy until the gate opens.
  private func busy(_ cache: Cache, _ gate: Gate) async throws {
    for number in 0..<2 {
      Task { await cache.value("gate \(number)", for: customer(99)) { gate.hold() } }
    }
    try await eventually("both lanes are busy") { gate.held == 2 }
  }

  /// Something that is made until nobody waits, and then held back.
  private final class Endless: Sendable {
    let begun = Atomic<Bool>(false)
    let hasNoticed = Atomic<Bool>(false)
    let mayEnd = Atomic<Bool>(false)

    func make(_ isWanted: () -> Bool) -> String {
      begun.store(true, ordering: .relaxed)
      while isWanted() { usleep(1000) }
      hasNoticed.store(true, ordering: .relaxed)
      while !mayEnd.load(ordering: .relaxed) { usleep(1000) }
      return "half"
    }
  }

  @Test func `a page being made ends when all who asked have gone, and is made anew later`()
    async throws
  {
    let cache = cache()
    let endless = Endless()
    let gone = (0..<3).map { number in
      Task {
        await cache.value("page", for: customer(UInt32(number))) { endless.make($0) }
      }
    }
    try await eventually("it is begun") { endless.begun.load(ordering: .relaxed) }
    for task in gone {
      task.cancel()
      #expect(await task.value == nil)
    }
    try await eventually("that is noticed") { endless.hasNoticed.load(ordering: .relaxed) }
    let late = await cache.value("page", for: customer(9)) { $0() ? "whole" : "half" }
    #expect(late == "whole")
    endless.mayEnd.store(true, ordering: .relaxed)
    try await eventually("both were made") { cache.made == 2 }
    #expect(await cache.value("page", for: nil) { "again" } == "whole")
  }

  @Test func `a page that many ask for at once is made once, and kept`() async throws {
    let cache = cache()
    let gate = Gate()
    try await busy(cache, gate)
    let answers = await withTaskGroup(of: String?.self) { group in
      for number in 0..<100 {
        group.addTask {
          await cache.value("page", for: customer(UInt32(number % 3))) { gate.make("page") }
        }
      }
      gate.open()
      return await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect(answers.count == 100 && Set(answers) == ["page"])
    #expect(await cache.value("page", for: nil) { gate.make("again") } == "page")
    #expect(gate.made == ["page"])
  }

  @Test func `a customer who asks for much keeps nobody else waiting`() async throws {
    let cache = cache()
    let gate = Gate()
    try await busy(cache, gate)
    var greedy: [Task<String?, Never>] = []
    for numbers in [0..<29, 29..<30] {
      greedy += numbers.map { number in
        Task { await cache.value("greedy \(number)", for: customer(1)) { gate.make("greedy") } }
      }
      try await eventually("all of it waits") { cache.waiting == numbers.upperBound }
    }
    let other = Task { await cache.value("other", for: customer(2)) { gate.make("other") } }
    // Also where it is the greedy one's last wish.
    let same = Task { await cache.value("greedy 29", for: customer(3)) { gate.make("same") } }
    try await eventually("so do the others") { cache.waiting == 32 }
    gate.open()
    for task in greedy + [other, same] { #expect(await task.value != nil) }
    #expect(gate.made.count == 31)
    #expect(try #require(gate.made.firstIndex(of: "other")) < 6)
    #expect(try #require(gate.made.firstIndex(of: "same")) < 6)
  }

  @Test func `the administration's socket waits for nobody`() async throws {
    let cache = cache()
    let gate = Gate()
    try await busy(cache, gate)
    #expect(await cache.value("own", for: nil) { gate.make("own") } == "own")
    gate.open()
  }

  @Test func `a page is not made for a customer who has gone`() async throws {
    let cache = cache()
    let gate = Gate()
    try await busy(cache, gate)
    let gone = (0..<20).map { number in
      Task { await cache.value("gone \(number)", for: customer(1)) { gate.make("gone") } }
    }
    try await eventually("all of it waits") { cache.waiting == 20 }
    for task in gone { task.cancel() }
    for task in gone { #expect(await task.value == nil) }
    gate.open()
    #expect(await cache.value("here", for: customer(1)) { gate.make("here") } == "here")
    #expect(gate.made == ["here"])
  }

  @Test func `an address has only so many wishes at a time`() async throws {
    let cache = cache(perCustomer: 4)
    let gate = Gate()
    try await busy(cache, gate)
    let some = (0..<4).map { number in
      Task { await cache.value("\(number)", for: customer(1)) { gate.make("some") } }
    }
    try await eventually("four wait") { cache.waiting == 4 }
    #expect(await cache.value("more", for: customer(1)) { gate.make("more") } == nil)
    let other = Task { await cache.value("other", for: customer(2)) { gate.make("other") } }
    // The same page is no further wish.
    let same = Task { await cache.value("0", for: customer(1)) { gate.make("same") } }
    try await eventually("the others wait") { cache.waiting == 6 }
    gate.open()
    for task in some + [other, same] { #expect(await task.value != nil) }
    #expect(gate.made.sorted() == ["other", "some", "some", "some", "some"])
  }

  @Test func `an old page is made again, and one that is too long is not kept`() async {
    let gate = Gate()
    let short = cache(kept: 0)
    for _ in 0..<3 { _ = await short.value("page", for: nil) { gate.make("page") } }
    #expect(gate.made.count == 3)
    let small = Cache("test", keptSeconds: 3600, keptBytesMax: 10) { $1.utf8.count }
    for _ in 0..<3 {
      for text in ["12345678901", "123456", "1234567"] {
        _ = await small.value(text, for: nil) { gate.make(text) }
      }
    }
    #expect(gate.made.count == 3 + 9)
  }

  /// Under the thread sanitizer, also when the kernel hands a contended lock over, which the sanitizer does not see.
  @Test func `a value that one thread made and kept is read whole by all others`() async {
    let cache = SharedCache<Int, [Int]>("test", keptSeconds: 3600, keptBytesMax: 1 << 20) {
      $1.count
    }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for key in 0..<3000 {
            let list = await cache.value(key, for: nil) { (0..<8).map { key + $0 } }
            #expect(list?.reduce(0, +) == 8 * key + 28)
          }
        }
      }
    }
  }
}
