import CLinux

/// What the index gets for some packets of a block: spans, and each mark before the span of its packet.
struct SpanPlan {
  private(set) var bytes: [UInt8] = []
  private(set) var spans = 0
  private(set) var end: LogPoint

  init(
    _ range: Range<Int>, of block: Block, marks: [SegmentRecord], air: AirTimes,
    spanMax: MediaTime, seed: UInt32
  ) {
    precondition(!range.isEmpty, "a span has packets")
    end = block.start
    var marks = marks[...]
    var next = range.lowerBound
    while next < range.upperBound {
      let stop = Self.stop(next..<range.upperBound, block, spanMax)
      let record = Self.record(next..<stop, block, air)
      while let mark = marks.first, (mark.markPosition ?? 0) < record.end.position {
        bytes += mark.encode(seed: seed)
        marks.removeFirst()
      }
      bytes += SegmentRecord.span(record).encode(seed: seed)
      spans += 1
      end = record.end
      next = stop
    }
    precondition(marks.isEmpty, "every mark belongs to a packet of its batch")
  }

  private static func stop(_ range: Range<Int>, _ block: Block, _ spanMax: MediaTime) -> Int {
    let limit = block.entries[range.lowerBound].start + spanMax.stored
    var stop = range.lowerBound + 1
    while stop < range.upperBound && stop - range.lowerBound < SpanRecord.packetsMax
      && block.entries[stop].end <= limit
    {
      stop += 1
    }
    return stop
  }

  private static func record(_ range: Range<Int>, _ block: Block, _ air: AirTimes) -> SpanRecord {
    let first = block.entries[range.lowerBound]
    let last = block.entries[range.upperBound - 1]
    let media = MediaTime(stored: first.start)
    return SpanRecord(
      start: LogPoint(position: block.start.position + UInt64(first.offset), media: media),
      air: air.wall(at: media),
      crc: linux_crc32c(
        0, block.base + Int(first.offset), Int(last.offset + last.bytes - first.offset)),
      packets: range.map {
        SpanRecord.Packet(bytes: block.entries[$0].bytes, duration: block.entries[$0].duration)
      })
  }
}
