import Synchronization

/// Reports about a disk that hangs; its own threads cannot report, since they wait for it.
extension Storage {
  /// Reports to each log that its disk hangs, once, and when it answers again.
  ///
  /// Called every few seconds, on any thread; waits for nothing.
  public func tellHang() {
    guard let reason = calls.hang(at: loader.files.now().nanoseconds) else { return tellEnd() }
    for open in openLogs {
      let isNew = open.log.lists.withLock { lists in
        // An earlier failure has been reported already.
        guard lists.storage == .healthy else { return false }
        lists.storage = .failed(reason)
        return true
      }
      guard isNew else { continue }
      hangs.withLock { _ = $0.insert(reason) }
      open.store.report(.failed(reason))
    }
  }

  private func tellEnd() {
    let told = hangs.withLock { hangs in
      defer { hangs = [] }
      return hangs
    }
    if told.isEmpty { return }
    for open in openLogs {
      let isOver = open.log.lists.withLock { lists in
        // The log may have failed in another way since; it reports that itself.
        guard case .failed(let reason) = lists.storage, told.contains(reason) else { return false }
        lists.storage = .healthy
        return true
      }
      if isOver { open.store.report(.restored) }
    }
  }
}
