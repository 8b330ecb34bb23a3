import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Longwave

@Suite struct ChoreTests {
  private final class Owner: Sendable {
    let done = Mutex(0)
  }

  private typealias Pause = Chore<Owner>.Pause

  @Test func `a pause is the same each time, asked for, or grows while nothing can be done`() {
    let rows: [(Pause, last: Double?, isDone: Bool, next: Double?)] = [
      (.each(3), nil, true, 3), (.each(3), 3, true, 3), (.when { 4 }, 9, true, 4),
      (.retry(2, most: 7), nil, true, 2), (.retry(2, most: 7), 2, false, 4),
      (.retry(2, most: 7), 4, false, 7), (.retry(2, most: 7), 7, true, 2),
      (.call(AsyncStream { $0.finish() }), nil, true, nil),
    ]
    for (pause, last, isDone, next) in rows {
      #expect(pause.seconds(after: last, isDone: isDone) == next, "\(pause) after \(last ?? 0)")
    }
  }

  @Test func `a chore is done again and again, until its task is cancelled`() async throws {
    let owner = Owner()
    let task = Chore<Owner>(.each(0.01)) { $0.done.withLock { $0 += 1 } }.run(by: owner)
    try await eventually("it is done again") { owner.done.withLock { $0 } > 2 }
    task.cancel()
    await task.value
  }

  @Test func `a chore that cannot be done is tried again`() async throws {
    let owner = Owner()
    let chore = Chore<Owner>(tried: .retry(0.01, most: 0.02)) {
      $0.done.withLock {
        $0 += 1
        return $0 > 3
      }
    }
    let task = chore.run(by: owner)
    try await eventually("it is done") { owner.done.withLock { $0 } > 4 }
    task.cancel()
    await task.value
  }

  @Test func `a chore that is called for is done once a call, and ends with the calls`() async {
    let owner = Owner()
    let calls = AsyncStream<Void>.makeStream()
    for _ in 0..<3 { calls.continuation.yield() }
    calls.continuation.finish()
    await Chore<Owner>(.call(calls.stream)) { $0.done.withLock { $0 += 1 } }
      .run(by: owner).value
    #expect(owner.done.withLock { $0 } == 3)
  }

  @Test func `a chore ends when its owner is gone, and does not keep it`() async {
    var owner: Owner? = Owner()
    let task = owner.map {
      Chore<Owner>(.each(0.01)) { $0.done.withLock { $0 += 1 } }.run(by: $0)
    }
    owner = nil
    await task?.value
  }

  @Test func `each of a relay's chores has a pause of an hour at most`() async throws {
    let directory = TemporaryDirectory()
    let options = RelayOptions(data: directory.path, listen: [.ipv4(0x7F00_0001, port: 0)])
    let relay = try await Relay(configuration: Configuration(), options: options)
    try await relay.start()
    let chores = await relay.chores
    #expect(!chores.isEmpty)
    for chore in chores {
      if case .call = chore.pause { continue }
      let seconds = try #require(chore.pause.seconds(after: nil, isDone: true))
      #expect((0...3600).contains(seconds), "\(chore.pause)")
    }
    await relay.stop()
  }
}
