import CLinux

/// The index's entries for some packets of a block: spans, and each mark before its packet's span.
///
/// The plan may end before the packets do: an upstream decides how much its titles are, and an index is read whole.
struct SpanPlan {
  private(set) var bytes: [UInt8] = []
  /// The marks that are in `bytes`.
  private(set) var marks: [SegmentRecord] = []
  private(set) var spans = 0
  private(set) var end: LogPoint
  /// The index just past the last packet of the block that the plan covers.
  private(set) var packetsEnd: Int

  /// The most titles in one span, half a second; the last ones are kept. No reader shows more.
  static let titlesMax = 16
  /// No further span begins after this many bytes.
  static let bytesMax = 512 * 1024

  init(
    _ range: Range<Int>, of block: Block, marks: [SegmentRecord], air: AirTimes,
    spanMax: MediaTime, seed: UInt32, less shift: MediaTime
  ) {
    precondition(!range.isEmpty, "a span has packets")
    end = block.start
    packetsEnd = range.lowerBound
    var waiting = marks[...]
    while packetsEnd < range.upperBound && bytes.count < Self.bytesMax {
      let next = packetsEnd
      let stop = Self.stop(next..<range.upperBound, block, spanMax)
      let record = Self.record(next..<stop, block, air)
      let own = waiting.prefix { ($0.markPosition ?? 0) < record.end.position }
      waiting = waiting.dropFirst(own.count)
      for mark in Self.kept(own) {
        bytes += mark.encode(seed: seed, less: shift)
        self.marks.append(mark)
      }
      bytes += SegmentRecord.span(record).encode(seed: seed, less: shift)
      spans += 1
      end = record.end
      packetsEnd = stop
    }
    precondition(
      packetsEnd < range.upperBound || waiting.isEmpty,
      "every mark belongs to a packet of its batch")
  }

  private static func kept(_ marks: ArraySlice<SegmentRecord>) -> [SegmentRecord] {
    var surplus = marks.count { $0.isTitle } - titlesMax
    return marks.filter { mark in
      guard surplus > 0, mark.isTitle else { return true }
      surplus -= 1
      return false
    }
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
