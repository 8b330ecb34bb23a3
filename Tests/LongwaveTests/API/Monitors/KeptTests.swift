import Synchronization
import Testing

@testable import Longwave
@testable import LongwaveAPI

@Suite struct KeptTests {
  @Test func `a hundred who ask at once share an answer that is made once`() async {
    let made = Counter()
    let kept = Kept<Int>(seconds: 3600)
    let answers = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await kept.value {
            try? await Task.sleep(for: .milliseconds(50))
            return made.next()
          }
        }
      }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(answers == [1])
    #expect(await kept.value { made.next() } == 1)
    kept.forget()
    #expect(await kept.value { made.next() } == 2)
  }

  @Test func `an old answer is made again, and one begun before a change is not kept`() async {
    let made = Counter()
    let short = Kept<Int>(seconds: 0)
    #expect(await short.value { made.next() } == 1)
    #expect(await short.value { made.next() } == 2)
    let kept = Kept<Int>(seconds: 3600)
    let old = await kept.value {
      kept.forget()
      return 7
    }
    #expect(old == 7)
    #expect(await kept.value { 8 } == 8)
  }

  @Test func `kept answers are bounded in number`() async {
    let made = Counter()
    let kept = KeptByKey<Int, Int>(seconds: 3600, keysMax: 4)
    for key in 0..<4 { _ = await kept.value(key) { made.next() } }
    #expect(await kept.value(0) { made.next() } == 1)
    _ = await kept.value(4) { made.next() }
    #expect(await kept.value(0) { made.next() } == 6)
  }

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
  }
}
