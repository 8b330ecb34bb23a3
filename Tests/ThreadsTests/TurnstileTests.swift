import Synchronization
import TestSupport
import Testing

@testable import Threads

/// Who was let through, in order.
private final class Passed: Sendable {
  private let state = Mutex<[Int]>([])

  var numbers: [Int] { state.withLock { $0 } }

  func add(_ number: Int) { state.withLock { $0.append(number) } }
}

@Suite struct TurnstileTests {
  @Test(arguments: [1, 3])
  func `a turnstile lets only so many through, in the order of arrival`(_ count: Int) async throws {
    let turnstile = Turnstile(count)
    let passed = Passed()
    for _ in 0..<count { await turnstile.enter() }
    var tasks: [Task<Void, Never>] = []
    for number in 0..<4 {
      tasks.append(
        Task {
          await turnstile.enter()
          passed.add(number)
        })
      try await eventually("it waits") { turnstile.waiting == number + 1 }
    }
    #expect(passed.numbers.isEmpty)
    for number in 0..<4 {
      turnstile.leave()
      try await eventually("the next is through") { passed.numbers.count == number + 1 }
    }
    #expect(passed.numbers == [0, 1, 2, 3])
    for task in tasks { await task.value }
  }
}
