import Synchronization
import Wire

/// The end of a log: its newest packets, in memory and on the disk.
struct LogTail {
  let lists: LogLists
  /// Where there is no disk, the memory's packets are all.
  let files: FileCalls?

  /// The newest packets, oldest first: at most `seconds` of them, none from before a hole or a gap. Blocks on the disk
  /// when the memory does not reach far enough.
  func packets(seconds: Double) -> [TailPacket] {
    let from = lists.edge.media - MediaTime(seconds: seconds)
    var packets = inMemory(from: from)
    if lists.memoryOldest.media > from, let files { packets = onDisk(from: from, files) + packets }
    var bytes = lists.edge.position - min(lists.edge.position, lists.gaps.last?.position ?? 0)
    return packets.reversed().prefix { packet in
      guard packet.bytes <= bytes else { return false }
      bytes -= UInt64(packet.bytes)
      return true
    }.reversed()
  }

  private func inMemory(from: MediaTime) -> [TailPacket] {
    var packets: [TailPacket] = []
    for block in lists.blocks {
      let rate = lists.sampleRate(at: block.start.position)
      for index in 0..<block.packets(upTo: lists.edge.position) {
        let entry = block.entries[index]
        guard entry.start >= from.stored else { continue }
        packets.append(TailPacket(entry, rate: rate))
      }
    }
    return packets
  }

  /// The part that is on the disk only.
  private func onDisk(from: MediaTime, _ files: FileCalls) -> [TailPacket] {
    var packets: [TailPacket] = []
    var end = lists.memoryOldest
    for segment in (lists.segments + (lists.active.map { [$0] } ?? [])).reversed()
    where segment.end.media > from {
      guard segment.end.position >= end.position,
        let index = try? segment.file.load(files), index.end.position >= end.position
      else { break }
      packets =
        index.tail(from: from, to: end.position, rate: segment.file.format.sampleRate) + packets
      if segment.start.position < end.position { end = segment.start }
    }
    return packets
  }

  /// The bytes of the newest packet; nil if they cannot be had. Blocks on the disk when the memory has none.
  func newestPacket() -> [UInt8]? {
    let edge = lists.edge.position
    if let block = lists.blocks.last(where: { $0.start.position < edge }) {
      let entry = block.entries[block.packets(upTo: edge) - 1]
      return Array(
        UnsafeRawBufferPointer(start: block.base + Int(entry.offset), count: Int(entry.bytes)))
    }
    guard let segment = lists.active ?? lists.segments.last, segment.end.position == edge,
      let files, let index = try? segment.file.load(files), index.end.position == edge,
      index.start.position < edge
    else { return nil }
    let start = index.bounds(at: edge - 1).start.position
    return try? index.audio?.read(Int(edge - start), at: index.offset(of: start))
  }
}

extension PacketLog {
  /// The newest packets, oldest first: at most `seconds` of them, none from before a hole or a gap.
  ///
  /// The stitcher recognises the log's end by them in what an upstream sends. Blocks on the disk when the memory does
  /// not reach far enough.
  public func tail(seconds: Double) -> [TailPacket] { end.packets(seconds: seconds) }

  /// The bytes of the newest packet; nil if they cannot be had. Blocks on the disk when the memory has none.
  public func newestPacket() -> [UInt8]? { end.newestPacket() }

  private var end: LogTail {
    LogTail(lists: lists.withLock { $0 }, files: disk?.loader.files)
  }
}

extension SegmentIndex {
  /// Reads the audio from `from` on and hashes its packets.
  fileprivate func tail(from: MediaTime, to stop: UInt64, rate: Int) -> [TailPacket] {
    guard let audio, end.media > from else { return [] }
    var tail: [TailPacket] = []
    var at = packet(atOrBefore: max(from, start.media).stored)
    while at.position < min(stop, end.position) {
      let after = bounds(at: at.position).end
      let next = after < end.position ? bounds(at: after).start : end
      let count = Int(after - at.position)
      guard let bytes = try? audio.read(count, at: offset(of: at.position)),
        bytes.count == count
      else { return [] }
      if at.media >= from {
        tail.append(
          TailPacket(
            hash: packetHash(bytes.span),
            samples: TailPacket.samples((next.media - at.media).stored, rate), bytes: count))
      }
      at = next
    }
    return tail
  }
}
