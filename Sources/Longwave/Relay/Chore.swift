/// Something that its owner does by itself, again and again, until it is gone or the task is cancelled.
struct Chore<Owner: AnyObject & Sendable>: Sendable {
  /// When it is done.
  enum Pause: Sendable {
    /// So many seconds after it was done last.
    case each(Double)
    /// After seconds that are asked for anew each time.
    case when(@Sendable () -> Double)
    /// Each time that it is called for; it ends with the calls.
    case call(AsyncStream<Void>)
    /// So many seconds after it was done, and after twice the pause, up to `most`, while it could not be done.
    case retry(Double, most: Double)

    /// Returns the seconds until it is done next; nil where it is called for.
    ///
    /// - Parameters:
    ///   - last: the pause before; nil for the first.
    ///   - isDone: whether it was done, and not only tried.
    func seconds(after last: Double?, isDone: Bool) -> Double? {
      switch self {
      case .each(let seconds): seconds
      case .when(let seconds): seconds()
      case .call: nil
      case .retry(let first, let most): isDone ? first : min(2 * (last ?? first), most)
      }
    }
  }

  let pause: Pause
  /// Returns whether it is done; else it is tried again.
  private let work: @Sendable (Owner) async -> Bool

  init(_ pause: Pause, _ work: @escaping @Sendable (Owner) async -> Void) {
    self.pause = pause
    self.work = {
      await work($0)
      return true
    }
  }

  init(tried pause: Pause, _ work: @escaping @Sendable (Owner) async -> Bool) {
    (self.pause, self.work) = (pause, work)
  }

  /// Begins it. The task does not keep its owner.
  func run(by owner: Owner) -> Task<Void, Never> {
    Task { [weak owner] in
      if case .call(let calls) = pause {
        for await _ in calls {
          guard let owner else { return }
          _ = await work(owner)
        }
        return
      }
      var (last, isDone): (Double?, Bool) = (nil, true)
      while let seconds = pause.seconds(after: last, isDone: isDone),
        (try? await Task.sleep(for: .seconds(seconds))) != nil
      {
        guard let owner else { return }
        (last, isDone) = (seconds, await work(owner))
      }
    }
  }
}
