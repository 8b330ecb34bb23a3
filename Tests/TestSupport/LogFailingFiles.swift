import Glibc
import Synchronization
import Timeshift

/// A disk that can be told to fail.
public final class FailingFiles: Sendable {
  public struct Plan: Sendable {
    /// Bytes that may still be written to audio and index files; then ENOSPC. nil: no bound.
    public var room: Int?
    /// What the file system takes in all.
    public var roomInAll = UInt64.max
    /// What listing a folder answers.
    public var listError: Int32?
    /// What every write answers.
    public var writeError: Int32?
    /// A write does not come back; how many do not.
    public var isWriteHeld = false
    public var writesHeld = 0
    /// Writes that failed.
    public var writesRefused = 0
    public var syncError: Int32?
    /// A sync does not come back.
    public var isSyncHeld = false
    /// By a call each.
    public var syncsBegun = 0
    public var readError: Int32?
    /// What opening a file answers whose path ends so.
    public var openErrors: [String: Int32] = [:]
    /// What looking for a file by its path answers.
    public var lookUpError: Int32?
    /// What making a folder answers.
    public var folderError: Int32?
    /// A write takes at most this many bytes.
    public var writeMax = Int.max
    /// RWF_NOWAIT finds nothing in the page cache until it was read plainly.
    public var isCold = false
    public var hasReadNow = true
    /// What unlinking a file gives back to `room`.
    public var roomPerRemoval = 0
    /// Plain reads that failed.
    public var readsFailed = 0
    /// By which failures are tried again; nil: the real one.
    public var clock: ManualClock?
    /// What a plain read that fails takes of that clock.
    public var failureSeconds = 0.0

    public init() {}

    /// What a plain read answers; nil: it does not fail.
    fileprivate mutating func failRead() -> Int32? {
      guard let readError else { return nil }
      readsFailed += 1
      clock?.advance(seconds: failureSeconds)
      return readError
    }
  }

  public let plan = Mutex(Plan())

  public init() {}

  public func set(_ change: (inout Plan) -> Void) { plan.withLock { change(&$0) } }

  public var calls: FileCalls {
    var calls = FileCalls.posix
    let real = FileCalls.posix
    calls.write = { [self] descriptor, bytes, offset in
      holdWrite()
      let allowed = allowance(bytes.count)
      if allowed < 0 { return allowed }
      return real.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<allowed]), offset)
    }
    calls.open = { [self] path, flags in
      let error = plan.withLock { $0.openErrors.first { path.hasSuffix($0.key) }?.value }
      return error.map { -$0 } ?? real.open(path, flags)
    }
    // A test does not wait for the real disk.
    calls.sync = { [self] _ in
      plan.withLock { $0.syncsBegun += 1 }
      while plan.withLock({ $0.isSyncHeld }) { usleep(1000) }
      return plan.withLock { -($0.syncError ?? 0) }
    }
    calls.read = { [self] descriptor, buffer, offset in
      plan.withLock { $0.isCold = false }
      if let error = plan.withLock({ $0.failRead() }) { return -Int(error) }
      return real.read(descriptor, buffer, offset)
    }
    calls.readBeside = { [self] descriptor, buffer, offset in
      if let error = plan.withLock({ $0.readError }) { return -Int(error) }
      return real.readBeside(descriptor, buffer, offset)
    }
    calls.readNow = { [self] descriptor, buffer, offset in
      let plan = plan.withLock { $0 }
      if !plan.hasReadNow { return -Int(EOPNOTSUPP) }
      if plan.isCold { return -Int(EAGAIN) }
      if let error = plan.readError { return -Int(error) }
      return real.read(descriptor, buffer, offset)
    }
    calls.remove = { [self] path in
      plan.withLock { plan in
        if let room = plan.room { plan.room = room + plan.roomPerRemoval }
      }
      return real.remove(path)
    }
    calls.isNamed = { [self] descriptor, path in
      if let error = plan.withLock({ $0.lookUpError }) { return -error }
      return real.isNamed(descriptor, path)
    }
    calls.makeDirectory = { [self] path in
      if let error = plan.withLock({ $0.folderError }) { return -error }
      return real.makeDirectory(path)
    }
    calls.room = { [self] _ in plan.withLock { $0.roomInAll } }
    calls.list = { [self] path in
      if let error = plan.withLock({ $0.listError }) { return ([], -error) }
      return real.list(path)
    }
    calls.now = { [self] in plan.withLock { $0.clock?.now.monotonic } ?? .now() }
    return calls
  }

  private func holdWrite() {
    guard plan.withLock({ $0.isWriteHeld }) else { return }
    plan.withLock { $0.writesHeld += 1 }
    while plan.withLock({ $0.isWriteHeld }) { usleep(1000) }
    plan.withLock { $0.writesHeld -= 1 }
  }

  private func allowance(_ count: Int) -> Int {
    plan.withLock { plan in
      if let error = plan.writeError {
        plan.writesRefused += 1
        return -Int(error)
      }
      var allowed = min(count, plan.writeMax)
      if let room = plan.room {
        if room <= 0 {
          plan.writesRefused += 1
          return -Int(ENOSPC)
        }
        allowed = min(allowed, room)
        plan.room = room - allowed
      }
      return allowed
    }
  }
}
