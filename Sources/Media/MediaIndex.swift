import Timeshift
import Wire

/// Where in a file which moment is: what one pass over its packets comes to. Tags, tables about the file and garbage are
/// no packets and last no time, nor does what a file in Ogg says is not to be heard.
public struct MediaIndex: Hashable, Sendable {
  /// A packet's (in Ogg: a page's) first byte, and the media time at which what begins there begins.
  struct Mark: Hashable, Sendable {
    var offset: UInt64
    var media: MediaTime
  }

  /// Of the first packet.
  public let format: AudioFormat
  /// Ascending, one a second or rarer: 16 bytes each, 2 MB for 36 hours.
  let marks: [Mark]
  /// In Ogg: where the links of the chain begin, ascending.
  let links: [UInt64]
  /// Where the last packet ends.
  public let end: UInt64
  public let duration: MediaTime

  static let markInterval = MediaTime(seconds: 1)
  /// 3 MB, for 54 hours. Of what lasts longer every other mark goes, as often as need be.
  static let marksMax = 196_608
  /// A chain of more links is no programme. 512 KB.
  static let linksMax = 65_536
  /// What stands behind so many bytes without a packet is not looked for.
  static let garbageMax = 16 << 20

  /// Of memory.
  public var bytes: Int {
    MemoryLayout<Self>.size + marks.capacity * MemoryLayout<Mark>.stride
      + links.capacity * MemoryLayout<UInt64>.stride
  }

  /// How much has been played when everything up to `offset` has; between two marks in proportion.
  public func media(at offset: UInt64) -> MediaTime {
    if offset >= end { return duration }
    guard let index = lastMark(where: { $0.offset <= offset }) else { return .zero }
    let (from, to) = (marks[index], after(index))
    let share = Double(offset - from.offset) / Double(max(1, to.offset - from.offset))
    return from.media + (to.media - from.media).scaled(by: share)
  }

  /// Up to where playing has come at `media`; between two marks in proportion.
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

  /// The last mark of those in front that all are so; nil: the first is not.
  func lastMark(where isBefore: (Mark) -> Bool) -> Int? {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(marks[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// The mark at which whoever wants the packets from `media` on begins to read: far enough before it for a decoder's bit
  /// reservoir, and for packets that go over pages.
  func markBefore(_ media: MediaTime) -> Int {
    max(0, (lastMark { $0.media <= media } ?? 0) - 3)
  }
}

/// Makes an index while the packets go by.
struct MediaIndexBuilder {
  private var format: AudioFormat?
  private var marks: [MediaIndex.Mark] = []
  private var end: UInt64 = 0
  private(set) var media = MediaTime.zero
  private(set) var links: [UInt64] = []
  private var interval = MediaIndex.markInterval
  private let marksMax: Int

  init(marksMax: Int = MediaIndex.marksMax) { self.marksMax = marksMax }

  /// False: there are too many.
  mutating func addLink(at offset: UInt64) -> Bool {
    if links.count >= MediaIndex.linksMax { return false }
    links.append(offset)
    return true
  }

  /// - Parameter range: where in the file it stands.
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

  /// nil: there was no packet.
  var index: MediaIndex? {
    guard let format else { return nil }
    // Growing leaves up to as much again unused.
    return MediaIndex(
      format: format,
      marks: Array(unsafeUninitializedCapacity: marks.count) { buffer, count in
        count = buffer.initialize(fromContentsOf: marks)
      }, links: links, end: end, duration: media)
  }
}

extension MediaFile {
  /// Whether it is in Ogg, by its first bytes.
  func isOgg() throws(StorageError) -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { buffer throws(StorageError) in
      let count = try read(buffer, at: 0)
      return count == 4 && buffer.elementsEqual("OggS".utf8)
    }
  }

  /// Blocks for as long as reading the whole file takes. nil: there is no packet in it that we know, or nobody wants it
  /// any more.
  ///
  /// - Parameter isWanted: asked now and then.
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
          // Streams side by side begin together; the headers are of one of them.
          link = link ?? range.lowerBound
        } else if !found.items.isEmpty || link == nil {
          if let first = link, case .headers = found.items.first {
            if !builder.addLink(at: first) { return nil }
            link = nil
            links.begin()
          }
          builder.add(found.items, links.take(page, found.items), at: range)
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
  /// What one page of the file has in it.
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
