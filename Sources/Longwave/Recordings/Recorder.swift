import Synchronization
import Threads
import Timeshift

/// A running recording on a thread of its own: a slow disk delays only this recording.
final class Recorder: Sendable {
  /// The recorder's orders and its reports.
  private struct State {
    var entry: RecordingEntry
    var isEnding = false
    /// The deadline for the end of the recording.
    var endsBy: MonotonicTime?
    /// Whether the recording goes on after a restart.
    var isSuspended = false
    /// Why the recording ends; nil when a command named it.
    var reason: String?
    /// A new schedule that the recorder's thread has not taken over yet.
    var schedule: RecordingEntry.Schedule?
    var isOver = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  private let signal = Signal()
  private let log: PacketLog
  private let edge: LogPoint
  private let isBehindEdge: Bool
  /// The place that the recording had reached before this recorder.
  private let placeBefore: RecordingEntry.Place?
  private let delay: MediaTime
  private let station: String
  private let space: RecordingSpace
  /// Called on the recorder's thread for every file and for the end.
  private let report: @Sendable (RecordingEntry) -> Void
  /// Called on the recorder's thread when the recording begins to wait for its disk, and when it goes on.
  private let reportWaiting: @Sendable (RecordingEntry, _ isWaiting: Bool) -> Void

  /// - Parameter isBehindEdge: whether it was recorded from another log, and goes on with what comes into this one.
  init(
    _ entry: RecordingEntry, log: PacketLog, isBehindEdge: Bool = false, delay: MediaTime,
    station: String, space: RecordingSpace,
    report: @escaping @Sendable (RecordingEntry) -> Void,
    reportWaiting: @escaping @Sendable (RecordingEntry, Bool) -> Void = { _, _ in }
  ) {
    state = Mutex(State(entry: entry))
    self.log = log
    edge = log.snapshot().edge
    self.isBehindEdge = isBehindEdge
    placeBefore = entry.place
    self.delay = delay
    self.station = station
    self.space = space
    self.report = report
    self.reportWaiting = reportWaiting
  }

  var entry: RecordingEntry { state.withLock { $0.entry } }

  /// Whether anything of this log has been recorded.
  var isUnderWay: Bool { entry.place.map { $0 != placeBefore } ?? false }

  func start() {
    let isStarted = SystemThread.start("record") { [self] in
      run()
      becomeOver()
    }
    if isStarted { return }
    report(tell(entry, isOver: true, "the system gives no thread for the recording"))
    becomeOver()
  }

  private func becomeOver() {
    state.withLock { $0.isOver = true }
    release()
  }

  private func release() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Gives the recording another schedule.
  func use(_ schedule: RecordingEntry.Schedule) { state.withLock { $0.schedule = schedule } }

  /// Seconds that a recording has at its end for what it has not written yet.
  static let secondsAtEnd = 10.0

  /// Tells the recorder to end. With `suspends`, the recording goes on after a restart.
  func finish(suspends: Bool = false, reason: String? = nil) {
    state.withLock {
      $0.isEnding = true
      $0.isSuspended = suspends
      $0.reason = reason
      if $0.endsBy == nil { $0.endsBy = .now().adding(Self.secondsAtEnd) }
    }
    signal.raise()
  }

  /// Tells the recorder to end with what the log has now. Returns when it has all of that, when it waits for its disk,
  /// or after `secondsAtEnd`.
  func stop(reason: String? = nil) async {
    let newest = LogReader(log)
    let air = delay == .zero ? newest.air(at: newest.edge.media) : Moment.now().wall
    let place = RecordingEntry.Place(newest.edge, air: air)
    state.withLock {
      if $0.entry.stop != nil { return }
      $0.entry.stop = RecordingEntry.Stop(
        air: air.stored, place: delay == .zero ? place : nil, reason: reason)
    }
    signal.raise()
    await isOver(within: Self.secondsAtEnd)
  }

  /// Ends the recording. Returns when its last file has its name or, when the disk delays that, after 1.5 times
  /// `secondsAtEnd`.
  func end(suspends: Bool = false, reason: String? = nil) async {
    finish(suspends: suspends, reason: reason)
    await isOver(within: Self.secondsAtEnd * 1.5)
  }

  private func isOver(within seconds: Double) async {
    let patience = Task { [weak self] in
      try await Task.sleep(for: .seconds(seconds))
      self?.release()
    }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isOver { state.waiting.append(continuation) }
        return state.isOver
      }
      if isOver { continuation.resume() }
    }
    patience.cancel()
  }

  private var isLate: Bool {
    state.withLock { $0.endsBy.map { MonotonicTime.now() >= $0 } ?? false }
  }

  /// Milliseconds between two looks at the log.
  private static let pause: Int32 = 200
  /// Turns that a recording gets at its end for what has to come from the disk.
  private static let turnsAtEnd = 150

  private func run() {
    let work = RecordingWork(
      entry, log: log, from: edge, isBehindEdge: isBehindEdge, delay: delay, station: station,
      space: space)
    var turnsEnding = 0
    var known = (entry.place, entry.fileCount, entry.current?.name)
    // Bytes that were on the disk when the recording began to wait for it.
    var waitingBehind: Int64?
    while true {
      let (isEnding, goesOn, schedule, stop) = state.withLock { state in
        defer { state.schedule = nil }
        return (state.isEnding, state.isSuspended, state.schedule, state.entry.stop)
      }
      if let schedule { work.use(schedule) }
      if let stop, work.entry.stop == nil { work.stop(stop, at: .now()) }
      var (isOver, reason): (Bool, String?) = (false, nil)
      do throws(RecordingError) {
        isOver = try work.attempt(
          isEnding: isEnding, goesOn: goesOn, at: .now(), isLate: { isLate })
      } catch {
        (isOver, reason) = (true, error.description)
      }
      if isEnding { turnsEnding += 1 }
      if turnsEnding == Self.turnsAtEnd, !isOver {
        (isOver, reason) = (true, "the rest of the recording cannot be read from the disk")
      }
      if !isOver, isLate { (isOver, reason) = (true, given()) }
      if isOver { work.abandon() }
      if isEnding, !goesOn, reason != nil { work.giveUp(at: .now()) }
      let entry = tell(work.entry, isOver: isOver, reason)
      if isOver { return report(entry) }
      if entry.stop != nil, work.retryAt != nil { release() }
      if work.retryAt != nil, waitingBehind == nil {
        waitingBehind = work.synced.bytes
        reportWaiting(entry, true)
      } else if work.retryAt == nil, let before = waitingBehind, work.synced.bytes > before {
        // An attempt alone says nothing: the disk has more now than it had.
        waitingBehind = nil
        reportWaiting(entry, false)
      }
      // Only what is synced is reported: a loss of power cannot take it back.
      let synced = work.synced
      let place = (synced.place, synced.fileCount, synced.current?.name)
      if place != known { report(synced) }
      known = place
      signal.wait(milliseconds: Self.pause)
    }
  }

  /// Returns why the rest is not written; nil when it is written after the restart.
  private func given() -> String? {
    state.withLock { state in
      state.isSuspended
        ? nil
        : "the rest of the recording could not be written within \(Int(Self.secondsAtEnd)) s of its end"
    }
  }

  private func tell(_ entry: RecordingEntry, isOver: Bool, _ reason: String?) -> RecordingEntry {
    state.withLock { state in
      let stop = entry.stop ?? state.entry.stop
      state.entry = entry
      state.entry.stop = stop
      if isOver, !state.isSuspended || reason != nil {
        state.entry.state = reason == nil ? .finished : .failed
        state.entry.reason = reason ?? state.reason ?? stop?.reason ?? entry.reason
        let isAsked = state.isEnding || stop != nil
        state.entry.isStopped = isAsked && (state.reason ?? stop?.reason) == nil ? true : nil
        state.entry.endedAt = Moment.now().wall.stored
      }
      return state.entry
    }
  }
}
