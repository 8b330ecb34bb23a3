import Glibc
import Synchronization
import TestSupport
import Testing
import Threads
import Timeshift

@testable import Longwave

/// A job that counts its turns.
private final class CountingJob: SoundJob {
  let turns = Atomic<Int>(0)
  let isGivenUp = Atomic<Bool>(false)
  private let turnsMax: Int
  private let body: @Sendable () -> Void

  init(turns: Int = .max, _ body: @escaping @Sendable () -> Void = {}) {
    (turnsMax, self.body) = (turns, body)
  }

  func run(at now: MonotonicTime) -> MonotonicTime? {
    body()
    let count = turns.add(1, ordering: .relaxed).newValue
    return count < turnsMax ? now.adding(0.005) : nil
  }

  func giveUp() { isGivenUp.store(true, ordering: .relaxed) }
}

@Suite struct SoundPoolTests {
  @Test func `fifty jobs on two threads all have their turns, and end`() async throws {
    let pool = SoundPool(threads: 2)
    defer { pool.stop() }
    let jobs = (0..<50).map { _ in CountingJob(turns: 40) }
    for job in jobs { #expect(pool.add(job)) }
    try await eventually("all turns") {
      jobs.allSatisfy { $0.turns.load(ordering: .relaxed) == 40 } && pool.count == 0
    }
    // Threads that ended come again.
    let late = CountingJob(turns: 3)
    #expect(pool.add(late))
    try await eventually("its turns") { late.turns.load(ordering: .relaxed) == 3 }
  }

  @Test func `a job does not count as hanging for time in which nothing ran at all`() async throws {
    let pool = SoundPool(threads: 1, hangSeconds: 1)
    defer { pool.stop() }
    let isHeld = Atomic<Bool>(true)
    let hasBegun = Atomic<Bool>(false)
    let job = CountingJob {
      hasBegun.store(true, ordering: .relaxed)
      while isHeld.load(ordering: .relaxed) { usleep(1000) }
    }
    #expect(pool.add(job))
    try await eventually("it runs") { hasBegun.load(ordering: .relaxed) }
    let now = MonotonicTime.now()
    for seconds in [0, 20, 20.9] {
      pool.replaceHanging(at: now.adding(seconds))
      let isGivenUp = job.isGivenUp.load(ordering: .relaxed)
      #expect(!isGivenUp, "after \(seconds) s")
    }
    pool.replaceHanging(at: now.adding(21.1))
    let isGivenUp = job.isGivenUp.load(ordering: .relaxed)
    #expect(isGivenUp)
    isHeld.store(false, ordering: .relaxed)
  }

  @Test func `jobs that hang hold up nobody but themselves`() async throws {
    let pool = SoundPool(threads: 2, hangSeconds: 0.5)
    defer { pool.stop() }
    let isHeld = Atomic<Bool>(true)
    let hanging = (0..<2).map { _ in
      CountingJob { while isHeld.load(ordering: .relaxed) { usleep(1000) } }
    }
    for job in hanging { #expect(pool.add(job)) }
    let job = CountingJob()
    #expect(pool.add(job))
    try await eventually("both are given up") {
      pool.replaceHanging(at: .now())
      return hanging.allSatisfy { $0.isGivenUp.load(ordering: .relaxed) }
    }
    let before = job.turns.load(ordering: .relaxed)
    try await eventually("the others go on") {
      job.turns.load(ordering: .relaxed) > before + 5
    }
    isHeld.store(false, ordering: .relaxed)
    try await eventually("the others still go on") {
      job.turns.load(ordering: .relaxed) > before + 50
    }
    try await eventually("their turns end") {
      hanging.allSatisfy { $0.turns.load(ordering: .relaxed) > 0 }
    }
    for job in hanging { #expect(job.turns.load(ordering: .relaxed) == 1, "not run again") }
  }

  @Test func `renditions and rules have their turns before what somebody hears`() async throws {
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let isHeld = Atomic<Bool>(true)
    let hasBegun = Atomic<Bool>(false)
    let order = Mutex<[SoundRank]>([])
    let holding = CountingJob(turns: 1) {
      hasBegun.store(true, ordering: .relaxed)
      while isHeld.load(ordering: .relaxed) { usleep(1000) }
    }
    #expect(pool.add(holding))
    try await eventually("it runs") { hasBegun.load(ordering: .relaxed) }
    func add(_ rank: SoundRank, _ count: Int) {
      for _ in 0..<count {
        let job = CountingJob(turns: 1) { order.withLock { $0.append(rank) } }
        #expect(pool.add(job, rank: rank))
      }
    }
    add(.others, 4)
    add(.first, 20)
    isHeld.store(false, ordering: .relaxed)
    try await eventually("all turns") { order.withLock { $0.count } == 24 }
    // One turn in eight is the others' in any case.
    let firsts = [SoundRank](repeating: .first, count: 7) + [.others]
    let expected = firsts + firsts + [SoundRank](repeating: .first, count: 6) + [.others, .others]
    #expect(order.withLock { $0 } == expected)
  }

  @Test func `the station that has used the least time is next`() async throws {
    let pool = SoundPool(threads: 1)
    defer { pool.stop() }
    let isHeld = Atomic<Bool>(true)
    let hasBegun = Atomic<Bool>(false)
    let holding = CountingJob(turns: 1) {
      hasBegun.store(true, ordering: .relaxed)
      while isHeld.load(ordering: .relaxed) { usleep(1000) }
    }
    #expect(pool.add(holding))
    try await eventually("it runs") { hasBegun.load(ordering: .relaxed) }
    // Eight jobs of one station, each of whose turns is long, and all of which are due before the other's.
    let order = Mutex<[String]>([])
    for _ in 0..<8 {
      let job = CountingJob(turns: 20) {
        let end = SystemThread.worked() + 0.03
        while SystemThread.worked() < end {}
        order.withLock { $0.append("dear") }
      }
      #expect(pool.add(job, rank: .first, of: "dear"))
    }
    let job = CountingJob(turns: 20) { order.withLock { $0.append("cheap") } }
    #expect(pool.add(job, rank: .first, of: "cheap"))
    isHeld.store(false, ordering: .relaxed)
    try await eventually("the cheap one's turns") { job.turns.load(ordering: .relaxed) == 20 }
    // In the order of their time, eight turns would come between two of its own. The dear ones go on behind its last.
    let dear = order.withLock { order in
      order[..<(order.lastIndex(of: "cheap") ?? 0)].count { $0 == "dear" }
    }
    #expect(dear <= 22, "\(dear) turns of the dear one")
  }

  @Test func `a station that rested has saved no time up`() {
    var shares = ThreadShares()
    shares.begins("old")
    shares.add(1000, to: "old")
    shares.begins("old")
    #expect(shares.used(by: "old") == 1000 && shares.used(by: "new") == 1000)
    shares.add(50, to: "old")
    shares.add(-5, to: "new")
    #expect(shares.used(by: "old") == 1050 && shares.used(by: "new") == 1000)
    shares.forgetRested()
    #expect(shares.used(by: "old") == 1050 && shares.used(by: "new") == 1000)
    shares.add(.max, to: "old")
    #expect(shares.used(by: "old") == .max)
  }

  @Test func `a play point goes evenly where audio comes in pieces`() {
    var play = PlayPoint(lag: 0.5, lagMax: 3)
    var last = 0.0
    var stood = 0
    var edge = 100.0
    for tick in 0..<2000 {
      let time = Double(tick) * 0.02
      // A second of audio comes at once, a little late at times.
      edge = max(edge, 100 + (time - (tick / 50 % 3 == 0 ? 0.1 : 0)).rounded(.down))
      let due = play.due(edge: edge, oldest: 0, at: time)
      #expect(due >= last && due <= edge)
      if tick > 200, due - last < 0.01 { stood += 1 }
      last = due
    }
    #expect(stood < 60, "\(stood)")
    // After an outage it goes on near the edge.
    let due = play.due(edge: 200, oldest: 0, at: 60)
    #expect(due == 199.5)
  }
}
