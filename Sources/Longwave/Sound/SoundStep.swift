import Synchronization
import Threads
import Timeshift

/// One question to what decodes. It is answered once: by the pool, or with nil when the pool gives it up.
private final class SoundStep<Answer: Sendable>: SoundJob {
  private let ask: @Sendable (Double) -> Answer?
  private let answer: Mutex<(@Sendable (Answer?) -> Void)?>
  private let asked = MonotonicTime.now()
  /// Seconds between two questions while something is being fetched.
  private static var pause: Double { 0.02 }

  init(
    _ ask: @escaping @Sendable (Double) -> Answer?, _ answer: @escaping @Sendable (Answer?) -> Void
  ) {
    self.ask = ask
    self.answer = Mutex(answer)
  }

  deinit { giveUp() }

  func run(at now: MonotonicTime) -> MonotonicTime? {
    guard let found = ask(now.seconds(since: asked)) else { return now.adding(Self.pause) }
    give(found)
    return nil
  }

  func giveUp() { give(nil) }

  private func give(_ found: Answer?) {
    let answer = answer.withLock { answer in
      defer { answer = nil }
      return answer
    }
    answer?(found)
  }
}

extension SoundPool {
  /// Asks on one of the pool's threads until there is an answer.
  ///
  /// - Parameter ask: gets the seconds since the first question; nil while something is being fetched.
  /// - Returns: nil when the decoder hangs, or the pool is stopped.
  func answer<Answer: Sendable>(
    _ ask: @escaping @Sendable (Double) -> Answer?
  ) async -> Answer? {
    await withCheckedContinuation { continuation in
      let step = SoundStep(ask) { continuation.resume(returning: $0) }
      if !add(step) { step.giveUp() }
    }
  }

  /// The same for a thread that may block.
  func blockingAnswer<Answer: Sendable>(
    _ ask: @escaping @Sendable (Double) -> Answer?
  ) -> Answer? {
    let signal = Signal()
    let found = Mutex<Answer?>(nil)
    let step = SoundStep(ask) { answer in
      found.withLock { $0 = answer }
      signal.raise()
    }
    if !add(step) { step.giveUp() }
    signal.wait(milliseconds: -1)
    return found.withLock { $0 }
  }
}
