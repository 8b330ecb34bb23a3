/// Works out what a reload would change, one time after the other: a file of many stations takes seconds of a core.
///
/// A caller that comes during a look gets the outcome of the next one, which all callers share until it begins. So each is
/// told of the file as it was when it asked, or later.
actor ReloadLooks {
  typealias Outcome = Result<ConfigurationChanges, RelayError>

  private var running: Task<Outcome, Never>?
  private var next: Task<Outcome, Never>?

  func outcome(of look: @escaping @Sendable () async -> Outcome) async -> Outcome {
    if let next { return await next.value }
    let before = running
    let task = Task {
      _ = await before?.value
      (running, next) = (next, nil)
      defer { running = nil }
      return await look()
    }
    next = task
    return await task.value
  }
}
