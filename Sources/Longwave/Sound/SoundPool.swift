import Synchronization
import Threads
import Timeshift

/// Work that is due again and again: a station's sound to decode.
protocol SoundJob: AnyObject, Sendable {
  /// Does what is due. One thread at a time runs a job, and a job does not wait.
  ///
  /// - Returns: when the job is due again; nil once it is over.
  func run(at now: MonotonicTime) -> MonotonicTime?

  /// The job has not come back for too long. It is not run again, whenever it comes back.
  func giveUp()
}

/// Threads that decode, at most one for each processor; the job that is due first has its turn first.
///
/// A job that does not come back costs its thread, and another thread takes that one's place.
final class SoundPool: Sendable {
  private struct Entry {
    let job: any SoundJob
    let due: MonotonicTime
  }

  private struct Worker {
    let signal = Signal()
    var job: (job: any SoundJob, since: MonotonicTime)?
    var isIdle = false
  }

  private struct State {
    /// The job that is due first is the last.
    var waiting: [Entry] = []
    var workers: [Int: Worker] = [:]
    var nextWorker = 0
    /// The one idle thread that wakes when the next job is due, and when that is.
    var watch: (worker: Int, due: MonotonicTime)?
    /// Threads whose job has not come back.
    var lost = 0
    /// When it was last looked for jobs that hang.
    var lookedAt: MonotonicTime?
    var isStopped = false

    var jobs: Int { waiting.count + workers.values.count { $0.job != nil } }

    /// Counts the time of the jobs that run from now on.
    mutating func forgive(at now: MonotonicTime) {
      for id in workers.keys { workers[id]?.job?.since = now }
    }

    mutating func insert(_ entry: Entry) {
      var (low, high) = (0, waiting.count)
      while low < high {
        let middle = (low + high) / 2
        if waiting[middle].due > entry.due { low = middle + 1 } else { high = middle }
      }
      waiting.insert(entry, at: low)
    }
  }

  private enum Step {
    case run(any SoundJob)
    /// Milliseconds; -1 without end.
    case sleep(Signal, Int32)
    case end
  }

  /// Seconds without a look after which the process was stopped, or the machine: no job hangs for that.
  private static let awaySeconds = 5.0
  /// Threads that are given up to jobs that hang.
  private static let lostMax = 16

  private let threads: Int
  /// Seconds after which a job counts as hanging.
  private let hangSeconds: Double
  private let state = Mutex(State())

  /// - Parameter threads: 1 or more.
  init(threads: Int, hangSeconds: Double = 10) {
    (self.threads, self.hangSeconds) = (max(1, threads), hangSeconds)
  }

  /// Jobs that are not over, hanging ones left out.
  var count: Int { state.withLock { $0.jobs } }

  /// Runs a job from now on. False: the system gives no thread, or the pool is stopped.
  ///
  /// - Parameter due: the job's place among those that are due; before all others unless given.
  func add(_ job: any SoundJob, due: MonotonicTime = MonotonicTime(nanoseconds: .min)) -> Bool {
    state.withLock { state in
      if state.isStopped { return false }
      state.insert(Entry(job: job, due: due))
      grow(&state)
      if state.workers.isEmpty {
        state.waiting.removeAll { $0.job === job }
        return false
      }
      wakeOne(&state)
      return true
    }
  }

  /// Puts other threads in the place of those whose job hangs.
  func replaceHanging(at now: MonotonicTime) {
    let hanging = state.withLock { state -> [any SoundJob] in
      let wasAway = state.lookedAt.map { now.seconds(since: $0) >= Self.awaySeconds } ?? true
      state.lookedAt = now
      if wasAway { state.forgive(at: now) }
      let found = state.workers.filter { _, worker in
        worker.job.map { now.seconds(since: $0.since) >= hangSeconds } ?? false
      }
      for id in found.keys { state.workers[id] = nil }
      state.lost += found.count
      grow(&state)
      return found.values.compactMap(\.job?.job)
    }
    for job in hanging { job.giveUp() }
  }

  /// Ends all jobs. A job that runs is not waited for.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.waiting = []
      for worker in state.workers.values { worker.signal.raise() }
    }
  }

  // MARK: Threads

  private func grow(_ state: inout State) {
    while !state.isStopped, state.lost <= Self.lostMax,
      state.workers.count < min(threads, state.jobs)
    {
      let id = state.nextWorker
      state.nextWorker += 1
      state.workers[id] = Worker()
      guard SystemThread.start("sound", { [self] in work(id) }) else {
        state.workers[id] = nil
        return
      }
    }
  }

  private func wakeOne(_ state: inout State) {
    let idle = state.watch?.worker ?? state.workers.first { $0.value.isIdle }?.key
    if let idle { state.workers[idle]?.signal.raise() }
  }

  private func work(_ id: Int) {
    var done: (job: any SoundJob, due: MonotonicTime?)?
    while true {
      let now = MonotonicTime.now()
      let step = state.withLock { state in next(&state, id, done, now) }
      done = nil
      switch step {
      case .end: return
      case .sleep(let signal, let milliseconds): signal.wait(milliseconds: milliseconds)
      case .run(let job): done = (job, job.run(at: now))
      }
    }
  }

  private func next(
    _ state: inout State, _ id: Int, _ done: (job: any SoundJob, due: MonotonicTime?)?,
    _ now: MonotonicTime
  ) -> Step {
    guard let worker = state.workers[id] else {
      // Its job was given up, and another thread has its place.
      state.lost -= 1
      return .end
    }
    state.workers[id]?.job = nil
    state.workers[id]?.isIdle = false
    if state.watch?.worker == id { state.watch = nil }
    if let job = done?.job, let due = done?.due, !state.isStopped {
      state.insert(Entry(job: job, due: due))
    }
    if state.isStopped || state.workers.count > max(1, state.jobs) || state.jobs == 0 {
      state.workers[id] = nil
      wakeOne(&state)
      return .end
    }
    if let first = state.waiting.last, first.due <= now {
      state.waiting.removeLast()
      state.workers[id]?.job = (first.job, now)
      if state.watch == nil, !state.waiting.isEmpty { wakeOne(&state) }
      return .run(first.job)
    }
    state.workers[id]?.isIdle = true
    guard let first = state.waiting.last, state.watch.map({ first.due < $0.due }) ?? true else {
      return .sleep(worker.signal, -1)
    }
    state.watch = (id, first.due)
    let nanoseconds = max(0, first.due.nanoseconds(since: now))
    return .sleep(worker.signal, Int32(clamping: nanoseconds / 1_000_000 + 1))
  }
}
