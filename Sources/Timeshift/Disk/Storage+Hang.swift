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
      hangs.withLock { _ = $0.insert(reason) }
      log.store?.report(.failed(reason))
    }
  }

  private func tellEnd() {
    let told = hangs.withLock { hangs in
      defer { hangs = [] }
      return hangs
    }
    if told.isEmpty { return }
    for log in openLogs {
      let isOver = log.lists.withLock { lists in
        // It may have failed in another way since, and tells of that itself.
        guard case .failed(let reason) = lists.storage, told.contains(reason) else { return false }
        lists.storage = .healthy
        return true
      }
      if isOver { log.store?.report(.restored) }
    }
  }
}
