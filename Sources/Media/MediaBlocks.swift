import Timeshift
import Wire

/// Reads a file in blocks of whole packets, the last block first, so that it can be played backwards. A block of an Ogg
/// file is of one link.
public struct MediaBlocks: Sendable {
  private let file: MediaFile
  private let index: MediaIndex
  private let from: MediaTime
  /// Where the next block ends.
  private var end: MediaTime

  /// - Parameters:
  ///   - from: packets that begin earlier are left out.
  ///   - to: packets that begin here or later are left out; nil: none.
  public init(_ file: MediaFile, _ index: MediaIndex, from: MediaTime = .zero, to: MediaTime? = nil)
  {
    (self.file, self.index, self.from) = (file, index, from)
    end = min(to ?? index.duration, index.duration)
  }

  /// Whether all blocks have been read.
  public var isOver: Bool { end <= from }

  /// Longest block: no packet is as long, so a longer stretch without any has lost them.
  private static let lengthMax = MediaTime(seconds: 8)

  /// Reads the next block; nil at the end, or where the packets are gone. Blocks.
  public mutating func next() throws(StorageError) -> PacketRun? {
    var length = ReverseBlocks.length
    while end > from {
      let start = max(from, end - length)
      let (run, begin) =
        try index.format.codec.isOgg
        ? readPages(from: start, to: end) : (readFrames(from: start, to: end), start)
      // Each block ends where the one before began, whatever the pages say.
      if run.packets.count > run.leadIn, begin < end {
        end = begin
        return run
      }
      // A packet may be longer than a block. A longer stretch without any has lost them, and the part is not over.
      if start == from {
        end = from
      } else if length < Self.lengthMax {
        length += length
      } else {
        return nil
      }
    }
    return nil
  }

  private var leadIn: MediaTime { ReverseBlocks.leadIn(of: index.format.codec) }

  /// Reads the packets that begin in [`start`, `end`) and those of the lead-in, as far as they are of the last link in
  /// it.
  ///
  /// - Returns: where the packets begin, too.
  private func readPages(
    from start: MediaTime, to end: MediaTime
  ) throws(StorageError) -> (run: PacketRun, begin: MediaTime) {
    let lead = start - leadIn
    // Behind the last packet that is heard, one may prepare nothing but is of the file; a link there is not.
    let (linksEnd, end) = (end, end < index.duration ? end : .max)
    var (run, begin) = (PacketRun(), start)
    var packets = try MediaPackets(file, index, from: max(.zero, lead))
    try packets.read { page, made in
      for packet in page {
        if packet.start >= end { return .over }
        if let headers = packet.headers {
          if packet.start >= linksEnd { return .over }
          run = PacketRun(headers: headers.pages(serial: 0))
          begin = max(start, packet.start)
        }
        if packet.start < lead { continue }
        var bytes = Array(made[packet.made.range])
        var span = bytes.mutableSpan
        // A decoder believes no page without its checksum.
        OggPage.stamp(&span, serial: 0, sequence: 0, granule: 0)
        bytes.withUnsafeBytes {
          run.append(
            $0, length: packet.length, cut: packet.cut, isLeadIn: packet.start < start)
        }
      }
      return .more
    }
    return (run, begin)
  }

  /// Reads the packets that begin in [`start`, `end`), and those of the lead-in.
  private func readFrames(
    from start: MediaTime, to end: MediaTime
  ) throws(StorageError) -> PacketRun {
    let lead = start - leadIn
    let mark = index.marks[index.markBefore(start)]
    var scanner = PacketScanner()
    var now = mark.media
    var run = PacketRun()
    try file.walk(from: mark.offset) { bytes, base, atEnd in
      if base >= index.end { return nil }
      var place = 0
      while let found = scanner.next(in: bytes, from: place, atEnd: atEnd) {
        place = found.range.upperBound
        guard case .packet(let packet) = found else { continue }
        if now >= end { return nil }
        let length = MediaTime(samples: packet.samples, rate: packet.format.sampleRate)
        if now >= lead {
          bytes.extracting(packet.range).bytes.withUnsafeBytes {
            run.append($0, length: length, isLeadIn: now < start)
          }
        }
        now += length
      }
      return place
    }
    return run
  }
}
