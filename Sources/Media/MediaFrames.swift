import Timeshift
import Wire

/// A part of a file of frames, from one packet to another, and the bytes that a decoder needs before it.
public struct MediaRegion: Hashable, Sendable {
  /// Made-up frames that carry the bit reservoir of the first packet; usually none or one.
  public var leadIn: [UInt8]
  public var range: Range<UInt64>
  public var length: MediaTime
}

extension MediaFile {
  /// Returns the packets that begin at `from` or later and before `to`; nil if there are none. Blocks.
  public func region(
    from: MediaTime, to: MediaTime?, in index: MediaIndex
  ) throws(StorageError) -> MediaRegion? {
    guard let first = try packet(at: from, in: index) else { return nil }
    var last = (offset: index.end, media: index.duration)
    if let to, let behind = try packet(at: to, in: index) {
      last = (behind.offset, behind.media)
    }
    guard last.offset > first.offset else { return nil }
    return MediaRegion(
      leadIn: first.leadIn, range: first.offset..<last.offset, length: last.media - first.media)
  }

  /// Finds the first packet that begins at `media` or later.
  private func packet(
    at media: MediaTime, in index: MediaIndex
  ) throws(StorageError) -> (offset: UInt64, media: MediaTime, leadIn: [UInt8])? {
    let mark = index.marks[index.markBefore(media)]
    var scanner = PacketScanner()
    var now = mark.media
    var preceding: [[UInt8]] = []
    var found: (offset: UInt64, media: MediaTime, leadIn: [UInt8])?
    try walk(from: mark.offset) { bytes, base, atEnd in
      var place = 0
      while let finding = scanner.next(in: bytes, from: place, atEnd: atEnd) {
        place = finding.range.upperBound
        guard case .packet(let packet) = finding else { continue }
        let frame = bytes.extracting(packet.range).withUnsafeBufferPointer { Array($0) }
        if now >= media {
          let leadIn = MPEGLeadIn.frames(for: frame.span, preceding: preceding) ?? []
          found = (base + UInt64(packet.range.lowerBound), now, leadIn)
          return nil
        }
        if preceding.count == MPEGLeadIn.precedingMax { preceding.removeFirst() }
        preceding.append(frame)
        now += MediaTime(samples: packet.samples, rate: packet.format.sampleRate)
      }
      return place
    }
    return found
  }
}
