import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Threads

@Suite struct FolderTurnTests {
  private let turns = FolderTurns()
  private let isFree = Flag()

  private func hang(within seconds: Double, late: @escaping @Sendable (Int) -> Void) async -> Int? {
    await turns.run(in: "/hangs", within: seconds, late: late) { [isFree] in
      while !isFree.isSet { usleep(1000) }
      return 1
    }
  }

  @Test func `a folder that hangs holds nobody, and what is to be done there is done in order`()
    async throws
  {
    let done = Mutex<[Int]>([])
    #expect(await hang(within: 0.05) { number in done.withLock { $0.append(number) } } == nil)
    for number in 2...4 {
      let value: Bool? = await turns.run(in: "/hangs", within: 0.01) {
        done.withLock { $0.append(number) }
        return true
      }
      #expect(value == nil)
    }
    #expect(await turns.run(in: "/well", within: 60) { 7 } == 7)
    // A result is there a moment before its folder is free.
    try await eventually("the other folder is free") { turns.isFree("/well") }
    #expect(!turns.isFree("/hangs") && done.withLock(\.isEmpty))
    isFree.set()
    #expect(await turns.run(in: "/hangs", within: nil) { 8 } == 8)
    #expect(done.withLock { $0 } == [1, 2, 3, 4])
    try await eventually("nothing is left") { turns.isIdle && turns.isFree("/hangs") }
  }

  @Test func `work that gets on is waited for, work that is stuck is not`() async throws {
    let (late, isStuck) = (Flag(), Flag())
    let stuck = Task {
      await turns.run(
        in: "/hangs", unless: { isStuck.isSet }, late: { (_: Int) in late.set() }
      ) { [isFree] in
        while !isFree.isSet { usleep(1000) }
        return 1
      }
    }
    #expect(await turns.run(in: "/well", unless: { false }) { 7 } == 7)
    isStuck.set()
    #expect(await stuck.value == nil)
    isFree.set()
    try await eventually("its result comes late") { late.isSet }
  }

  @Test func `work in a folder that ends in time is not told to be late`() async {
    let late = Flag()
    isFree.set()
    #expect(await hang(within: 60) { _ in late.set() } == 1)
    #expect(await turns.run(in: "/hangs", within: 60) { 2 } == 2)
    #expect(!late.isSet)
  }
}
