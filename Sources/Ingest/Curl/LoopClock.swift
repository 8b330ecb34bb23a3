import Reactor
import Timeshift
import Wire

/// The timers of everything on one ingest loop, under one handler of the loop.
///
/// Used on the loop's thread only.
final class LoopClock: LoopHandler {
  private let loop: EventLoop
  private var handler: HandlerID?
  private var lastToken: UInt32 = 0
  private var timers: [UInt32: WeakTimer] = [:]

  private struct WeakTimer {
    weak var timer: LoopTimer?
  }

  init(loop: EventLoop) {
    self.loop = loop
    handler = loop.attach(self)
  }

  func close() {
    if let handler { loop.detach(handler) }
    handler = nil
  }

  func ready(_ token: UInt64, _ readiness: Readiness) {}

  func timerFired(_ token: UInt32) {
    // An empty entry is a timer that is gone.
    timers[token]?.timer?.fire()
  }

  func stoodStill(for nanoseconds: Int64) {
    let seconds = Double(nanoseconds) / 1e9
    for entry in timers.values { entry.timer?.onStandstill?(seconds) }
  }

  fileprivate func register(_ timer: LoopTimer) -> UInt32 {
    lastToken &+= 1
    timers[lastToken] = WeakTimer(timer: timer)
    return lastToken
  }

  fileprivate func forget(_ token: UInt32) {
    timers[token] = nil
  }

  fileprivate func set(_ token: UInt32, after seconds: Double) {
    guard let handler else { return }
    // A year stands for ever, and does not overflow.
    let bounded = min(max(0, seconds), 31_536_000)
    loop.setTimer(handler, token: token, after: Int64(nanosecondsIn: bounded))
  }

  fileprivate func cancel(_ token: UInt32) {
    if let handler { loop.cancelTimer(handler, token: token) }
  }
}

/// One timer of a worker: fires once for every time it was set. Releasing the timer cancels it.
final class LoopTimer {
  private let clock: LoopClock
  private var token: UInt32 = 0
  private let action: () -> Void
  private(set) var isSet = false
  private var dueAt = MonotonicTime(nanoseconds: 0)
  /// Called before the timer fires when the loop stood still: for this many seconds nothing that came was seen.
  var onStandstill: ((Double) -> Void)?

  init(_ clock: LoopClock, _ action: @escaping () -> Void) {
    self.clock = clock
    self.action = action
    token = clock.register(self)
  }

  deinit {
    clock.forget(token)
  }

  /// Makes the timer fire after `seconds`; moves a timer already set.
  func set(after seconds: Double) {
    isSet = true
    dueAt = .now().adding(seconds)
    clock.set(token, after: seconds)
  }

  /// Makes the timer fire later by `seconds`, but not before `least` seconds from now.
  func putOff(by seconds: Double, least: Double) {
    guard isSet else { return }
    set(after: max(least, dueAt.adding(seconds).seconds(since: .now())))
  }

  func cancel() {
    guard isSet else { return }
    isSet = false
    clock.cancel(token)
  }

  fileprivate func fire() {
    guard isSet else { return }
    isSet = false
    action()
  }
}
