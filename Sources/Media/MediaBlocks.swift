import Timeshift
import Wire

/// Reads a file of frames in blocks of whole packets, the last block first, so that it can be played backwards.
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

  /// Reads the next block; nil at the end, or where the file is another one by now. Blocks.
  public mutating func next() throws(StorageError) -> PacketRun? {
    while end > from {
      let start = max(from, end - ReverseBlocks.length)
      let run = try read(from: start, to: end)
      if run.packets.count > run.leadIn {
        end = start
        return run
      }
      // In a block that is shorter than a packet none may begin; a longer one without any has lost them.
      end = end - start < ReverseBlocks.leadIn ? start : from
    }
    return nil
  }

  /// Reads the packets that begin in [`start`, `end`), and those of the lead-in.
  private func read(
    from start: MediaTime, to end: MediaTime
  ) throws(StorageError) -> PacketRun {
    let lead = start - ReverseBlocks.leadIn
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
