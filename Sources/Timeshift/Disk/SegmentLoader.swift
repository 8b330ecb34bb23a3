import Synchronization
import Threads

/// Fetches from the disk what readers ask for: indexes, and audio into the page cache, where it is held against its
/// checksums. Readers are given nothing else: of an open segment each span once, and again whenever it has to be fetched
/// again.
///
/// Readers ask and go on; the reading thread serves. At most `handlesMax` segments stay open, those read last.
final class SegmentLoader: Sendable {
  enum Request {
    case index(SegmentFile, Place)
    case audio(SegmentFile, SegmentIndex, at: UInt64)
  }

  /// What a reader who asks for a segment wants to read of it.
  enum Place {
    case position(UInt64)
    case media(MediaTime)
  }

  /// More than this are not remembered: who is not served asks again next turn.
  static let requestsMax = 4096
  /// 12 s at 128 kbit/s.
  static let aheadBytes = 192 * 1024
  /// What is looked at when a segment is opened, so that a reader soon has what one turn gives: others wait behind it.
  private static let firstBytes = 80 * 1024
  /// Nanoseconds that descriptors or memory may be short for a segment before it counts as one the disk did not give.
  private static let refusalMax: Int64 = 1_000_000_000

  let files: FileCalls
  let handlesMax: Int
  /// Nanoseconds after which a segment that the disk did not give is tried again.
  let retryInterval: Int64
  let signal = Signal()
  /// Moves with every load: "used last" is told by it. Readers look at it once a turn.
  let clock = Atomic<UInt64>(1)
  private let outage: Mutex<DiskOutage>
  private let requests = Mutex<[Request]>([])
  private let open = Mutex<[SegmentFile]>([])
  /// Damage that has not been told yet; of a segment once.
  private let untold = Mutex<[(file: SegmentFile, damage: SpanDamage)]>([])

  init(files: FileCalls, handlesMax: Int, retryInterval: Int64) {
    precondition(handlesMax > 0, "a reader of the past needs a handle")
    self.files = files
    self.handlesMax = handlesMax
    self.retryInterval = retryInterval
    outage = Mutex(DiskOutage(retryInterval: retryInterval))
  }

  /// Until the disk is tried again nobody waits for it.
  var isDown: Bool { outage.withLock { $0.isDown(at: files.now().nanoseconds) } }

  private func note(_ file: SegmentFile, gave: Bool) {
    if gave { return outage.withLock { $0.gave() } }
    let now = files.now().nanoseconds
    outage.withLock { $0.gaveNothing(of: file.start.position, at: now) }
  }

  func request(_ file: SegmentFile, for place: Place) {
    if !file.isRequested.exchange(true, ordering: .acquiringAndReleasing) {
      if !enqueue(.index(file, place)) { file.isRequested.store(false, ordering: .releasing) }
    }
  }

  func readAhead(_ file: SegmentFile, _ index: SegmentIndex, at position: UInt64) {
    // Most who ask are not the first.
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

  /// Serves what was asked for so far, the oldest first, but no more indexes than half the handles: what others have
  /// asked for before stays open until they have read some of it. One thread at a time.
  ///
  /// - Returns: whether more is asked for, to be served when readers have had their turn.
  func serve() -> Bool {
    let asked = requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
    // Whoever waits for an index has nothing yet; of the audio most is asked for ahead.
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
    return !left.isEmpty
  }

  private func load(_ file: SegmentFile, for place: Place) {
    defer { file.isRequested.store(false, ordering: .releasing) }
    let index: SegmentIndex
    do {
      index = try file.load(files)
      file.isServed()
      if let older = file.index.withLock({ $0 }) { index.take(statesOf: older) }
      noteShort(file, index)
      file.mark(index)
      if index.states.isWhole {
        note(file, gave: true)
      } else {
        fetch(file, index, index.position(of: place), Self.firstBytes)
      }
    } catch {
      note(file, gave: error.code == 0)
      // Out of descriptors or memory passes, most likely at once: nobody is told that the segment is damaged.
      if error.isShortage, !file.isRefused(for: Self.refusalMax, at: files.now().nanoseconds) {
        return
      }
      // A disk may recover; wrong content does not.
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
    // Of what is found from now on it would not be told. One that has more is read to its end.
    if let older, older.end.position <= index.end.position {
      older.isEvicted.store(true, ordering: .releasing)
    }
    let now = clock.wrappingAdd(1, ordering: .relaxed).newValue
    index.used.store(now, ordering: .relaxed)
    // What could not be opened holds no descriptor, and is known as such until it is tried again.
    if index.audio != nil { makeRoom(for: file) }
  }

  /// What the index has of a sealed segment ends before the segment does.
  func noteShort(_ file: SegmentFile, _ index: SegmentIndex) {
    guard index.isFinal, !file.isAll(index) else { return }
    let damage = SpanDamage(start: index.end, reason: "the file is shorter than it was")
    file.note([(index.spanCount, damage)], in: index.spanCount..<index.spanCount + 1, of: index)
    found(damage, in: file)
  }

  /// Of a segment it is told once.
  func found(_ damage: SpanDamage, in file: SegmentFile) {
    if file.isTold.exchange(true, ordering: .acquiringAndReleasing) { return }
    untold.withLock { $0.append((file, damage)) }
  }

  func takeUntold() -> [(file: SegmentFile, damage: SpanDamage)] {
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

  /// Some seconds of audio from `position` on.
  private func fetch(
    _ file: SegmentFile, _ index: SegmentIndex, _ position: UInt64, _ bytes: Int
  ) {
    guard let audio = index.audio, index.spanCount > 0, position < index.end.position else {
      return
    }
    let places = index.places(from: position, bytes: bytes)
    let offset = index.offset(of: index.spanRange(places.lowerBound).lowerBound)
    // No more than is read soon: with thousands who join, the disk has others to serve.
    files.willNeed(audio.descriptor, offset, 2 * bytes)
    let check = SegmentCheck(
      index: index, audio: audio, read: files.read,
      retryAt: files.now().nanoseconds + retryInterval)
    // Reading waits for the disk; what it gives is wanted in the page cache.
    let damage = withUnsafeTemporaryAllocation(
      byteCount: SegmentCheck.bufferBytes, alignment: 16
    ) { check.run(places, $0) }
    file.note(damage, in: places, of: index)
    // Who asked may have one that is no longer the open one.
    if let open = file.index.withLock({ $0 }), open !== index { open.take(statesOf: index) }
    note(file, gave: damage.allSatisfy { $0.damage.isContent })
    if let first = damage.first { found(first.damage, in: file) }
  }
}
