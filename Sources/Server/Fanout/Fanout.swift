// Hot: runs once per listener and turn. The code here does not allocate, lock, retain or look at a clock. What does (a
// cut packet's rest, a title's first block, a jump) happens to one listener in hundreds and is in files of its own.

import Glibc
import Reactor
import Timeshift
import Wire

/// Feeds listeners from the log: one gather write per listener and turn. One per loop.
final class Fanout {
  /// Outcome of a listener's turn.
  enum Outcome {
    /// Nothing was owed.
    case idle
    /// What is owed is being fetched, or the listener has just been moved; serve it in the next walk.
    case waiting
    case served
    /// Served, but the listener is owed more than one turn gives.
    case servedInPart
    /// The socket is full: wait until it is writable.
    case blocked
    case ended(EndReason)
    /// The listener was to be ended, and all of its rest is out.
    case out
  }

  // Both change in every turn: raw memory is not checked for exclusive access.
  private let gatherMemory = UnsafeMutablePointer<Gather>.allocate(capacity: 1)
  private let figuresMemory = UnsafeMutablePointer<FanoutFigures>.allocate(capacity: 1)

  var gather: Gather {
    _read { yield gatherMemory.pointee }
    _modify { yield &gatherMemory.pointee }
  }
  var figures: FanoutFigures {
    _read { yield figuresMemory.pointee }
    _modify { yield &figuresMemory.pointee }
  }
  /// What only some listeners have.
  let sidecars = SlotRecords<Sidecar>()
  let lines = SlotRecords<LineState>()
  /// Connection slots of listeners that were overrun in the last second.
  var overrun: Set<UInt32> = []
  let records = RecordScratch()
  /// Grows with every stream that needs a serial number of its own.
  var serialCount = UInt32.random(in: 0 ... .max)

  init() {
    gatherMemory.initialize(to: Gather())
    figuresMemory.initialize(to: FanoutFigures())
  }

  deinit {
    gatherMemory.deinitialize(count: 1).deallocate()
    figuresMemory.deallocate()
  }

  /// Gives a listener what it is owed at `now`. A turn covers whole packets only.
  func serve(_ listener: inout Listener, in shard: MountShard, now: Int64) -> Outcome {
    if !listener.flags.isDisjoint(with: [.blocked, .replaced]) { return .idle }
    if listener.flags.contains(.paused) {
      addSilence(to: &listener, in: shard, now: now)
    } else {
      if isAtLink(listener, in: shard), let outcome = enterLink(&listener, in: shard) {
        return outcome
      }
      // Only a listener that heard audio before the gap must cross it.
      if shard.reader.gapPosition(after: listener.cursor &- 1) == listener.cursor,
        listener.bytes > 0, let outcome = enterGap(&listener, in: shard)
      {
        return outcome
      }
    }
    let owed = owed(&listener, in: shard, now: now)
    if owed.end == listener.cursor, !listener.flags.contains(.hasRest) {
      return owed.isAll ? .idle : .waiting
    }
    return withRest(of: listener.slot, if: listener.flags.contains(.hasRest)) { rest in
      gather.removeAll()
      if let rest { gather.add(.rest, rest) }
      var reached = Reached(listener)
      let stop =
        listener.codec.isOgg
        ? collectPages(&reached, to: owed.end, of: listener.slot, in: shard)
        : collect(&reached, to: owed.end, in: shard)
      switch stop {
      case .loading, .hole: backToBoundary(&reached, of: listener, in: shard)
      case .complete, .overrun: break
      }
      if gather.count == 0 { return overcome(stop, &listener, in: shard, now: now) }
      let outcome = send(&listener, reached, in: shard, now: now)
      if case .served = outcome, !owed.isAll || reached.cursor < owed.end { return .servedInPart }
      return outcome
    }
  }

  /// Whether another stream begins here, or another title for a listener that is told titles by headers.
  private func isAtLink(_ listener: Listener, in shard: MountShard) -> Bool {
    if shard.reader.formatPosition(at: listener.cursor) != listener.link { return true }
    return listener.codec.isOgg && isAtOggLink(listener, in: shard)
  }

  // Apart, so that it costs listeners of other codecs nothing.
  @inline(never)
  private func isAtOggLink(_ listener: Listener, in shard: MountShard) -> Bool {
    // The next page says what its link leaves out, so it is waited for.
    if sidecars[listener.slot]?.pointee.relink?.end == listener.cursor,
      listener.cursor < shard.reader.edge.position
    {
      return true
    }
    return listener.flags.contains(.chainsTitles)
      && shard.reader.titlePosition(at: listener.cursor) != listener.titleSent
  }

  /// How far the parts of a turn go: the listener's state when all of them are taken.
  struct Reached {
    var cursor: UInt64
    var icy: ICYInterleaver
    var titleSent: UInt64

    init(_ listener: Listener) {
      cursor = listener.cursor
      icy = listener.icy
      titleSent = listener.titleSent
    }

    /// Counts `count` bytes of a part as taken; a block counts when its last byte is taken.
    mutating func advance(_ kind: Gather.Kind, _ count: Int, mark: UInt64) {
      switch kind {
      case .rest: break
      case .audio:
        cursor += UInt64(count)
        icy.sent(audio: count)
      case .block:
        titleSent = mark
        icy.sentBlock()
      }
    }
  }

  /// Audio that a turn may give.
  private struct Owed {
    /// Where the turn ends at most: a packet boundary, or the listener's cursor.
    var end: UInt64
    /// Whether nothing is owed behind `end`, and nothing that would tell is being fetched.
    var isAll = true
  }

  private func owed(_ listener: inout Listener, in shard: MountShard, now: Int64) -> Owed {
    let reader = shard.reader
    let nothing = Owed(end: listener.cursor)
    let unknown = Owed(end: listener.cursor, isAll: false)
    var end = reader.edge.position
    var isKnown = true
    if !listener.flags.isDisjoint(with: [.ending, .paused]) { return nothing }
    if listener.pace.isPlaced {
      listener.pace.advance(to: now, rate: shard.rate)
      if listener.pace.owed < reader.edge.media {
        if let point = reader.spanPoint(atOrBefore: listener.pace.owed) {
          end = point.position
        } else {
          // Everything before the segment that is being fetched is owed.
          end = reader.segmentStart(atOrBefore: listener.pace.owed) ?? listener.cursor
          isKnown = false
        }
      }
    }
    if end <= listener.cursor { return isKnown ? nothing : unknown }
    let wanted = end
    if end - listener.cursor > UInt64(Gather.turnBytes) {
      let limit = listener.cursor + UInt64(Gather.turnBytes)
      guard let whole = reader.packetEnd(after: limit) ?? reader.segmentStart(atOrBefore: limit),
        whole > listener.cursor
      else { return unknown }
      end = min(end, whole)
    }
    if listener.flags.contains(.chainsTitles) {
      end = min(end, reader.nextTitlePosition(after: listener.cursor))
    }
    // A turn ends at a mark behind which the decoder needs care.
    end = min(
      end, reader.nextFormatPosition(after: listener.cursor),
      reader.gapPosition(after: listener.cursor))
    return Owed(end: end, isAll: isKnown && end == wanted)
  }

  /// Why collecting stopped before the end.
  enum Stop {
    case complete
    case loading
    case hole(LogPoint)
    case overrun(LogPoint)
  }

  func collect(_ reached: inout Reached, to end: UInt64, in shard: MountShard) -> Stop {
    let reader = shard.reader
    while reached.cursor < end, !gather.isFull {
      if reached.icy.untilBlock == 0 {
        addBlock(&reached, in: shard)
        continue
      }
      let answer = reader.read(
        at: reached.cursor, upTo: end, limit: reached.icy.untilBlock, scratch: gather.freeScratch)
      switch answer {
      case .bytes(let audio) where audio.isEmpty: return .loading
      case .bytes(let audio):
        gather.add(.audio, audio)
        reached.cursor += UInt64(audio.count)
        reached.icy.sent(audio: audio.count)
      case .liveEdge: return .complete
      case .loading: return .loading
      case .hole(let next): return .hole(next)
      case .overrun(let oldest): return .overrun(oldest)
      }
    }
    return .complete
  }

  func addBlock(_ reached: inout Reached, in shard: MountShard) {
    let mark = shard.reader.titlePosition(at: reached.cursor)
    if mark == reached.titleSent {
      gather.add(.block, shard.blocks.unchanged.bytes, mark: mark)
    } else {
      gather.add(.block, shard.blocks.block(mark: mark, in: shard.reader), mark: mark)
      reached.titleSent = mark
    }
    reached.icy.sentBlock()
  }

  private func send(
    _ listener: inout Listener, _ reached: Reached, in shard: MountShard, now: Int64
  ) -> Outcome {
    figures.writes += 1
    if listener.flags.contains(.encrypted) {
      return sendEncrypted(&listener, reached, in: shard, now: now)
    }
    let written = Socket.send(listener.fd, gather.vectors, count: gather.count)
    return account(written, &listener, reached, in: shard, now: now)
  }

  /// Returns the outcome of a turn, and moves the listener by what its socket took.
  @inline(__always)
  func account(
    _ written: Transferred, _ listener: inout Listener, _ reached: Reached, in shard: MountShard,
    now: Int64
  ) -> Outcome {
    switch written {
    case .ended: return .ended(.clientGone)
    case .wouldBlock:
      listener.flags.insert(.blocked)
      figures.wouldBlocks += 1
      return .blocked
    case .bytes(let sent):
      listener.takenAt = now
      listener.bytes += UInt64(sent)
      figures.bytes += UInt64(sent)
      if sent < gather.bytes {
        keepRest(of: &listener, sent: sent, in: shard)
        listener.flags.insert(.blocked)
        figures.wouldBlocks += 1
        return .blocked
      }
      if listener.flags.contains(.hasRest) { setRest([], of: &listener) }
      listener.cursor = reached.cursor
      listener.icy = reached.icy
      listener.titleSent = reached.titleSent
      return settle(&listener, in: shard)
    }
  }

  private func settle(_ listener: inout Listener, in shard: MountShard) -> Outcome {
    let reader = shard.reader
    if listener.flags.contains(.ending) { return .out }
    if listener.pace.isPlaced, listener.cursor == reader.edge.position,
      !listener.flags.contains(.paused)
    {
      listener.pace.becomeLive()
    }
    return .served
  }
}

/// Figures of a loop's fan-out; other threads read the plain numbers by a hop.
struct FanoutFigures {
  var bytes: UInt64 = 0
  var writes: UInt64 = 0
  var wouldBlocks: UInt64 = 0
  var skips: UInt64 = 0
  var overruns: UInt64 = 0
}
