/// One block as a reader sees it, up to the reader's edge.
struct BlockView {
  var start: UInt64
  var end: UInt64
  var startMedia: Int64
  var endMedia: Int64
  var base: UnsafeRawPointer
  var entries: UnsafePointer<PacketEntry>
  var count: Int
}

// Hot: looked into once per listener and turn.

/// A reader's blocks in raw memory. The reader's lists hold the blocks themselves.
final class BlockTable {
  private var views: UnsafeMutablePointer<BlockView>
  private var capacity = 16
  // Private, so that the compiler sees every access and checks nothing at run time.
  private var viewCount = 0
  var count: Int { viewCount }

  init() { views = .allocate(capacity: capacity) }

  deinit { views.deallocate() }

  /// Makes views of the packets that end at or before `edge`. Nil: `edge` is older than all blocks.
  func fill(from blocks: [Block], upTo edge: UInt64) -> LogPoint? {
    if blocks.count > capacity {
      views.deallocate()
      capacity = blocks.count * 2
      views = .allocate(capacity: capacity)
    }
    viewCount = 0
    for block in blocks where block.start.position < edge { append(block, edge) }
    return end
  }

  /// Extends the views of the same blocks to a later edge.
  func extend(from blocks: [Block], upTo edge: UInt64) -> LogPoint? {
    if count > 0 {
      viewCount -= 1
    }
    while count < blocks.count && blocks[count].start.position < edge {
      append(blocks[count], edge)
    }
    return end
  }

  private var end: LogPoint? {
    guard count > 0 else { return nil }
    let last = views[count - 1]
    return LogPoint(position: last.end, media: MediaTime(stored: last.endMedia))
  }

  private func append(_ block: Block, _ edge: UInt64) {
    let packets = block.packets(upTo: edge)
    precondition(packets > 0, "a block is published before the edge moves into it")
    let last = block.entries[packets - 1]
    views[count] = BlockView(
      start: block.start.position,
      end: block.start.position + UInt64(last.offset + last.bytes),
      startMedia: block.start.media.stored, endMedia: last.end,
      base: UnsafeRawPointer(block.base), entries: UnsafePointer(block.entries), count: packets)
    viewCount += 1
  }

  /// The block that holds the byte at `position`; nil outside of memory.
  func view(holding position: UInt64) -> BlockView? {
    var index = count - 1
    while index >= 0 {
      let view = views[index]
      if view.start <= position { return position < view.end ? view : nil }
      index -= 1
    }
    return nil
  }

  /// The block in which `media` sounds; nil outside of memory.
  func view(at media: Int64) -> BlockView? {
    var index = count - 1
    while index >= 0 {
      let view = views[index]
      if view.startMedia <= media { return media < view.endMedia ? view : nil }
      index -= 1
    }
    return nil
  }

  subscript(index: Int) -> BlockView { views[index] }

  /// The first packet boundary in memory at or after `media`.
  func boundary(atOrAfter media: Int64) -> LogPoint? {
    for index in 0..<count where media <= views[index].endMedia {
      let view = views[index]
      guard media > view.startMedia else { return view.point(0) }
      let packet = view.packet(at: media - 1)
      return view.point(packet + 1)
    }
    return nil
  }
}

extension BlockView {
  /// The boundary in front of packet `index`; the view's end for an index behind the last packet.
  func point(_ index: Int) -> LogPoint {
    if index >= count { return LogPoint(position: end, media: MediaTime(stored: endMedia)) }
    let entry = entries[index]
    return LogPoint(
      position: start + UInt64(entry.offset), media: MediaTime(stored: entry.start))
  }

  /// The packet that holds the byte at `position`, which is inside of the view.
  func packet(holding position: UInt64) -> Int {
    let offset = UInt32(position - start)
    return lastPacket { $0.offset <= offset }
  }

  /// The packet sounding at `media`, which is inside of the view.
  func packet(at media: Int64) -> Int { lastPacket { $0.start <= media } }

  private func lastPacket(_ isAtOrBefore: (PacketEntry) -> Bool) -> Int {
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if isAtOrBefore(entries[middle]) { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
