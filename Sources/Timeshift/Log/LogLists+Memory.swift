// The part of the window that is in memory.
extension LogLists {
  /// Bytes that the disk is still to get.
  var bytesUnwritten: UInt64 { edge.position - min(edge.position, diskEdge) }
  var memoryOldest: LogPoint { blocks.first?.start ?? edge }
  /// The oldest packet in memory that follows the disk's content; earlier ones are on the disk already.
  var memoryBegin: LogPoint {
    guard let joint, memoryOldest.position < joint.next.position else { return memoryOldest }
    return joint.next
  }

  /// Drops blocks that left the window. Blocks not yet on the disk stay a while longer.
  ///
  /// Blocks at or beyond `published` stay until the next time: readers may be looking at them.
  mutating func evict(_ configuration: LogConfiguration, published: UInt64) -> [Block] {
    var gone = 0
    while blocks.count - gone > configuration.blocksMax {
      let end = blocks[gone + 1].start.position
      if end > published { break }
      let isWritten = end <= diskEdge
      if !isWritten && blocks.count - gone <= configuration.blocksUnwrittenMax { break }
      gone += 1
    }
    if gone == 0 { return [] }
    let evicted = Array(blocks.prefix(gone))
    blocks.removeFirst(gone)
    return evicted
  }
}
