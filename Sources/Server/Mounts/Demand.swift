import Synchronization
import Timeshift

/// Whether something that costs is to run, such as a station on demand. Its reasons are counted, and it runs on for a
/// while after the last one. Loops ask and are told without waiting; the part that runs it follows the calls.
public final class Demand: Sendable {
  /// A reason to run. A new use adds its own.
  public enum Reason: Hashable, Sendable {
    /// Listeners, and connections that wait for a first packet.
    case listener
    case recording
    /// Listeners of another station, which hear this one as their fallback.
    case fallback
    /// Clients that get its samples.
    case samples
    /// Renditions that are made of it.
    case rendition
  }

  /// A call to the running part. At most one call of each kind is under way, however many ask.
  public enum Call: Sendable {
    /// A client asks to listen.
    case wanted
    /// All that waited for the first packet have gone before it came.
    case abandoned
  }

  /// Result of a look whether it is still wanted.
  public enum Look: Hashable, Sendable {
    /// The look is too early, or none is due.
    case early
    case wanted
    /// No reason is left, and the time to run on is over.
    case over
  }

  private struct State {
    var plan = DemandPlan()
    /// Sleeps until `wakesAt`, when the plan is due or before.
    var timer: (wakesAt: MonotonicTime, task: Task<Void, Never>)?
  }

  private let isAwake = Atomic<Bool>(false)
  private let isWanted = Atomic<Bool>(false)
  private let isAbandoned = Atomic<Bool>(false)
  private let state = Mutex(State())
  private let tell: @Sendable (Call) -> Void
  private let whenDue: @Sendable () async -> Void

  /// - Parameters:
  ///   - tell: passes a call to the running part; must not block.
  ///   - whenDue: called when it is time to look whether it is still wanted.
  public init(
    tell: @escaping @Sendable (Call) -> Void,
    whenDue: @escaping @Sendable () async -> Void = {}
  ) {
    self.tell = tell
    self.whenDue = whenDue
  }

  deinit { state.withLock { $0.timer?.task.cancel() } }

  // MARK: Running

  /// Whether it runs, or is about to.
  public var isRunning: Bool { isAwake.load(ordering: .acquiring) }

  /// Notes that the running part has begun, or ended.
  public func set(isRunning: Bool) { isAwake.store(isRunning, ordering: .releasing) }

  /// Notes that the running part begins to follow a call: what is asked from now on is told again.
  public func follow(_ call: Call) {
    switch call {
    case .wanted: isWanted.store(false, ordering: .sequentiallyConsistent)
    case .abandoned: isAbandoned.store(false, ordering: .sequentiallyConsistent)
    }
  }

  // MARK: Reasons

  /// Sets how often a reason is given now; 0 for not at all.
  public func set(_ reason: Reason, _ count: Int) { state.withLock { $0.plan.set(reason, count) } }

  /// Lets it run on for so many seconds, and has it looked at then; see `DemandPlan.runOn`.
  public func runOn(_ seconds: Double, keeps: Bool, isSooner: Bool = true) {
    guard isRunning else { return }
    state.withLock { state in
      state.plan.runOn(seconds, keeps: keeps, isSooner: isSooner, at: .now())
      wake(&state)
    }
  }

  /// Looks whether it is still wanted; called when that is due. When it is over, it does not run from now on.
  public func look() -> Look {
    state.withLock { state in
      state.timer = nil
      let look = state.plan.look(at: .now())
      if look == .early { wake(&state) }
      if look == .over { isAwake.store(false, ordering: .sequentiallyConsistent) }
      return look
    }
  }

  /// Has it looked at no more.
  public func cancel() {
    state.withLock { state in
      state.plan.forget()
      state.timer?.task.cancel()
      state.timer = nil
    }
  }

  /// Sets the one timer, however often the time moves.
  private func wake(_ state: inout State) {
    guard let due = state.plan.due else { return }
    if let timer = state.timer {
      if timer.wakesAt <= due { return }
      timer.task.cancel()
    }
    let wait = due.nanoseconds(since: .now())
    let task = Task.detached { [whenDue] in
      guard (try? await Task.sleep(for: .nanoseconds(wait))) != nil else { return }
      await whenDue()
    }
    state.timer = (due, task)
  }

  // MARK: Asked on the loops' threads

  func ask() {
    isAwake.store(true, ordering: .sequentiallyConsistent)
    if !isWanted.exchange(true, ordering: .sequentiallyConsistent) { tell(.wanted) }
  }

  func abandon() {
    if !isAbandoned.exchange(true, ordering: .sequentiallyConsistent) { tell(.abandoned) }
  }
}
