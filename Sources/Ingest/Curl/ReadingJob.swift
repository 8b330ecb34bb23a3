import Glibc
import Synchronization

/// One reading, and how long its thread has worked on it.
final class ReadingJob: Sendable {
  typealias ID = UInt64

  private enum Progress {
    case waiting
    /// The thread's own clock, and its time at the beginning, in seconds.
    case working(clock: clockid_t, since: Double)
    case done
  }

  let id: ID
  private let work: @Sendable () -> Void
  private let progress = Mutex(Progress.waiting)

  init(id: ID, _ work: @escaping @Sendable () -> Void) {
    (self.id, self.work) = (id, work)
  }

  fileprivate func run() {
    var clock = clockid_t()
    pthread_getcpuclockid(pthread_self(), &clock)
    let since = Self.seconds(clock)
    progress.withLock { $0 = .working(clock: clock, since: since) }
    work()
    progress.withLock { $0 = .done }
  }

  var isDone: Bool {
    progress.withLock { if case .done = $0 { true } else { false } }
  }

  /// Seconds of the processor used so far; 0 unless the reading is running.
  var secondsWorked: Double {
    progress.withLock { progress in
      // Read under the lock: the thread exists as long as it works.
      if case .working(let clock, let since) = progress { Self.seconds(clock) - since } else { 0 }
    }
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The waiting readings, oldest first.
final class ReadingQueue: Sendable {
  private let jobs = Mutex<[ReadingJob]>([])

  func append(_ job: ReadingJob) { jobs.withLock { $0.append(job) } }

  func removeAll() { jobs.withLock { $0.removeAll() } }

  /// Removes a reading. False: a thread has begun it already.
  func remove(_ id: ReadingJob.ID) -> Bool {
    jobs.withLock { jobs in
      let place = jobs.firstIndex { $0.id == id }
      if let place { jobs.remove(at: place) }
      return place != nil
    }
  }

  /// Does all waiting readings, on the caller's thread.
  func work() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job.run() }
  }
}

/// A reading's result, on its way from the reading's thread to the loop.
final class ReadingResult<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func put(_ value: Value) { self.value.withLock { $0 = value } }

  func pop() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
