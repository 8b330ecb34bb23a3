import Glibc
import Logging
import Reactor
import Server
import Synchronization
import TestSupport
import Testing
import Threads
import Timeshift

@testable import Longwave

/// How long those wait about whom a web service is asked.
@Suite struct HookServiceTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Holds the threads of a service, as one that hangs does.
  private final class Hold: Sendable {
    private let isOver = Atomic<Bool>(false)
    let count = Atomic<Int>(0)

    func end() { isOver.store(true, ordering: .sequentiallyConsistent) }

    func wait() {
      count.add(1, ordering: .sequentiallyConsistent)
      while !isOver.load(ordering: .sequentiallyConsistent) { usleep(1000) }
    }
  }

  /// The seconds that services were given.
  private final class Times: Sendable {
    let all = Mutex<[Double]>([])
  }

  @Test func `time in which a question waits is taken from the service's time`() async throws {
    let service = HookService(host: "example.org", patience: 600, logger: Self.logger)
    let hold = Hold()
    try await withThrowingTaskGroup(of: Double?.self) { group in
      for _ in 0..<6 {
        group.addTask {
          await service.ask("http://example.org/a", for: nil) { left in
            hold.wait()
            return left
          }
        }
      }
      try await eventually("six are asked") { hold.count.load(ordering: .relaxed) == 6 }
      let late = Task { await service.ask("http://example.org/a", for: nil) { $0 } }
      try await eventually("it waits") { service.questions.waiting == 1 }
      let waits = MonotonicTime.now()
      try await Task.sleep(for: .milliseconds(300))
      let waited = MonotonicTime.now().seconds(since: waits)
      hold.end()
      #expect(try #require(await late.value) <= 600 - waited)
      for try await left in group { #expect(try #require(left) <= 600) }
    }
  }

  @Test func `a question to a service that hangs is answered when its time is over`() async throws {
    let service = HookService(host: "example.org", patience: 1, logger: Self.logger)
    let left = Times()
    let answers = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<60 {
        group.addTask {
          let answer: Bool? = await service.ask("http://example.org/a", for: nil) { seconds in
            left.all.withLock { $0.append(seconds) }
            // The service takes all the time that it has.
            usleep(UInt32(seconds * 1_000_000))
            return true
          }
          return answer == true
        }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    // Nobody is asked about for a second time as long.
    #expect(answers.count { $0 } == left.all.withLock { $0.count } && answers.contains(false))
    #expect(left.all.withLock { $0.allSatisfy { (0.1...1).contains($0) } })
  }

  @Test func `a page that hangs leaves threads to the others of its service`() async throws {
    let service = HookService(host: "example.org", logger: Self.logger)
    let hold = Hold()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          _ = await service.ask("http://example.org/hung", for: nil) { _ in hold.wait() }
        }
      }
      try await eventually("six are asked") { hold.count.load(ordering: .relaxed) == 6 }
      for number in 0..<20 {
        #expect(await service.ask("http://example.org/good", for: nil) { _ in number } == number)
      }
      #expect(hold.count.load(ordering: .relaxed) == 6)
      hold.end()
    }
  }
}
