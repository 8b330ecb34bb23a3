import Synchronization

/// What is told of a disk that hangs: its threads cannot, they wait for it.
extension Storage {
  /// Tells each log of a disk that hangs, once, and when it does not any more. To be called every few seconds, on any
  /// thread; waits for nothing.
  public func tellHang() {
    guard let reason = calls.hang(at: loader.files.now().nanoseconds) else { return tellEnd() }
    for log in openLogs {
      let isNew = log.lists.withLock { lists in
        // What has failed before is told already.
        guard lists.storage == .healthy else { return false }
        lists.storage = .failed(reason)
        return true
      }
      guard isNew else { continue }
      hanging.withLock { $0[ObjectIdentifier(log)] = (log, reason) }
      log.store?.report(.failed(reason))
    }
  }

  private func tellEnd() {
    let told = hanging.withLock { hanging in
      defer { hanging = [:] }
      return hanging
    }
    let open = openLogs
    for (log, reason) in told.values where open.contains(where: { $0 === log }) {
      let isOver = log.lists.withLock { lists in
        // It may have failed in another way since, and tells of that itself.
        guard lists.storage == .failed(reason) else { return false }
        lists.storage = .healthy
        return true
      }
      if isOver { log.store?.report(.restored) }
    }
  }
}
