import Reactor
import Threads
import Timeshift

/// Reads what strangers send whole (playlists, pages of titles) beside the loop, so that no station waits for another
/// one's list.
///
/// Used on the ingest loop; up to four threads of its own do the reading. A reading that takes more than a second of
/// the processor is given up: its thread goes on with it, and another one takes its place.
final class ReadingPool {
  /// The result of a reading.
  enum Outcome<Value> {
    case read(Value)
    /// The reading was given up, for this reason.
    case givenUp(String)
  }

  /// Seconds of the processor for one reading. Bounded data read in one pass takes some milliseconds.
  static let secondsMax = 1.0
  /// Seconds by the clock, for a thread that waits: a page's charset may be on a disk that hangs.
  private static let patience = 30.0
  private static let interval = 0.25
  static let threadsMax = 4
  /// The most readings that wait; each is a station's playlist or page.
  static let waitingMax = 10_000

  private struct Reading {
    let job: ReadingJob
    let finish: () -> Void
    let giveUp: (String) -> Void
    let askedAt: MonotonicTime
  }

  private let loop: EventLoop
  private let queue = ReadingQueue()
  private var mailbox: LoopMailbox<ReadingJob.ID>?
  private var threads: [WorkThread] = []
  /// Given-up readings whose threads still work on them.
  private var abandoned: Set<ReadingJob.ID> = []
  private var readings: [ReadingJob.ID: Reading] = [:]
  private var lastID: ReadingJob.ID = 0
  private var timer: LoopTimer?
  /// Runs before each reading, on its thread: for tests of slow ones.
  private let before: (@Sendable (String) -> Void)?

  init(loop: EventLoop, clock: LoopClock, before: (@Sendable (String) -> Void)? = nil) {
    self.loop = loop
    self.before = before
    timer = LoopTimer(clock) { [unowned self] in look() }
  }

  /// Has data read. Calls `then` in a later turn of the loop, once, unless the ticket is released first.
  ///
  /// If too many readings wait, calls `then` at once and returns nil.
  ///
  /// - Parameter url: the URL that the data came from.
  func read<Value: Sendable>(
    _ url: String, _ work: @escaping @Sendable () -> Value,
    then: @escaping (Outcome<Value>) -> Void
  ) -> ReadingTicket? {
    guard readings.count < Self.waitingMax, let slot = openMailbox() else {
      then(.givenUp("too much waits to be read"))
      return nil
    }
    lastID += 1
    let (id, result, before) = (lastID, ReadingResult<Value>(), before)
    let job = ReadingJob(id: id) {
      before?(url)
      result.put(work())
      slot.post(id)
    }
    readings[id] = Reading(
      job: job, finish: { if let value = result.pop() { then(.read(value)) } },
      giveUp: { then(.givenUp($0)) }, askedAt: .now())
    queue.append(job)
    wakeThread()
    if timer?.isSet != true { timer?.set(after: Self.interval) }
    return ReadingTicket(id, self)
  }

  /// Ends the threads when they have finished their readings.
  func close() {
    queue.removeAll()
    readings.removeAll()
    timer?.cancel()
    for thread in threads { thread.stop() }
    mailbox?.close()
    mailbox = nil
  }

  fileprivate func forget(_ id: ReadingJob.ID) {
    guard let reading = readings.removeValue(forKey: id) else { return }
    if !queue.remove(id), !reading.job.isDone { abandoned.insert(id) }
  }

  // MARK: Threads

  private func openMailbox() -> MailSlot<ReadingJob.ID>? {
    if mailbox == nil {
      // Without a free descriptor, the next reading tries again.
      mailbox = try? LoopMailbox(loop) { [weak self] in self?.done($0) }
    }
    return mailbox?.slot
  }

  /// Makes the threads look into the queue; adds one if all are stuck.
  private func wakeThread() {
    let stuck = abandoned.count
    if threads.count <= stuck && threads.count < Self.threadsMax {
      threads.append(WorkThread("reader.\(threads.count)", tasksMax: 2))
    }
    // Which thread is free is unknown here: each one does what is in the queue, or nothing.
    for thread in threads { _ = thread.run { [queue] in queue.work() } }
  }

  private func done(_ id: ReadingJob.ID) {
    abandoned.remove(id)
    readings.removeValue(forKey: id)?.finish()
  }

  // MARK: Patience

  private func look() {
    let now = MonotonicTime.now()
    for (id, reading) in readings {
      guard let reason = reason(toGiveUp: reading, at: now) else { continue }
      readings[id] = nil
      if !queue.remove(id) { abandoned.insert(id) }
      reading.giveUp(reason)
    }
    if !abandoned.isEmpty { wakeThread() }
    if !readings.isEmpty { timer?.set(after: Self.interval) }
  }

  private func reason(toGiveUp reading: Reading, at now: MonotonicTime) -> String? {
    guard !reading.job.isDone else { return nil }
    if reading.job.secondsWorked > Self.secondsMax { return "reading took too long" }
    return now.seconds(since: reading.askedAt) > Self.patience ? "no thread was free to read" : nil
  }
}

/// While a caller holds this, it receives the result of the reading.
final class ReadingTicket {
  private let id: ReadingJob.ID
  private weak var pool: ReadingPool?

  fileprivate init(_ id: ReadingJob.ID, _ pool: ReadingPool) {
    (self.id, self.pool) = (id, pool)
  }

  deinit { pool?.forget(id) }
}
