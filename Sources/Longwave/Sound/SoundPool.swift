import Synchronization
import Threads
import Timeshift
import Wire

/// Work that is due again and again: a station's sound to decode.
protocol SoundJob: AnyObject, Sendable {
  /// Does what is due. One thread at a time runs a job, and a job does not wait.
  ///
  /// - Returns: when the job is due again; nil once it is over.
  func run(at now: MonotonicTime) -> MonotonicTime?

  /// The job has not come back for too long. It is not run again, whenever it comes back.
  func giveUp()
}

/// Classes of jobs, in the order of their turns.
enum SoundRank: CaseIterable {
  /// Work that stations need: renditions, and rules that watch.
  case first
  /// Work that somebody asked for; one turn in eight is for this in any case.
  case others
}

/// Threads that decode, at most one for each processor. Of the first rank, the station that has used the least time has
/// its turn first; of the others, the job that is due first.
///
/// A job that does not come back costs its thread, and another thread takes that one's place.
final class SoundPool: Sendable {
  private struct Entry {
    let job: any SoundJob
    let rank: SoundRank
    let station: String
    var due: MonotonicTime
  }

  /// Jobs of one rank; the one that is due first is the last.
  private struct Line {
    var entries: [Entry] = []

    mutating func insert(_ entry: Entry) {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].due > entry.due { low = middle + 1 } else { high = middle }
      }
      entries.insert(entry, at: low)
    }

    func isDue(at now: MonotonicTime) -> Bool { entries.last.map { $0.due <= now } ?? false }

    /// The indices of the jobs that are due.
    func due(at now: MonotonicTime) -> Range<Int> {
      let first = entries.lastIndex { $0.due > now }.map { $0 + 1 } ?? 0
      return first..<entries.count
    }
  }

  private struct Worker {
    let signal = Signal()
    var job: (job: any SoundJob, since: MonotonicTime)?
    var isIdle = false
  }

  private struct State {
    private var first = Line()
    private var others = Line()
    private var shares = ThreadShares()
    /// Turns of the first rank since the others had one.
    private var turnsOfFirst = 0
    var workers: [Int: Worker] = [:]
    var nextWorker = 0
    /// The one idle thread that wakes when the next job is due, and when that is.
    var watch: (worker: Int, due: MonotonicTime)?
    /// Threads whose job has not come back.
    var lost = 0
    /// When it was last looked for jobs that hang.
    var lookedAt: MonotonicTime?
    var isStopped = false

    var jobs: Int { waiting + workers.values.count { $0.job != nil } }

    var waiting: Int { first.entries.count + others.entries.count }

    /// When the next job is due; nil where none waits.
    var due: MonotonicTime? {
      [first, others].compactMap { $0.entries.last?.due }.min()
    }

    /// Counts the time of the jobs that run from now on.
    mutating func forgive(at now: MonotonicTime) {
      for id in workers.keys { workers[id]?.job?.since = now }
    }

    mutating func insert(_ entry: Entry) {
      switch entry.rank {
      case .first: first.insert(entry)
      case .others: others.insert(entry)
      }
    }

    mutating func remove(where isWanted: (any SoundJob) -> Bool) {
      first.entries.removeAll { isWanted($0.job) }
      others.entries.removeAll { isWanted($0.job) }
    }

    /// Removes and returns the job whose turn it is; nil while none is due.
    mutating func next(at now: MonotonicTime) -> Entry? {
      let isOthers = others.isDue(at: now)
      if first.isDue(at: now), !isOthers || turnsOfFirst < SoundPool.turnsOfFirstMax {
        turnsOfFirst += 1
        return nextOfFirst(at: now)
      }
      guard isOthers else { return nil }
      turnsOfFirst = 0
      return others.entries.removeLast()
    }

    /// Of equals, the one that is due first.
    private mutating func nextOfFirst(at now: MonotonicTime) -> Entry? {
      let least = first.due(at: now).reversed().min { one, other in
        shares.used(by: first.entries[one].station)
          < shares.used(by: first.entries[other].station)
      }
      guard let least else { return nil }
      let entry = first.entries.remove(at: least)
      shares.begins(entry.station)
      return entry
    }

    /// Puts back a job that had its turn.
    ///
    /// - Parameter due: Nil where it is over.
    mutating func had(_ entry: Entry, for nanoseconds: Int64, due: MonotonicTime?) {
      if entry.rank == .first { shares.add(nanoseconds, to: entry.station) }
      guard let due, !isStopped else { return shares.forgetRested() }
      var entry = entry
      entry.due = due
      insert(entry)
    }
  }

  /// A turn that a job had.
  private struct Turn {
    let entry: Entry
    /// Nanoseconds of a processor: that other threads had their turns is not the station's doing.
    let used: Int64
    /// When it is due again; nil where it is over.
    let due: MonotonicTime?
  }

  private enum Step {
    case run(Entry)
    /// Milliseconds; -1 without end.
    case sleep(Signal, Int32)
    case end
  }

  /// Seconds without a look after which the process was stopped, or the machine: no job hangs for that.
  private static let awaySeconds = 5.0
  /// Turns of the first rank in a row while others are due.
  private static let turnsOfFirstMax = 7
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
  /// - Parameters:
  ///   - rank: what goes before it when much is due.
  ///   - station: whose sound it is; stations of the first rank have equal shares of the time when much is due.
  func add(_ job: any SoundJob, rank: SoundRank = .others, of station: String = "") -> Bool {
    state.withLock { state in
      if state.isStopped { return false }
      state.insert(Entry(job: job, rank: rank, station: station, due: .now()))
      grow(&state)
      if state.workers.isEmpty {
        state.remove { $0 === job }
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
      state.remove { _ in true }
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
    var done: Turn?
    while true {
      let now = MonotonicTime.now()
      let step = state.withLock { state in next(&state, id, done, now) }
      done = nil
      switch step {
      case .end: return
      case .sleep(let signal, let milliseconds): signal.wait(milliseconds: milliseconds)
      case .run(let entry):
        let before = SystemThread.worked()
        let due = entry.job.run(at: now)
        done = Turn(
          entry: entry, used: Int64(nanosecondsIn: SystemThread.worked() - before), due: due)
      }
    }
  }

  private func next(_ state: inout State, _ id: Int, _ done: Turn?, _ now: MonotonicTime) -> Step {
    guard let worker = state.workers[id] else {
      // Its job was given up, and another thread has its place.
      state.lost -= 1
      return .end
    }
    state.workers[id]?.job = nil
    state.workers[id]?.isIdle = false
    if state.watch?.worker == id { state.watch = nil }
    if let done { state.had(done.entry, for: done.used, due: done.due) }
    if state.isStopped || state.workers.count > max(1, state.jobs) || state.jobs == 0 {
      state.workers[id] = nil
      wakeOne(&state)
      return .end
    }
    if let entry = state.next(at: now) {
      state.workers[id]?.job = (entry.job, now)
      if state.watch == nil, state.waiting > 0 { wakeOne(&state) }
      return .run(entry)
    }
    state.workers[id]?.isIdle = true
    guard let due = state.due, state.watch.map({ due < $0.due }) ?? true else {
      return .sleep(worker.signal, -1)
    }
    state.watch = (id, due)
    let nanoseconds = max(0, due.nanoseconds(since: now))
    return .sleep(worker.signal, Int32(clamping: nanoseconds / 1_000_000 + 1))
  }
}
