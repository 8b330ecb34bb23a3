import Synchronization
import Timeshift
import Wire

/// Lists of folders, on a thread of their own: each is read once for all who ask within a few seconds.
final class FileLists: Sendable {
  enum Answer<Value: Sendable>: Sendable {
    case made(Value)
    /// The folder is not there.
    case missing
    case busy
  }

  /// So long a list is told again as it was.
  static let keptNanoseconds: Int64 = 5_000_000_000
  /// Of all that are kept.
  private static let bytesMax = 32 << 20
  /// Of one address: those under way or waiting.
  private static let perAddress = 32

  private struct Kept {
    /// nil: the folder was not there.
    var entries: [FileEntry]?
    /// Monotonic nanoseconds.
    var madeAt: Int64
    var bytes: Int
  }

  private struct State {
    var kept: [String: Kept] = [:]
    var bytes = 0
    var asking: [AddressBlock: Int] = [:]
    /// How often a folder was read.
    var readings = 0

    mutating func remove(_ root: String) {
      guard let list = kept.removeValue(forKey: root) else { return }
      bytes -= list.bytes
    }
  }

  private let thread = WorkThread("files.list", tasksMax: 256)
  private let state = Mutex(State())

  func stop() { thread.stop() }

  var readings: Int { state.withLock(\.readings) }

  /// What is made of a list, on the thread.
  ///
  /// - Parameters:
  ///   - customer: who asks; nil: nobody who is counted.
  ///   - read: reads the folder.
  func list<Value: Sendable>(
    _ root: String, for customer: AddressBlock?, read: @escaping @Sendable () -> [FileEntry]?,
    make: @escaping @Sendable ([FileEntry]) -> Value
  ) async -> Answer<Value> {
    if let customer, !take(customer) { return .busy }
    defer { if let customer { release(customer) } }
    let made = await thread.value { () -> Answer<Value> in
      self.entries(root, read).map { .made(make($0)) } ?? .missing
    }
    return made ?? .busy
  }

  /// One after the other, on the thread: whoever comes second finds what the first has read.
  private func entries(_ root: String, _ read: () -> [FileEntry]?) -> [FileEntry]? {
    let now = MonotonicTime.now().nanoseconds
    let kept = state.withLock { $0.kept[root] }
    if let kept, now - kept.madeAt < Self.keptNanoseconds { return kept.entries }
    let entries = read()
    keep(entries, of: root)
    return entries
  }

  private func keep(_ entries: [FileEntry]?, of root: String) {
    let now = MonotonicTime.now().nanoseconds
    let bytes = (entries ?? []).reduce(256) {
      $0 + MemoryLayout<FileEntry>.stride + $1.path.utf8.count
    }
    state.withLock { state in
      state.readings += 1
      for (root, list) in state.kept where now - list.madeAt >= Self.keptNanoseconds {
        state.remove(root)
      }
      state.remove(root)
      while state.bytes + bytes > Self.bytesMax,
        let oldest = state.kept.min(by: { $0.value.madeAt < $1.value.madeAt })
      {
        state.remove(oldest.key)
      }
      state.kept[root] = Kept(entries: entries, madeAt: now, bytes: bytes)
      state.bytes += bytes
    }
  }

  private func take(_ customer: AddressBlock) -> Bool {
    state.withLock { state in
      guard state.asking[customer, default: 0] < Self.perAddress else { return false }
      state.asking[customer, default: 0] += 1
      return true
    }
  }

  private func release(_ customer: AddressBlock) {
    state.withLock { state in
      let left = state.asking[customer, default: 1] - 1
      state.asking[customer] = left > 0 ? left : nil
    }
  }
}
