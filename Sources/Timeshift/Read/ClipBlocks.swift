import Wire

/// Reads a clip in blocks of whole packets, the last block first, so that it can be played backwards.
///
/// It belongs to one thread at a time and never blocks. Of the clip it holds one block.
package final class ClipBlocks {
  package enum Answer {
    case block(PacketRun)
    /// Something is being fetched from the disk: ask again.
    case loading
    /// The clip has been read, or what is in front has left the window.
    case over
  }

  /// Whether a part of the clip has left the window before it was read.
  package private(set) var isCutShort = false
  private let clip: Clip
  private let leadIn: MediaTime
  private let tap: Tap
  /// Where the next block ends.
  private var end: LogPoint
  /// The block that is being read.
  private var block: (start: LogPoint, run: PacketRun)?

  package init(_ log: PacketLog, _ clip: Clip, delay: MediaTime) {
    self.clip = clip
    leadIn = ReverseBlocks.leadIn(of: clip.format.codec)
    end = clip.end
    tap = Tap(log, from: .point(clip.start), delay: delay)
  }

  /// The next block, or why there is none at present.
  package func read() -> Answer {
    if block == nil {
      if end.position <= clip.start.position { return .over }
      guard begin() else { return .loading }
    }
    while let (start, _) = block {
      switch tap.read() {
      case .item(.packet(let packet)): add(packet)
      case .item(.missed(let loss)) where loss.next.position > start.position: return lose()
      case .item: continue
      case .loading, .liveEdge, .suspended: return .loading
      case .over: return finish()
      }
    }
    return .over
  }

  /// Finds the block in front of `end`; false while loading.
  private func begin() -> Bool {
    tap.refresh()
    let reader = tap.reader
    guard
      var start = reader.point(atOrBefore: max(clip.start.media, end.media - ReverseBlocks.length))
    else { return false }
    // A packet may be longer than a block.
    if start.position >= end.position || start.position < clip.start.position { start = clip.start }
    guard var lead = reader.point(atOrBefore: start.media - leadIn) else {
      return false
    }
    let format = reader.formatPosition(at: start.position)
    let isOther = format != .max && lead.position < format
    if isOther || lead.position > start.position { lead = start }
    tap.go(to: lead)
    tap.end(at: end)
    block = (start, PacketRun(headers: clip.head))
    return true
  }

  private func add(_ packet: TapPacket) {
    guard let start = block?.start.position else { return }
    block?.run.append(
      packet.bytes, length: packet.length, isLeadIn: packet.start.position < start)
  }

  private func finish() -> Answer {
    guard let (start, run) = block, run.packets.count > run.leadIn else { return lose() }
    (end, block) = (start, nil)
    return .block(run)
  }

  private func lose() -> Answer {
    isCutShort = true
    (end, block) = (clip.start, nil)
    return .over
  }
}
