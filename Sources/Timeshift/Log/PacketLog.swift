import Synchronization
import Threads
import Wire

/// A station's ordered past: packets, and marks at positions.
///
/// One thread writes, through `writer()`; any number read, each through its own `LogReader`. Published packets never
/// change. The newest part is in memory. With a disk, everything is also copied to segments there, and fetched for
/// readers of older audio. The log ends with `close()`.
public final class PacketLog: Sendable {
  public let configuration: LogConfiguration
  /// The point at which this process began to write.
  public let start: LogPoint
  /// A number that no other log of this process has. Within one log a position means one packet for ever.
  public let serial = PacketLog.serials.add(1, ordering: .relaxed).newValue
  private static let serials = Atomic<UInt64>(0)

  /// The id of a log that has no folder, or none yet.
  private let ownID = LogID.random()
  /// The id by which other relays know the log: its folder's, so that a restart keeps it.
  public var id: LogID { disk?.folderID ?? ownID }

  private let passed = Mutex<[LogID]>([])
  /// The logs of other stations and relays that the newest audio has come through, nearest first.
  public var via: [LogID] {
    get { passed.withLock { $0 } }
    set { passed.withLock { $0 = newValue } }
  }

  let lists: Mutex<LogLists>
  /// Beside the lists, which readers copy: a second's loudness is no change for them. Never locked with them.
  let loudness: Mutex<LoudnessLine>
  /// Only in memory: after a restart there are estimates again, until somebody measures.
  let measured = Mutex(MeasuredLoudness())
  /// Moves with every change of the lists, inside their lock.
  let version = Atomic<UInt64>(1)
  /// What keeps the audio beyond the memory; nil for a log that is in memory only.
  let disk: (any LogDisk)?
  private let publishedEdge: Atomic<UInt64>
  /// Rings when the edge has moved.
  let bell = Bell()
  private let rateBits = Atomic<UInt64>(Double(1).bitPattern)
  private let draft: LogDraft
  private let isBeingWritten = Atomic(false)

  /// Makes a log without a disk, beginning at position 0.
  ///
  /// - Parameter failure: why it has no disk; nil if it needs none.
  public convenience init(
    memoryOnly configuration: LogConfiguration, at now: Moment, since failure: StorageError? = nil
  ) {
    var lists = LogLists(edge: .zero)
    if let failure { lists.storage = .failed(failure.description) }
    self.init(configuration, lists, disk: nil)
  }

  init(
    _ configuration: LogConfiguration, _ lists: LogLists, disk: (any LogDisk)?,
    loudness: LoudnessLine = LoudnessLine(), lastPacket: MediaTime = .zero
  ) {
    self.loudness = Mutex(loudness)
    self.configuration = configuration
    self.disk = disk
    start = lists.edge
    publishedEdge = Atomic(lists.edge.position)
    draft = LogDraft(lists, lastPacket: lastPacket, configuration)
    var lists = lists
    lists.retention = configuration.retention
    lists.retentionBytes = configuration.retentionBytes
    lists.reserve = configuration.reserve
    (lists.cells, lists.numberStart) = (configuration.cells, configuration.numberStart)
    lists.numberLeast = configuration.numberLeast
    self.lists = Mutex(lists)
  }

  // MARK: Writing

  /// Returns the draft for a writer; nil while another writer has it.
  func claimDraft() -> LogDraft? {
    let isFree = isBeingWritten.compareExchange(
      expected: false, desired: true, ordering: .acquiringAndReleasing
    ).exchanged
    return isFree ? draft : nil
  }

  /// Makes the log free for another writer.
  func writerEnds() { isBeingWritten.store(false, ordering: .releasing) }

  /// Lets readers see the draft. Only this call changes air times and retention.
  func publish(_ draft: LogDraft, at now: Moment) {
    let edge = draft.edge
    guard edge.position != publishedEdge.load(ordering: .relaxed) else { return }
    let batch = draft.popBatch()
    // The dropped blocks are freed outside the lock.
    let (evicted, oldest) = lists.withLock {
      ($0.accept(batch, edge, configuration, draft, now, version), $0.oldest.media)
    }
    // Before the edge moves: the storage writes the seconds that end below it.
    if !batch.loudness.isEmpty { keep(batch.loudness, from: oldest) }
    draft.publishBlocks()
    // In one order with the bell's count of listeners: a reader that listened before misses no edge.
    publishedEdge.store(edge.position, ordering: .sequentiallyConsistent)
    bell.ring()
    rateBits.store(draft.rate.rate.bitPattern, ordering: .relaxed)
    disk?.published(edge: edge.position)
    withExtendedLifetime(evicted) {}
  }

  private func keep(_ seconds: [LoudnessMeter.Second], from oldest: MediaTime) {
    loudness.withLock { line in
      for second in seconds { line.add(second.loudness, at: second.number) }
      line.forget(before: oldest.second)
    }
  }

  /// Whether so much waits for the disk that part of a burst would be lost on its way there.
  ///
  /// False while the disk has failed, since then nothing waits for it.
  public var isWaitingForDisk: Bool { disk?.isBehind(edgePosition) ?? false }

  // MARK: Any thread

  /// Whether the log is in memory only until its folder can be used.
  public var isAwaitingFolder: Bool { disk.map { !$0.hasFolder } ?? false }

  /// Whether the log is kept on disk, or will be as soon as the disk works again.
  public var isOnDisk: Bool { disk?.hasFolder ?? false }

  /// Whether the folder now belongs to another log. This log then goes on in memory, and the folder is opened as
  /// another log.
  public var isDisplaced: Bool { disk?.isDisplaced ?? false }

  /// Writes what is in memory and seals it; the storage syncs that soon after, at the latest when it stops. Blocks.
  ///
  /// Readers may go on; nothing may be appended any more.
  public func close() { disk?.close() }

  /// The position just past the newest packet. Costs one acquire load.
  public var edgePosition: UInt64 { publishedEdge.load(ordering: .acquiring) }

  /// Media seconds per second of this machine's monotonic clock over the last half hour: 0.998 to 1.002.
  ///
  /// The rate is 1 until a minute is known.
  public var rate: Double { Double(bitPattern: rateBits.load(ordering: .relaxed)) }

  /// How much past is kept, in media time and in bytes on disk.
  public var retention: (time: MediaTime, bytes: UInt64) {
    lists.withLock { ($0.retention, $0.retentionBytes) }
  }

  /// Changes how much past is kept, from the next packet on.
  ///
  /// Does nothing to a log without a disk: such a log must be opened anew.
  ///
  /// - Parameter reserve: the part that is kept however full other programs make the disk; nil: unchanged.
  public func retain(_ time: MediaTime, bytes: UInt64, reserve: MediaTime? = nil) {
    guard isOnDisk else { return }
    lists.withLock {
      $0.retention = time
      $0.retentionBytes = bytes
      if let reserve { $0.reserve = reserve }
    }
  }

  /// Divides the log in another way, from the next border on that both kinds of cells have.
  public func set(cells: CellSettings) { lists.withLock { $0.cells = cells } }

  /// The number reached; nil before the first packet. What a later log of the station goes on from.
  public var numberReached: NumberStart? {
    let lists = self.lists.withLock { $0 }
    guard let mark = lists.numbers.last?.raised(to: lists.edge, by: lists.borders) else {
      return nil
    }
    // The next packet is that far.
    if let start = lists.numberStart, lists.isOutdated { return start }
    return NumberStart(
      programme: mark.programme, number: mark.number, discontinuities: mark.discontinuities)
  }

  public var edge: LogPoint { lists.withLock { $0.edge } }
  public var oldest: LogPoint { lists.withLock { $0.oldest } }
  public var isEmpty: Bool { lists.withLock { $0.oldest.position == $0.edge.position } }

  /// The newest titles that are still readable, newest first.
  public func titles(limit: Int) -> [TitleMark] {
    let lists = self.lists.withLock { $0 }
    return lists.titlesKept.suffix(max(0, limit)).reversed().map { lists.aired($0) }
  }

  /// Position of the log's edge in the log of the relay that its newest packets come from. Also the bytes in front of
  /// the edge that stand there without a seam. Nil where that is unknown.
  public var origin: (place: RelayPlace, bytes: UInt64)? {
    let lists = self.lists.withLock { $0 }
    return lists.origin(at: lists.edge.position)
  }

  /// The media time that a reader with this delay has reached; nil if it has not reached any.
  ///
  /// Reckoned by the monotonic clock: a step of the wall clock, either way, causes no silence and skips nothing.
  func due(_ delay: MediaTime, at now: Moment, in air: AirTimes) -> MediaTime? {
    let time = now.monotonic.adding(nanoseconds: -max(0, delay.nanoseconds))
    return air.media(at: time)
  }

  /// How long ago the log's end was on air; nil for an empty log.
  public func away(at now: Moment) -> TimeAway? {
    let lists = self.lists.withLock { $0 }
    return lists.air.away(since: lists.edge.media, at: now)
  }

  /// Changes the lists and moves their version, so that readers see the change.
  func change<Result>(_ body: (inout sending LogLists) -> sending Result) -> sending Result {
    lists.withLock {
      version.wrappingAdd(1, ordering: .releasing)
      return body(&$0)
    }
  }
}
