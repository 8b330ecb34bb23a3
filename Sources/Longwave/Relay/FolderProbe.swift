import Synchronization
import Timeshift

/// Asks whether a folder answers at all, before anybody waits for it with a lock or a turn of others in hand.
final class FolderProbe: Sendable {
  /// Folders whose disk has not answered yet: each holds a thread, and is not asked again meanwhile.
  private let underWay = Mutex<Set<String>>([])
  private let list: @Sendable (String) -> Void

  /// - Parameter list: reads the names in a folder, or finds that it cannot. It may hang.
  init(list: @escaping @Sendable (String) -> Void = { _ = FileCalls.posix.list($0) }) {
    self.list = list
  }

  /// False: not within so many seconds.
  func answers(_ directory: String, within seconds: Double = 1) async -> Bool {
    guard underWay.withLock({ $0.insert(directory).inserted }) else { return false }
    let (answers, told) = AsyncStream.makeStream(of: Bool.self)
    let isAsked = BlockingThread.start("folder") { [self] in
      list(directory)
      underWay.withLock { _ = $0.remove(directory) }
      told.yield(true)
    }
    guard isAsked else {
      underWay.withLock { _ = $0.remove(directory) }
      return false
    }
    let patience = Task {
      try? await Task.sleep(for: .seconds(seconds))
      told.yield(false)
    }
    defer { patience.cancel() }
    for await answer in answers { return answer }
    return false
  }
}
