import Glibc
import Synchronization
import Threads
import Wire

/// The calls on files that have not returned yet. A disk that hangs answers none of them, not even with an error.
public final class CallWatch: Sendable {
  struct Call: Sendable {
    var name: String
    var target: Target
    /// When the call began, in monotonic nanoseconds.
    var since: Int64
  }

  enum Target: Sendable {
    case path(String)
    case descriptor(Int32)
  }

  /// How long one call may take, in nanoseconds; a slow disk takes a second or two.
  static let patience: Int64 = 10_000_000_000

  struct State {
    var calls: [UInt64: Call] = [:]
    var count: UInt64 = 0
    var writes = DurationCounts()
    var syncs = DurationCounts()
  }

  private let state = Mutex(State())

  public init() {}

  /// - Parameter counts: where it is counted how long the call took; nil where it is not.
  func during<Result>(
    _ name: String, _ target: Target, at now: MonotonicTime,
    counting counts: WritableKeyPath<State, DurationCounts>? = nil, _ call: () -> Result
  ) -> Result {
    let number = state.withLock { state in
      state.count += 1
      state.calls[state.count] = Call(name: name, target: target, since: now.nanoseconds)
      return state.count
    }
    defer {
      let end = counts == nil ? now : MonotonicTime.now()
      state.withLock { state in
        state.calls[number] = nil
        if let counts { state[keyPath: counts].add(nanoseconds: end.nanoseconds - now.nanoseconds) }
      }
    }
    return call()
  }

  /// How long writes and syncs of files have taken.
  var durations: (writes: DurationCounts, syncs: DurationCounts) {
    state.withLock { ($0.writes, $0.syncs) }
  }

  /// Whether a call has not returned for so many seconds.
  public func hangs(for seconds: Double, at now: MonotonicTime) -> Bool {
    guard let oldest else { return false }
    return now.nanoseconds - oldest.since >= Int64(nanosecondsIn: seconds)
  }

  private var oldest: Call? {
    state.withLock { $0.calls.values.min { $0.since < $1.since } }
  }

  /// The reason why the disk counts as hanging; nil if it does not.
  func hang(at now: Int64) -> String? {
    guard let oldest, now - oldest.since > Self.patience else { return nil }
    let words = [oldest.name, oldest.target.path].compactMap(\.self).joined(separator: " ")
    return "\(words): the disk has not answered for \(Self.patience / 1_000_000_000) s"
  }
}

extension CallWatch.Target {
  /// The path, for a descriptor as the kernel knows it without asking the disk; nil if the kernel does not tell.
  fileprivate var path: String? {
    switch self {
    case .path(let path): return path
    case .descriptor(let descriptor):
      var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = bytes.withUnsafeMutableBytes { buffer in
        readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, buffer.count)
      }
      return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
  }
}

extension FileCalls {
  /// Returns these calls, with most of those that wait for the disk recorded in `watch`.
  ///
  /// Not recorded are `readNow`, which loops call and which never waits, and `readBeside`, `lock`, `share` and
  /// `willNeed`.
  func watched(by watch: CallWatch) -> FileCalls {
    var calls = self
    calls.open = { [open] path, flags in
      watch.during("open", .path(path), at: now()) { open(path, flags) }
    }
    calls.close = watched("close", close, by: watch)
    calls.read = { [read] file, buffer, offset in
      watch.during("read", .descriptor(file), at: now()) { read(file, buffer, offset) }
    }
    calls.write = { [write] file, bytes, offset in
      watch.during("write", .descriptor(file), at: now(), counting: \.writes) {
        write(file, bytes, offset)
      }
    }
    calls.truncate = { [truncate] file, length in
      watch.during("truncate", .descriptor(file), at: now()) { truncate(file, length) }
    }
    calls.sync = { [sync] file in
      watch.during("sync", .descriptor(file), at: now(), counting: \.syncs) { sync(file) }
    }
    calls.size = watched("fstat", size, by: watch)
    calls.isNamed = { [isNamed] file, path in
      watch.during("stat", .path(path), at: now()) { isNamed(file, path) }
    }
    calls.status = watched("stat", status, by: watch)
    calls.syncNames = watched("sync", syncNames, by: watch)
    calls.rename = { [rename] from, to in
      watch.during("rename", .path(from), at: now()) { rename(from, to) }
    }
    calls.remove = watched("unlink", remove, by: watch)
    calls.makeDirectory = watched("mkdir", makeDirectory, by: watch)
    calls.list = watched("opendir", list, by: watch)
    calls.disk = watched("stat", disk, by: watch)
    calls.room = watched("statfs", room, by: watch)
    return calls
  }

  private func watched<Result>(
    _ name: String, _ call: @escaping @Sendable (String) -> Result, by watch: CallWatch
  ) -> @Sendable (String) -> Result {
    { path in watch.during(name, .path(path), at: now()) { call(path) } }
  }

  private func watched<Result>(
    _ name: String, _ call: @escaping @Sendable (Int32) -> Result, by watch: CallWatch
  ) -> @Sendable (Int32) -> Result {
    { file in watch.during(name, .descriptor(file), at: now()) { call(file) } }
  }
}
