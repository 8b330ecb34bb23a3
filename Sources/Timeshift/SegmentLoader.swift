import Glibc
import Synchronization

/// Fetches from the disk what readers ask for: indexes, and audio into the page cache.
///
/// Readers ask and go on; the reading thread serves. At most `handlesMax` segments stay open, those read last.
final class SegmentLoader: Sendable {
  enum Request {
    case index(SegmentFile)
    case audio(SegmentIndex, at: UInt64)
  }

  /// More than this are not remembered: who is not served asks again next turn.
  static let requestsMax = 4096
  /// 8 s at 128 kbit/s.
  static let aheadBytes = 128 * 1024

  let files: FileCalls
  let handlesMax: Int
  /// Nanoseconds after which a segment that the disk did not give is tried again.
  let retryInterval: Int64
  let signal = Signal()
  /// Moves with every load: "used last" is told by it. Readers look at it once a turn.
  let clock = Atomic<UInt64>(1)
  private let requests = Mutex<[Request]>([])
  private let open = Mutex<[SegmentFile]>([])

  init(files: FileCalls, handlesMax: Int, retryInterval: Int64) {
    precondition(handlesMax > 0, "a reader of the past needs a handle")
    self.files = files
    self.handlesMax = handlesMax
    self.retryInterval = retryInterval
  }

  func request(_ file: SegmentFile) {
    if !file.isRequested.exchange(true, ordering: .acquiringAndReleasing) {
      if !enqueue(.index(file)) { file.isRequested.store(false, ordering: .releasing) }
    }
  }

  func readAhead(_ index: SegmentIndex, at position: UInt64) {
    if !index.isReadingAhead.exchange(true, ordering: .acquiringAndReleasing) {
      if !enqueue(.audio(index, at: position)) {
        index.isReadingAhead.store(false, ordering: .releasing)
      }
    }
  }

  private func enqueue(_ request: Request) -> Bool {
    let isTaken = requests.withLock { requests in
      guard requests.count < Self.requestsMax else { return false }
      requests.append(request)
      return true
    }
    signal.raise()
    return isTaken
  }

  /// Serves everything asked for so far. One thread at a time.
  func serve() {
    let asked = requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
    for request in asked {
      switch request {
      case .index(let file): load(file)
      case .audio(let index, let position): fetch(index, position)
      }
    }
  }

  private func load(_ file: SegmentFile) {
    defer { file.isRequested.store(false, ordering: .releasing) }
    let index: SegmentIndex
    do {
      index = try file.load(files)
    } catch {
      // Out of descriptors or memory passes: nobody is told that the segment is damaged.
      if [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(error.code) { return }
      // A disk may recover; wrong content does not.
      let isForGood = error.code == 0
      index = SegmentIndex(
        unreadable: file.start,
        retryAt: isForGood ? .max : MonotonicTime.now().nanoseconds + retryInterval)
    }
    let now = clock.wrappingAdd(1, ordering: .relaxed).newValue
    index.used.store(now, ordering: .relaxed)
    makeRoom(for: file)
    file.index.withLock { $0 = index }
  }

  private func makeRoom(for file: SegmentFile) {
    let evicted: SegmentFile? = open.withLock { open in
      if open.contains(where: { $0 === file }) { return nil }
      open.append(file)
      guard open.count > handlesMax else { return nil }
      let oldest = open.dropLast().indices.min { lastUse(open[$0]) < lastUse(open[$1]) }
      return open.remove(at: oldest!)
    }
    if let evicted { forget(evicted) }
  }

  private func lastUse(_ file: SegmentFile) -> UInt64 {
    file.index.withLock { $0?.used.load(ordering: .relaxed) ?? 0 }
  }

  /// Readers let go of it within a turn.
  func close(_ file: SegmentFile) {
    open.withLock { open in open.removeAll { $0 === file } }
    forget(file)
  }

  private func forget(_ file: SegmentFile) {
    let index = file.index.withLock { index in
      defer { index = nil }
      return index
    }
    index?.isEvicted.store(true, ordering: .releasing)
    clock.wrappingAdd(1, ordering: .relaxed)
  }

  private func fetch(_ index: SegmentIndex, _ position: UInt64) {
    defer { index.isReadingAhead.store(false, ordering: .releasing) }
    guard let audio = index.audio else { return }
    let offset = index.offset(of: position)
    files.willNeed(audio.descriptor, offset, 2 * Self.aheadBytes)
    // Reading waits for the disk; what it gives is wanted in the page cache only.
    withUnsafeTemporaryAllocation(byteCount: Self.aheadBytes, alignment: 16) { buffer in
      _ = files.read(audio.descriptor, buffer, offset)
    }
  }
}
