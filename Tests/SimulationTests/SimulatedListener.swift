import Glibc
import Reactor
import TestSupport
import Timeshift
import Wire

@testable import Server

/// A player on the other end of a socket, with an appetite, which compares what it gets with the ledger.
final class SimulatedListener {
  var listener: Listener
  let shard: MountShard
  let burst: Double
  private let end: Int32
  private var bytes: [UInt8] = []
  /// Where the next frame it gets should stand.
  private(set) var expected: UInt64
  private var runStart: UInt64

  /// Where it went, and how many bytes came before.
  private struct Jump {
    var after: UInt64
    var target: UInt64
    /// By remote control: back as well.
    var isSteered: Bool
  }

  private var jumps: [Jump] = []
  private var taken: UInt64 = 0
  /// Of an Ogg stream.
  private var ear = SimulatedEar()
  /// What it gets while it is paused.
  private var silences: Set<[UInt8]> = []
  /// When its last byte came, or when it could not take any, or had all there is.
  private(set) var heardAt: Double
  /// The same, or when nothing was owed.
  var contentAt: Double
  private(set) var heard = 0
  /// It reads nothing until then.
  var sleepsUntil = 0.0
  private(set) var lastOutcome = ""
  var isWaiting: Bool { lastOutcome == "waiting" }
  var isPaused: Bool { listener.flags.contains(.paused) }

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
    self.shard = shard
    self.burst = burst
    let length = MediaTime(seconds: burst)
    listener = Listener(
      fd: ends[0], slot: slot, cursor: start.position, icy: ICYInterleaver(metaint: 0),
      codec: codec,
      pace: isLive
        ? .live(from: start.media, burst: length, now: now)
        : .placed(at: start.media, burst: length, now: now), takenAt: now)
    expected = start.position
    runStart = listener.runStart
    (heardAt, contentAt) = (seconds, seconds)
  }

  func satisfy(at now: Double) { (heardAt, contentAt) = (now, now) }

  deinit {
    close(end)
    close(listener.fd)
  }

  /// As a loop lets a listener in.
  func begin(_ fanout: Fanout, chainsTitles: Bool) {
    listener.link = shard.reader.formatPosition(at: listener.cursor)
    guard listener.codec.isOgg else { return }
    if chainsTitles { listener.flags.insert(.chainsTitles) }
    fanout.startLink(&listener, in: shard)
  }

  /// A turn, as the loop gives it. False: it has ended.
  func serve(_ fanout: Fanout, now: Int64) -> Bool {
    listener.flags.remove(.blocked)
    for _ in 0..<16 {
      let outcome = fanout.serve(&listener, in: shard, now: now)
      lastOutcome = "\(outcome)"
      noteJump(fanout, isSteered: false)
      switch outcome {
      case .ended, .out: return false
      case .servedInPart: continue
      case .idle, .waiting, .served, .blocked: return true
      }
    }
    return true
  }

  private func noteJump(_ fanout: Fanout, isSteered: Bool) {
    guard listener.runStart != runStart else { return }
    runStart = listener.runStart
    let unsent = fanout.restBytes(of: listener)
    jumps.append(
      Jump(after: listener.bytes + UInt64(unsent), target: runStart, isSteered: isSteered))
  }

  // MARK: Remote control

  /// False: it has to be asked again.
  func steer(_ steering: Steering, _ fanout: Fanout, now: Int64) -> Bool {
    switch steering {
    case .pause:
      fanout.pause(&listener, as: .silence, in: shard, now: now)
      let pause = fanout.sidecars[listener.slot]?.pointee.pause
      if let frame = pause?.silence?.frame { silences.insert(frame) }
      return true
    case .resume: return fanout.resume(&listener, in: shard, now: now)
    default:
      if fanout.isOverfull(listener) { return false }
      let before = listener.cursor
      let answer = fanout.steer(&listener, steering, in: shard, now: now)
      // Also where it goes back to the very place that its run began at.
      if listener.cursor != before, listener.runStart == runStart { runStart = .max }
      noteJump(fanout, isSteered: true)
      if case .done = answer { return true }
      return false
    }
  }

  // MARK: What comes

  /// Takes what has come, and looks at it.
  func take(_ ledger: Ledger, at now: Double) throws {
    var part = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(end, &part, part.count, Int32(MSG_DONTWAIT))
      if count <= 0 { break }
      bytes += part[..<count]
      satisfy(at: now)
    }
    var offset = 0
    do {
      while let count = try takeNext(bytes[offset...], ledger, at: now) {
        offset += count
        taken += UInt64(count)
      }
    } catch let complaint as SimulatedEar.Complaint {
      throw Violation(
        kind: "heard torn", text: "\(complaint) before \(expected) at byte \(taken)", at: now)
    }
    if bytes.count - offset >= 200 {
      throw Violation(
        kind: "heard torn",
        text: "no frame in \(Array(bytes[offset...].prefix(8))) after \(expected)",
        at: now)
    }
    bytes.removeFirst(offset)
  }

  /// How many bytes it is; nil: nothing whole is there.
  private func takeNext(
    _ rest: ArraySlice<UInt8>, _ ledger: Ledger, at now: Double
  ) throws -> Int? {
    // Of a pause before, too: it may have lain in the socket since.
    if let silence = silences.first(where: { rest.starts(with: $0) }) { return silence.count }
    if let (encoding, content) = Encoding.read(rest) {
      guard encoding.codec == listener.codec else {
        throw Violation(
          kind: "codec", text: "\(encoding) for a player of \(listener.codec) at \(expected)",
          at: now)
      }
      if encoding.isOgg { try ear.take(rest) }
      try find(encoding, content, ledger, at: now)
      heard += 1
      return encoding.frameBytes
    }
    return listener.codec.isOgg ? try ear.header(rest) : nil
  }

  private func find(_ encoding: Encoding, _ content: UInt64, _ ledger: Ledger, at now: Double)
    throws
  {
    while let jump = jumps.first, taken >= jump.after {
      jumps.removeFirst()
      if jump.target < expected, !jump.isSteered {
        throw Violation(
          kind: "heard twice", text: "back from \(expected) to \(jump.target)", at: now)
      }
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
    if encoding.isOgg, let index = entry.index,
      !ledger.programme.alike(index, encoding).contains(where: {
        ear.gain == SimulatedOgg.gain(ofLink: SimulatedOgg.link(of: $0))
      })
    {
      throw Violation(
        kind: "heard wrong", text: "page \(index) behind headers of another link", at: now)
    }
    expected = entry.end
  }

  // MARK: Going

  /// It has gone, having taken all that was sent: where its session stays.
  func place(_ fanout: Fanout, _ ledger: Ledger, at now: Double) throws -> UInt64? {
    guard jumps.isEmpty, !isPaused else { return nil }
    let accepted = fanout.accepted(listener, in: shard)
    guard heard > 0 else { return accepted }
    // What was cut off comes again as a whole; what has gone since is stepped over.
    let rest = fanout.restBytes(of: listener) > 0
    let isGone =
      accepted == shard.reader.oldest.position || goesOn(behind: expected) == accepted
    // While no index tells, it is a place in the next packet, which comes as a whole.
    let isBehind = accepted >= expected + UInt64(Encoding.mp3Twice.frameBytes)
    if isBehind && !isGone || (accepted + 400 < expected && !rest) {
      throw Violation(
        kind: "session",
        text: "goes on at \(accepted), and what it has taken ends at \(expected)", at: now)
    }
    return accepted
  }

  /// Where there is audio behind a position that has none.
  private func goesOn(behind position: UInt64) -> UInt64? {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { scratch in
      switch shard.reader.read(at: position, upTo: .max, limit: 256, scratch: scratch) {
      case .hole(let next), .overrun(let next): next.position
      case .bytes, .liveEdge, .loading: nil
      }
    }
  }
}

/// Somebody who comes again.
struct AbsentListener {
  /// Where in the log.
  var position: UInt64
  /// When that was on air.
  var air: WallTime
  /// The serial of that log.
  var log: UInt64
  var comesAt: Double
  var codec: Codec
}
