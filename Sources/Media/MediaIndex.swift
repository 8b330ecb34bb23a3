import Timeshift
import Wire

/// Maps a file's positions to media time and back; made in one pass over its packets.
///
/// Tags, tables about the file and garbage are no packets and have no length. Neither have samples that an Ogg file
/// declares not to be heard.
public struct MediaIndex: Hashable, Sendable {
  /// The position of a packet (in Ogg: of a page), and the media time at which it begins.
  struct Mark: Hashable, Sendable {
    var offset: UInt64
    var media: MediaTime
  }

  /// The format of the first packet.
  public let format: AudioFormat
  /// Ascending marks, at most one a second: 16 bytes each, 2 MB for 36 hours.
  let marks: [Mark]
  /// The positions of an Ogg chain's links, ascending; empty for other files.
  let links: [UInt64]
  /// The end of the last packet.
  public let end: UInt64
  public let duration: MediaTime

  static let markInterval = MediaTime(seconds: 1)
  /// The most marks: 3 MB, for 54 hours. The index of a longer file drops every other mark, as often as needed.
  static let marksMax = 196_608
  /// The most links, 512 KB. A chain of more links is no programme.
  static let linksMax = 65_536
  /// A search for packets ends after this many bytes without one.
  static let garbageMax = 16 << 20

  /// The index's size in memory, in bytes.
  public var bytes: Int {
    MemoryLayout<Self>.size + marks.capacity * MemoryLayout<Mark>.stride
      + links.capacity * MemoryLayout<UInt64>.stride
  }

  /// The media time played once all bytes before `offset` are played; proportional between two marks.
  public func media(at offset: UInt64) -> MediaTime {
    if offset >= end { return duration }
    guard let index = lastMark(where: { $0.offset <= offset }) else { return .zero }
    let (from, to) = (marks[index], after(index))
    let share = Double(offset - from.offset) / Double(max(1, to.offset - from.offset))
    return from.media + (to.media - from.media).scaled(by: share)
  }

  /// The position reached once `media` is played; proportional between two marks.
  public func offset(at media: MediaTime) -> UInt64 {
    if media >= duration { return .max }
    guard let index = lastMark(where: { $0.media <= media }) else { return marks[0].offset }
    let (from, to) = (marks[index], after(index))
    let length = max((to.media - from.media).seconds, .leastNormalMagnitude)
    let share = (media - from.media).seconds / length
    let bytes = to.offset.saturatingSubtract(from.offset)
    return from.offset.saturatingAdd(UInt64(bounded: share * Double(bytes), in: 0...bytes))
  }

  private func after(_ index: Int) -> Mark {
    index + 1 < marks.count ? marks[index + 1] : Mark(offset: end, media: duration)
  }

  /// Finds the last of the leading marks that satisfy the condition; nil if the first does not.
  func lastMark(where isBefore: (Mark) -> Bool) -> Int? {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(marks[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// The mark at which a reader of the packets from `media` on begins.
  ///
  /// Three marks early: enough for a decoder's bit reservoir, and for packets that span pages.
  func markBefore(_ media: MediaTime) -> Int {
    max(0, (lastMark { $0.media <= media } ?? 0) - 3)
  }
}

/// Builds an index packet by packet.
struct MediaIndexBuilder {
  private var format: AudioFormat?
  private var marks: [MediaIndex.Mark] = []
  private var end: UInt64 = 0
  private(set) var media = MediaTime.zero
  private(set) var links: [UInt64] = []
  private var interval = MediaIndex.markInterval
  private let marksMax: Int

  init(marksMax: Int = MediaIndex.marksMax) { self.marksMax = marksMax }

  /// Adds an Ogg link. False: the file has too many links.
  mutating func addLink(at offset: UInt64) -> Bool {
    if links.count >= MediaIndex.linksMax { return false }
    links.append(offset)
    return true
  }

  /// - Parameter range: the packet's bytes in the file.
  mutating func add(_ packet: PacketScanner.Packet, at range: Range<UInt64>) {
    add(
      MediaTime(samples: packet.samples, rate: packet.format.sampleRate), packet.format, at: range)
  }

  mutating func add(_ length: MediaTime, _ format: AudioFormat, at range: Range<UInt64>) {
    if self.format == nil { self.format = format }
    if media - (marks.last?.media ?? .zero) >= interval || marks.isEmpty {
      if marks.count >= marksMax { thinOut() }
      marks.append(.init(offset: range.lowerBound, media: media))
    }
    media += length
    end = range.upperBound
  }

  private mutating func thinOut() {
    marks = marks.indices.filter { $0 % 2 == 0 }.map { marks[$0] }
    interval += interval
  }

  /// The index; nil without a packet.
  var index: MediaIndex? {
    guard let format else { return nil }
    // Copies the marks, since a grown array may hold as much unused room again.
    return MediaIndex(
      format: format,
      marks: Array(unsafeUninitializedCapacity: marks.count) { buffer, count in
        count = buffer.initialize(fromContentsOf: marks)
      }, links: links, end: end, duration: media)
  }
}

extension MediaFile {
  /// Whether the file's first bytes are those of Ogg.
  func isOgg() throws(StorageError) -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { buffer throws(StorageError) in
      let count = try read(buffer, at: 0)
      return count == 4 && buffer.elementsEqual("OggS".utf8)
    }
  }

  /// Reads the whole file and makes its index. Blocks. Nil without a known packet, or once `isWanted` says no.
  ///
  /// - Parameter isWanted: asked once per piece read.
  public func makeIndex(
    while isWanted: () -> Bool = { true }
  ) throws(StorageError) -> MediaIndex? {
    try isOgg() ? indexPages(isWanted) : indexFrames(isWanted)
  }

  private func indexFrames(_ isWanted: () -> Bool) throws(StorageError) -> MediaIndex? {
    var builder = MediaIndexBuilder()
    var scanner = PacketScanner()
    var isGivenUp = false
    try walk(from: 0) { bytes, base, atEnd in
      isGivenUp = !isWanted()
      if isGivenUp || scanner.bytesWithoutSync > MediaIndex.garbageMax { return nil }
      var place = 0
      while let found = scanner.next(in: bytes, from: place, atEnd: atEnd) {
        if case .packet(let packet) = found {
          builder.add(packet, at: found.range.moved(by: base))
        }
        place = found.range.upperBound
      }
      return place
    }
    return isGivenUp ? nil : builder.index
  }

  private func indexPages(_ isWanted: () -> Bool) throws(StorageError) -> MediaIndex? {
    var builder = MediaIndexBuilder()
    var demuxer = OggDemuxer()
    var made: [UInt8] = []
    var link: UInt64?
    var links = MediaLinks()
    var isGivenUp = false
    try walk(from: 0) { bytes, base, atEnd in
      isGivenUp = !isWanted()
      if isGivenUp || demuxer.bytesWithoutSync > MediaIndex.garbageMax { return nil }
      var place = 0
      while let found = demuxer.next(in: bytes, from: place, atEnd: atEnd, into: &made) {
        let range = (place..<found.end).moved(by: base)
        guard let page = demuxer.page else {
          place = found.end
          continue
        }
        links.see(page, in: bytes)
        if page.flags.contains(.first) {
          // Parallel streams begin together; the headers belong to one of them.
          link = link ?? range.lowerBound
        } else if !found.items.isEmpty || link == nil {
          if let first = link, case .headers = found.items.first {
            if !builder.addLink(at: first) { return nil }
            link = nil
            links.begin()
          }
          builder.add(found.items, links.trim(page, found.items), at: range)
        }
        made.removeAll(keepingCapacity: true)
        place = found.end
      }
      return place
    }
    return isGivenUp ? nil : builder.index
  }
}

extension MediaIndexBuilder {
  /// Adds the contents of one page of the file.
  fileprivate mutating func add(
    _ items: [OggDemuxer.Item], _ trimmed: MediaTrim.Parts, at range: Range<UInt64>
  ) {
    var samples = 0
    var format: AudioFormat?
    for case .packet(let packet) in items {
      samples += packet.samples
      format = packet.format
    }
    guard let format else { return }
    add(MediaTime(samples: samples - trimmed.samples, rate: format.sampleRate), format, at: range)
  }
}

extension Range<Int> {
  func moved(by base: UInt64) -> Range<UInt64> {
    base + UInt64(lowerBound)..<base + UInt64(upperBound)
  }
}
