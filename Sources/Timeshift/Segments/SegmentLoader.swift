import Synchronization
import Threads

/// Fetches from the disk what readers ask for: indexes, and audio into the page cache, checked by its checksums.
///
/// Readers get only checked audio. Each span of an open segment is checked once, and again whenever it has to be
/// fetched again. Readers ask and go on; the reading thread serves. At most `handlesMax` segments stay open, those read
/// last.
final class SegmentLoader: Sendable {
  enum Request {
    case index(SegmentFile, SegmentPlace)
    case audio(SegmentFile, SegmentIndex, at: UInt64)
  }

  /// The most requests remembered; a reader whose request was refused asks again next turn.
  static let requestsMax = 4096
  /// Bytes of audio fetched ahead: 12 s at 128 kbit/s.
  static let aheadBytes = 192 * 1024
  /// Bytes of audio checked when a segment is opened: what one turn gives, so that other readers wait for less.
  private static let firstBytes = 80 * 1024
  /// Nanoseconds that descriptors or memory may be short for a segment before it counts as one the disk did not give.
  private static let refusalMax: Int64 = 1_000_000_000

  let files: FileCalls
  let handlesMax: Int
  /// Nanoseconds after which a segment that the disk did not give is tried again.
  let retryInterval: Int64
  let signal = Signal()
  /// Rings when something that was asked for has been served.
  let bell = Bell()
  /// Moves with every load and every closing, and dates the last use. Readers look at it once a turn.
  let clock = Atomic<UInt64>(1)
  private let outage: Mutex<DiskOutage>
  private let requests = Mutex<[Request]>([])
  private let open = Mutex<[SegmentFile]>([])
  /// Damage that has not been reported yet, at most once per segment.
  private let untold = Mutex<[(file: SegmentFile, damage: SpanDamage)]>([])

  init(files: FileCalls, handlesMax: Int, retryInterval: Int64) {
    precondition(handlesMax > 0, "a reader of the past needs a handle")
    self.files = files
    self.handlesMax = handlesMax
    self.retryInterval = retryInterval
    outage = Mutex(DiskOutage(retryInterval: retryInterval))
  }

  /// Whether the disk counts as down: until it is tried again, no reader waits for it.
  var isDown: Bool { outage.withLock { $0.isDown(at: files.now().nanoseconds) } }

  private func note(_ file: SegmentFile, gave: Bool) {
    if gave { return outage.withLock { $0.gave() } }
    let now = files.now().nanoseconds
    outage.withLock { $0.gaveNothing(of: file.start.position, at: now) }
  }

  func request(_ file: SegmentFile, for place: SegmentPlace) {
    if !file.isRequested.exchange(true, ordering: .acquiringAndReleasing) {
      if !enqueue(.index(file, place)) { file.isRequested.store(false, ordering: .releasing) }
    }
  }

  func readAhead(_ file: SegmentFile, _ index: SegmentIndex, at position: UInt64) {
    // Most callers are not the first.
    if index.isReadingAhead.load(ordering: .relaxed) { return }
    if !index.isReadingAhead.exchange(true, ordering: .acquiringAndReleasing) {
      if !enqueue(.audio(file, index, at: position)) {
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

  /// Serves the requests so far, the oldest first. One thread at a time.
  ///
  /// Loads no more indexes than half the handles: segments requested earlier stay open until their readers have read
  /// some of them.
  ///
  /// - Returns: whether requests are left, to be served when readers have had their turn.
  func serve() -> Bool {
    let asked = requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
    // A reader that waits for an index has nothing yet; most audio is requested ahead.
    var loads = 0
    var left: [Request] = []
    for case .index(let file, let place) in asked {
      if loads == max(1, handlesMax / 2) {
        left.append(.index(file, place))
      } else {
        load(file, for: place)
        loads += 1
      }
    }
    for case .audio(let file, let index, let position) in asked {
      fetch(file, index, position, Self.aheadBytes)
      index.isReadingAhead.store(false, ordering: .releasing)
    }
    if !left.isEmpty { requests.withLock { $0 = left + $0 } }
    if !asked.isEmpty { bell.ring() }
    return !left.isEmpty
  }

  private func load(_ file: SegmentFile, for place: SegmentPlace) {
    defer { file.isRequested.store(false, ordering: .releasing) }
    let index: SegmentIndex
    do {
      index = try file.load(files)
      file.isServed()
      if let older = file.index.withLock({ $0 }) { index.adopt(statesOf: older) }
      noteShort(file, index)
      file.mark(index)
      if index.states.isWhole {
        note(file, gave: true)
      } else {
        fetch(file, index, index.position(of: place), Self.firstBytes)
      }
    } catch {
      note(file, gave: error.code == 0)
      // A lack of descriptors or memory passes, most likely at once, so no damage is reported.
      if error.isShortage, !file.isRefused(for: Self.refusalMax, at: files.now().nanoseconds) {
        return
      }
      // A disk may recover; wrong content stays wrong.
      let isForGood = error.code == 0
      index = SegmentIndex(
        unreadable: file.start,
        retryAt: isForGood ? .max : files.now().nanoseconds + retryInterval)
      if !error.isShortage {
        found(SpanDamage(start: file.start, reason: error.reason, isContent: isForGood), in: file)
      }
    }
    let older = file.index.withLock { open in
      defer { open = index }
      return open
    }
    // Readers must leave the older index: it learns nothing of later checks. One that covers more is read to its end.
    if let older, older.end.position <= index.end.position {
      older.isEvicted.store(true, ordering: .releasing)
    }
    let now = clock.wrappingAdd(1, ordering: .relaxed).newValue
    index.used.store(now, ordering: .relaxed)
    // An unopened segment holds no descriptor, and stays known as such until it is tried again.
    if index.audio != nil { makeRoom(for: file) }
  }

  /// Notes a sealed segment whose index ends before the segment does.
  func noteShort(_ file: SegmentFile, _ index: SegmentIndex) {
    guard index.isFinal, !file.isAll(index) else { return }
    let damage = SpanDamage(start: index.end, reason: "the file is shorter than it was")
    file.note([(index.spanCount, damage)], in: index.spanCount..<index.spanCount + 1, of: index)
    found(damage, in: file)
  }

  /// Queues damage to be reported, once per segment. What the disk did not give is none before it was asked again.
  func found(_ damage: SpanDamage, in file: SegmentFile) {
    let again =
      damage.isContent
      || file.isUnreadAgain(
        at: damage.start.position, after: retryInterval, at: files.now().nanoseconds)
    guard again else { return }
    if file.isTold.exchange(true, ordering: .acquiringAndReleasing) { return }
    untold.withLock { $0.append((file, damage)) }
  }

  func popUntold() -> [(file: SegmentFile, damage: SpanDamage)] {
    untold.withLock { untold in
      defer { untold = [] }
      return untold
    }
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

  /// Closes a segment; readers let go of it within a turn.
  func close(_ file: SegmentFile) {
    open.withLock { open in open.removeAll { $0 === file } }
    forget(file)
  }

  /// Closes the segments of a log that is closed itself.
  func close(_ files: [SegmentFile]) {
    let gone = Set(files.map(ObjectIdentifier.init))
    let closed = open.withLock { open in
      let closed = open.filter { gone.contains(ObjectIdentifier($0)) }
      open.removeAll { gone.contains(ObjectIdentifier($0)) }
      return closed
    }
    for file in closed { forget(file) }
  }

  /// How many requests wait for the disk.
  var pending: Int { requests.withLock { $0.count } }

  /// How many segments are open.
  var openCount: Int { open.withLock { $0.count } }

  private func forget(_ file: SegmentFile) {
    let index = file.index.withLock { index in
      defer { index = nil }
      return index
    }
    index?.isEvicted.store(true, ordering: .releasing)
    clock.wrappingAdd(1, ordering: .relaxed)
  }

  /// Brings audio from `position` on into the page cache and checks it.
  private func fetch(
    _ file: SegmentFile, _ index: SegmentIndex, _ position: UInt64, _ bytes: Int
  ) {
    guard let audio = index.audio, index.spanCount > 0, position < index.end.position else {
      return
    }
    let places = index.places(from: position, bytes: bytes)
    let offset = index.offset(of: index.spanRange(places.lowerBound).lowerBound)
    // Reads ahead only what is read soon: when thousands join, the disk has other readers to serve.
    files.willNeed(audio.descriptor, offset, 2 * bytes)
    let check = SegmentCheck(
      index: index, audio: audio, read: files.read,
      retryAt: files.now().nanoseconds + retryInterval)
    // This read waits for the disk, and brings the audio into the page cache.
    let damage = withUnsafeTemporaryAllocation(
      byteCount: SegmentCheck.bufferBytes, alignment: 16
    ) { check.run(places, $0) }
    file.note(damage, in: places, of: index)
    // The reader that asked may have an index that is no longer the open one.
    if let open = file.index.withLock({ $0 }), open !== index { open.adopt(statesOf: index) }
    note(file, gave: damage.allSatisfy { $0.damage.isContent })
    if let first = damage.first { found(first.damage, in: file) }
  }
}
