import Glibc
import Reactor
import TestSupport
import Timeshift
import Wire

@testable import Server

/// A player on the other end of a socket, with an appetite, which compares what it gets with the ledger.
final class SimulatedListener {
  var listener: Listener
  let burst: Double
  private let end: Int32
  private var bytes: [UInt8] = []
  /// Where the next frame it gets should stand.
  private(set) var expected: UInt64
  private var runStart: UInt64
  /// Where it went, and how many bytes came before.
  private var jumps: [(after: UInt64, target: UInt64)] = []
  private var taken: UInt64 = 0
  /// When its last byte came, or when it last had nothing to get.
  var contentAt: Double
  var heard = 0
  /// It reads nothing until then.
  var sleepsUntil = 0.0
  private(set) var jumped = 0
  private(set) var lastOutcome = ""
  var isWaiting: Bool { lastOutcome == "waiting" }

  init?(
    in shard: MountShard, at start: LogPoint, isLive: Bool, burst: Double, slot: UInt32,
    now: Int64, seconds: Double, codec: Codec
  ) {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    var room: Int32 = 4096
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    end = ends[1]
    self.burst = burst
    let length = MediaTime(seconds: burst)
    listener = Listener(
      fd: ends[0], slot: slot, cursor: start.position, icy: ICYInterleaver(metaint: 0),
      codec: codec,
      pace: isLive
        ? .live(from: start.media, burst: length, now: now)
        : .placed(at: start.media, burst: length, now: now), takenAt: now)
    listener.link = shard.reader.formatPosition(at: start.position)
    expected = start.position
    runStart = listener.runStart
    contentAt = seconds
  }

  deinit {
    close(end)
    close(listener.fd)
  }

  /// A turn, as the loop gives it. False: it has ended.
  func serve(_ fanout: Fanout, in shard: MountShard, now: Int64) -> Bool {
    listener.flags.remove(.blocked)
    for _ in 0..<16 {
      let outcome = fanout.serve(&listener, in: shard, now: now)
      lastOutcome = "\(outcome)"
      if listener.runStart != runStart {
        runStart = listener.runStart
        let unsent = fanout.rests[listener.slot]?.count ?? 0
        jumps.append((after: listener.bytes + UInt64(unsent), target: runStart))
      }
      switch outcome {
      case .ended, .out: return false
      case .servedInPart: continue
      case .idle, .waiting, .served, .blocked: return true
      }
    }
    return true
  }

  /// Takes what has come, and looks at it.
  func take(_ ledger: Ledger, at now: Double) throws {
    var part = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(end, &part, part.count, Int32(MSG_DONTWAIT))
      if count <= 0 { break }
      bytes += part[..<count]
      contentAt = now
    }
    var offset = 0
    while let (encoding, content) = Encoding.read(bytes[offset...]) {
      try find(encoding, content, ledger, at: now)
      offset += encoding.frameBytes
      taken += UInt64(encoding.frameBytes)
      heard += 1
    }
    if bytes.count - offset >= 200 {
      throw Violation(
        kind: "heard torn",
        text: "no frame in \(Array(bytes[offset...].prefix(8))) after \(expected)",
        at: now)
    }
    bytes.removeFirst(offset)
  }

  private func find(_ encoding: Encoding, _ content: UInt64, _ ledger: Ledger, at now: Double)
    throws
  {
    while let jump = jumps.first, taken >= jump.after {
      jumps.removeFirst()
      if jump.target < expected {
        throw Violation(
          kind: "heard twice", text: "back from \(expected) to \(jump.target)", at: now)
      }
      jumped += 1
      expected = jump.target
    }
    let place = ledger.place(of: expected)
    guard place < ledger.entries.count, ledger.entries[place].position == expected else {
      // Nobody could read that when it was new.
      expected += UInt64(encoding.frameBytes)
      return
    }
    let entry = ledger.entries[place]
    guard entry.encoding == encoding, entry.content == content else {
      throw Violation(
        kind: "heard wrong", text: "\(encoding) \(content) where \(expected) was next", at: now)
    }
    expected = entry.end
  }
}
