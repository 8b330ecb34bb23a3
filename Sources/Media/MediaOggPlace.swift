import Timeshift
import Wire

/// A page of an Ogg file at which reading may begin: behind the headers, what lies before it is left out.
public struct MediaOggPlace: Hashable, Sendable {
  /// The headers' bytes, from the file's beginning on.
  public var headers: Range<UInt64>
  /// The position of the page.
  public var page: UInt64
  /// Samples that are heard before the first whole packet from there on.
  public var samples: UInt64
}

extension MediaFile {
  /// Pages are looked for in so many bytes; closer than that, reading on costs less than looking.
  private static let nearBytes = 2 * UInt64(OggPage.bytesMax)
  /// How many times as many bytes a second as in its first packets a file may have.
  private static let shareMax = 1.8
  /// How far a page's share of the file's bytes may be from its share of the time.
  private static let skewMax = 0.1

  /// Finds a page near a sample of what is heard, and before it: granules only rise, so the file is halved again and again.
  ///
  /// - Returns: nil where the file is best read from its beginning, as a chain of streams is. Blocks.
  public func oggPlace(before sample: UInt64) throws(StorageError) -> MediaOggPlace? {
    guard let layout = try layout(), layout.container == .ogg, let audio = layout.pieces.first,
      let first = try firstPage(), let last = try lastPage(audio), last.serial == first.serial
    else { return nil }
    // A file with a second stream of the same number is longer than its last page says.
    let seconds = Double(last.granule) / Double(max(1, layout.facts?.format.sampleRate ?? 1))
    guard let rate = layout.facts?.bytesPerSecond,
      Double(audio.count) < Self.shareMax * rate * seconds
    else { return nil }
    let silent = first.begin.saturatingAdd(UInt64(first.preSkip))
    let wanted = silent.saturatingAdd(sample)
    guard last.granule > wanted else { return nil }
    var (low, high) = (audio.lowerBound, audio.upperBound)
    while high - low > Self.nearBytes {
      let middle = low + (high - low) / 2
      guard let found = try page(from: middle) else {
        high = middle
        continue
      }
      if found.page.serial != first.serial { return nil }
      // Granules that begin anew in the middle are those of a second stream of the same number.
      let share = Double(found.offset - audio.lowerBound) / Double(max(1, audio.count))
      let time = Double(found.page.granule) / Double(max(1, last.granule))
      if abs(share - time) > Self.skewMax { return nil }
      if found.page.granule < wanted, found.offset < high {
        low = found.offset
      } else {
        high = middle
      }
    }
    guard low > audio.lowerBound else { return nil }
    let headers = 0..<audio.lowerBound
    guard let end = try endOfPage(at: low, behind: headers) else { return nil }
    let begin = end.granule.saturatingSubtract(silent).saturatingSubtract(UInt64(end.heard))
    return begin <= sample ? MediaOggPlace(headers: headers, page: low, samples: begin) : nil
  }

  /// The first page from a place on in which a packet ends.
  private func page(from start: UInt64) throws(StorageError) -> (page: OggPage, offset: UInt64)? {
    let bytes = try piece(at: start, count: Int(Self.nearBytes))
    var found: (OggPage, UInt64)?
    Self.pages(in: bytes) { page, place in
      if page.granule != .max { found = (page, start + UInt64(place)) }
      return found == nil
    }
    return found
  }

  /// The granule of the first page from a place on that ends a whole packet, and what is heard of its packets.
  private func endOfPage(
    at start: UInt64, behind headers: Range<UInt64>
  ) throws(StorageError) -> (granule: UInt64, heard: Int)? {
    var (demuxer, made) = (OggDemuxer(), [UInt8]())
    try walk(from: 0) { bytes, base, atEnd in
      var place = 0
      while base + UInt64(place) < headers.upperBound,
        let found = demuxer.next(in: bytes, from: place, atEnd: atEnd, into: &made)
      {
        place = found.end
        if case .headers? = found.items.last { return nil }
      }
      return base + UInt64(place) < headers.upperBound ? place : nil
    }
    var end: (UInt64, Int)?
    try walk(from: start) { bytes, base, atEnd in
      var place = 0
      while let found = demuxer.next(in: bytes, from: place, atEnd: atEnd, into: &made) {
        place = found.end
        made.removeAll(keepingCapacity: true)
        var heard = 0
        for item in found.items { if case .packet(let packet) = item { heard += packet.heard } }
        if heard > 0, let page = demuxer.page {
          end = (page.granule, heard)
          return nil
        }
      }
      return base - start < Self.nearBytes ? place : nil
    }
    return end.map { (granule: $0.0, heard: $0.1) }
  }
}
