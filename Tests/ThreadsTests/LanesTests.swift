import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Threads

@Suite struct LanesTests {
  @Test func `lanes run and queue only so many tasks, and refuse the rest`() async {
    let lanes = Lanes<Int>("test", count: 2, waitingMax: 3)
    let gate = Gate()
    let done = Atomic<Int>(0)
    let taken = (0..<10).map { _ in
      lanes.submit {
        gate.wait()
        done.add(1, ordering: .relaxed)
      }
    }
    #expect(taken.count { $0 } == 5 && done.load(ordering: .relaxed) == 0)
    #expect(await lanes.run { 1 } == nil)
    gate.open()
    await lanes.idle()
    #expect(done.load(ordering: .relaxed) == 5)
    #expect(await lanes.run { 1 } == 1)
  }

  @Test func `a task that waited for a thread that the system did not give is refused`() async {
    let told = Mutex<[String]>([])
    let made = Mutex<Lanes<Int>?>(nil)
    let lanes = Lanes<Int>("test", count: 1) { _, _ in
      // Another task comes while the thread is asked for.
      let waits = made.withLock { $0 }?.submit(refused: { told.withLock { $0.append("refused") } })
      {
        told.withLock { $0.append("done") }
      }
      #expect(waits == true)
      return false
    }
    made.withLock { $0 = lanes }
    #expect(!lanes.submit { told.withLock { $0.append("first") } })
    #expect(told.withLock { $0 } == ["refused"] && lanes.waiting == 0)
    await lanes.idle()
    made.withLock { $0 = nil }
  }

  @Test func `a bringer of few tasks gets a turn, and one of many makes room for others`() async {
    let lanes = Lanes<String>("test", count: 1, waitingMax: 6, waitingPerKey: 4)
    let gate = Gate()
    let done = Mutex<[String]>([])
    #expect(lanes.submit { gate.wait() })
    func submit(_ key: String, _ name: String) -> Bool {
      lanes.submit(for: key, refused: { done.withLock { $0.append("not " + name) } }) {
        done.withLock { $0.append(name) }
      }
    }
    #expect((1...5).map { submit("greedy", "g\($0)") } == [true, true, true, true, false])
    #expect(submit("a", "a1") && submit("a", "a2") && !submit("a", "a3"))
    #expect(submit("b", "b1") && submit("c", "c1"))
    gate.open()
    await lanes.idle()
    #expect(done.withLock(\.self) == ["not g4", "not g3", "g1", "a1", "b1", "c1", "g2", "a2"])
  }

  @Test func `tasks that hang together leave threads to others, and are all done in the end`() async
  {
    let lanes = Lanes<String>("test", count: 4, runningPerGroup: 3)
    let gate = Gate()
    let done = Mutex<[String]>([])
    func submit(_ key: String, _ group: String?, _ name: String, waits: Bool = false) -> Bool {
      lanes.submit(for: key, of: group) {
        if waits { gate.wait() }
        done.withLock { $0.append(name) }
      }
    }
    for number in 1...6 { #expect(submit("a", "hung", "h\(number)", waits: true)) }
    #expect(lanes.waiting == 3)
    // Of the same key, behind those that wait.
    #expect(await lanes.run(for: "a", of: "good") { 1 } == 1)
    #expect(await lanes.run(for: "a") { 2 } == 2)
    let other = Gate()
    let hasBegun = Mutex(false)
    let isTaken = lanes.submit(for: "b", of: "good") {
      hasBegun.withLock { $0 = true }
      other.wait()
    }
    #expect(isTaken)
    // The thread that did the last task takes it.
    while !hasBegun.withLock(\.self) { await Task.yield() }
    #expect(submit("a", "good", "g1") && submit("b", "hung", "h7") && submit("b", "good", "g2"))
    #expect(lanes.waiting == 6 && done.withLock(\.isEmpty))
    other.open()
    while done.withLock({ $0.count }) < 2 { await Task.yield() }
    #expect(done.withLock(\.self) == ["g1", "g2"] && lanes.waiting == 4)
    gate.open()
    await lanes.idle()
    #expect(done.withLock { Set($0).count } == 9 && lanes.waiting == 0)
  }

  @Test func `a queue gives what is ready, in the turns of those who wait`() {
    var queue = FairQueue<String, Int>()
    for (key, number) in [("a", 1), ("a", 2), ("b", 3), ("c", 5), ("c", 4), ("a", 6)] {
      queue.append(number, of: key)
    }
    #expect(queue.popFirst { $0 > 6 } == nil && queue.count == 6)
    var taken: [Int] = []
    while let next = queue.popFirst(where: { $0 % 2 == 0 }) { taken.append(next) }
    #expect(taken == [2, 4, 6])
    while let next = queue.popFirst() { taken.append(next) }
    #expect(taken == [2, 4, 6, 3, 5, 1], "\(taken)")
    #expect(queue.count == 0)
  }

  /// As many threads as could hold Swift's pool many times over.
  @Test func `threads that wait keep no task of Swift's waiting`() async throws {
    let lanes = Lanes<Int>("test", count: 64)
    let gate = Gate()
    for _ in 0..<64 { #expect(lanes.submit { gate.wait() }) }
    for number in 0..<100 { #expect(await Task.detached { number }.value == number) }
    gate.open()
    await lanes.idle()
  }

  @Test func `a thread has the name that top shows`() async {
    let name: String = await withCheckedContinuation { continuation in
      _ = SystemThread.start("lane-with-a-long-name") {
        var bytes = [UInt8](repeating: 0, count: 32)
        let fd = open("/proc/thread-self/comm", O_RDONLY)
        let count = read(fd, &bytes, bytes.count)
        close(fd)
        continuation.resume(returning: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
      }
    }
    #expect(name == "lane-with-a-lon\n")
  }
}
