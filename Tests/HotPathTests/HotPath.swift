import CHotPath
import Glibc
import Reactor
import TestSupport
import Timeshift
import Wire

@testable import Server

/// A station's listeners on socket pairs, served turn by turn by hand: nothing but the hot path, and no clock in it.
final class HotPath {
  enum Listeners: String, CaseIterable {
    case live
    case liveWithTitles
    /// In the part of the window that is in memory.
    case placed
    /// In a segment.
    case placedOnDisk
    /// The same, of a station for which one turn's bytes are not enough.
    case placedOnDiskInFull
    /// No relay at all: one `send` of the same bytes for each. The limit.
    case bare

    var isOnDisk: Bool { self == .placedOnDisk || self == .placedOnDiskInFull }
  }

  static let listeners = 50
  private static let turnNanoseconds: Int64 = 26_122_449

  private let kind: Listeners
  private let folder = TemporaryDirectory()
  private let storage = Storage(syncInterval: 3600)
  private let clock = ManualClock()
  private let station: NumberedLog
  private let shard: MountShard
  private let fanout = Fanout()
  private var ends: [Int32] = []
  private var drained = [UInt8](repeating: 0, count: 1 << 18)
  private let bareBytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 418, alignment: 1)
  private let cursors = UnsafeMutablePointer<UInt64>.allocate(capacity: listeners)
  private var now: Int64 = 0
  /// Bytes that came out of the sockets in measured turns.
  private(set) var bytes = 0

  init(_ kind: Listeners) throws {
    self.kind = kind
    var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
    if kind.isOnDisk { configuration.windowBytes = configuration.blockBytes * 2 }
    let log = try PacketLog.open(
      directory: folder.path, configuration: configuration, storage: storage, at: clock.now,
      report: { _ in })
    // One title for all: another one is a block more for each loop, not for each listener.
    station = NumberedLog(log: log, seconds: 0, packetsPerTitle: .max)
    shard = MountShard(Mount(station: "jazz", log: log))!
    bareBytes.initializeMemory(as: UInt8.self, repeating: 0)
    for _ in 0..<1200 { feed() }
    for slot in 0..<Self.listeners { try add(UInt32(slot)) }
  }

  deinit {
    for end in ends { close(end) }
    bareBytes.deallocate()
    cursors.deallocate()
    station.log.close()
  }

  private var isPlaced: Bool { kind == .placed || kind.isOnDisk }

  /// What comes between two turns. In full: more than 64 KiB, which is all that a turn gives.
  private var packetsPerTurn: Int {
    switch kind {
    case .live, .liveWithTitles, .bare: 1
    case .placed, .placedOnDisk: 20
    case .placedOnDiskInFull: 160
    }
  }

  /// Seconds of audio that came in so many turns.
  func seconds(turns: Int) -> Double {
    Double(Int64(turns * packetsPerTurn) * Self.turnNanoseconds) / 1e9
  }

  /// A packet comes, and everybody gets it; who is placed half a second of them, as often as that is.
  func turn(isMeasured: Bool) {
    for _ in 0..<packetsPerTurn { feed() }
    if isMeasured {
      hotpath_measured(
        { Unmanaged<HotPath>.fromOpaque($0!).takeUnretainedValue().serveAll() },
        Unmanaged.passUnretained(self).toOpaque())
    } else {
      serveAll()
    }
    storage.runOnce(at: clock.now.monotonic)
    let count = drain()
    if isMeasured { bytes += count }
  }

  private func feed() {
    now += Self.turnNanoseconds
    clock.advance(seconds: Double(Self.turnNanoseconds) / 1e9)
    station.append(1, at: clock.now)
    if station.next % 300 == 0 { storage.runOnce(at: clock.now.monotonic) }
    shard.startTurn()
  }

  private func add(_ slot: UInt32) throws {
    var pair: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0
    else { throw SystemError(call: "socketpair", code: errno) }
    ends += pair
    cursors[Int(slot)] = 0
    let edge = shard.reader.edge
    let back = MediaTime(seconds: kind.isOnDisk ? 20 : 5)
    let start = isPlaced ? point(atOrBefore: edge.media - back) : edge
    let pace =
      isPlaced
      ? Pace.placed(at: start.media, burst: .zero, now: now)
      : .live(from: start.media, burst: .zero, now: now)
    let metaint = kind == .liveWithTitles ? 16_000 : 0
    shard.listeners.append(
      Listener(
        fd: pair[0], slot: slot, cursor: start.position, icy: ICYInterleaver(metaint: metaint),
        codec: .mp3, pace: pace, takenAt: now))
    shard.listeners[shard.listeners.count - 1].link = shard.reader.formatPosition(
      at: start.position)
  }

  private func point(atOrBefore media: MediaTime) -> LogPoint {
    while true {
      if let point = shard.reader.point(atOrBefore: media) { return point }
      // Its index comes from the disk.
      storage.runOnce(at: clock.now.monotonic)
      shard.startTurn()
    }
  }

  private func serveAll() {
    if kind == .bare { return sendToAll() }
    for index in shard.listeners.indices {
      _ = fanout.serve(&shard.listeners[index], in: shard, now: now)
    }
  }

  private func sendToAll() {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    let (ends, cursors, bytes) = (ends, cursors, bareBytes)
    for index in 0..<Self.listeners {
      let sent = send(ends[2 * index], bytes.baseAddress, bytes.count, flags)
      if sent > 0 { cursors[index] += UInt64(sent) }
    }
  }

  private func drain() -> Int {
    var count = 0
    for index in stride(from: 1, to: ends.count, by: 2) {
      while case .bytes(let read) = drained.withUnsafeMutableBytes({
        Socket.receive(ends[index], into: $0)
      }) { count += read }
    }
    return count
  }
}
