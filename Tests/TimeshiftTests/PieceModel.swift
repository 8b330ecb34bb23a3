import Synchronization
import TestSupport
import Wire

@testable import Timeshift

/// Pieces from a list of packets, without any mark: the second, plain way to find them.
struct PieceModel {
  struct Packet {
    var position: UInt64
    var media: MediaTime
    var end: MediaTime
    /// Whether time is missing in front of it, or its format is another one.
    var isCut: Bool
    var isStream: Bool
    /// Whether it is the first one of a process, which does not know how long the one in front is.
    var isFirst: Bool
  }

  /// From when on cells are of another kind or another process's.
  struct Era {
    /// The first packet of the process; nil for other settings.
    var packet: MediaTime?
    /// The border from which other settings hold.
    var border: MediaTime?
    var settings: CellSettings
    var number: Int
    /// Where its mark stands.
    var position: UInt64
  }

  struct Found: Hashable {
    var era: Int
    var seconds: Int
    var cell: Int64
    var part: Int
    var start: MediaTime
    var end: MediaTime
    var number: Int64
    var discontinuities: Int64
    var title: UInt64?
    var cellEnd: MediaTime
    var delay: MediaTime
  }

  var packets: [Packet] = []
  var titles: [TitleMark] = []
  var eras: [Era] = []
  /// The distance of programme time from media time.
  var offset = MediaTime.zero
  var firstNumber: Int64 = 0

  private func cells() -> [Cell] {
    guard let first = packets.first, let last = packets.last else { return [] }
    var cells: [Cell] = []
    var programme = MediaTime.zero
    while programme < last.end + offset {
      var settings = eras[0].settings
      for era in eras {
        if let border = era.border, border <= programme { settings = era.settings }
      }
      let length = MediaTime(second: Int64(settings.seconds))
      let end = programme + length + settings.delay
      var owner = eras[0]
      for era in eras {
        if let border = era.border { if border <= programme { owner = era } }
        if let packet = era.packet, packet + offset < end { owner = era }
      }
      if programme - offset >= first.media { cells.append((programme, owner, settings)) }
      programme += length
    }
    return cells
  }

  /// All pieces of whole cells, in order.
  func pieces() -> [Found] {
    var found: [Found] = []
    let cells = cells()
    for (programme, era, settings) in cells {
      let length = MediaTime(second: Int64(settings.seconds))
      let (start, end) = (programme - offset, programme - offset + length)
      guard end <= packets.last!.end else { break }
      let own = packets.filter { $0.media >= start && $0.media < end }
      let cuts = own.filter { $0.isCut && $0.media > start }.map(\.media)
      var borders = Set(cuts + [start, end])
      let second = MediaTime(seconds: 1)
      for title in titles.reversed() where title.media > start && title.media < end {
        guard title.known < end + settings.delay else { continue }
        if borders.allSatisfy({ max($0, title.media) - min($0, title.media) >= second }) {
          borders.insert(title.media)
        }
      }
      let sorted = borders.sorted()
      var part = 0
      for (from, to) in zip(sorted, sorted.dropFirst())
      where own.contains(where: { $0.media >= from && $0.media < to }) {
        // Perhaps no packet begins there, as far as the process knows.
        if from == start, to - MediaTime(seconds: 0.26) < from, to < end,
          own.contains(where: { $0.media == to && $0.isFirst })
        {
          continue
        }
        found.append(
          Found(
            era: era.number, seconds: settings.seconds,
            cell: programme.stored / length.stored, part: part, start: from, end: to,
            number: firstNumber + Int64(found.count),
            discontinuities: Int64(packets.count { $0.isStream && $0.media <= from }),
            title: title(at: from, cells), cellEnd: end, delay: settings.delay))
        part += 1
      }
    }
    return found
  }

  private typealias Cell = (start: MediaTime, era: Era, settings: CellSettings)

  private func title(at media: MediaTime, _ cells: [Cell]) -> UInt64? {
    titles.last { title in
      guard title.media <= media else { return false }
      var deadline = (cells.first?.start ?? .zero) - offset + eras[0].settings.delay
      if let cell = cells.last(where: { $0.start - offset <= title.media }) {
        deadline =
          cell.start - offset + MediaTime(second: Int64(cell.settings.seconds))
          + cell.settings.delay
      }
      return (title.known < deadline ? title.media : title.known) <= media
    }?.position
  }
}

/// A log's folder without a disk: what segments would hold, encoded and read again.
struct PaperFolder {
  private struct Span {
    var end: LogPoint
    var records: [[UInt8]]
  }

  private struct Segment {
    var file: SegmentFile
    var format: FormatMark
    var spans: [Span] = []
    var end: LogPoint
  }

  private var segments: [Segment] = []
  private var written: LogPoint = .zero
  private var anchors: UInt64 = 0
  private var titles: UInt64 = 0
  let packetsMax: Int
  /// The positions of all titles that the last scan found.
  private(set) var found: Set<UInt64> = []

  init(packetsMax: Int) { self.packetsMax = packetsMax }

  /// Writes what is new.
  mutating func write(_ lists: LogLists, _ packets: [PieceModel.Packet]) {
    let new = packets.filter { $0.position >= written.position }
    for (packet, next) in zip(new, new.dropFirst().map(\.position) + [lists.edge.position]) {
      guard let format = lists.formats.last(where: { $0.position <= packet.position }) else {
        return
      }
      let isFull = segments.last.map { $0.spans.count >= packetsMax } ?? true
      let begins = isFull || segments.last!.file.start.position < format.position
      let start = LogPoint(position: packet.position, media: packet.media)
      if begins {
        segments.append(
          Segment(
            file: SegmentFile(
              directory: "", start: start, format: format.format, headerBytes: 0,
              seed: UInt32(truncatingIfNeeded: packet.position &+ 77), isSealed: true),
            format: format, end: start))
      }
      let records = SegmentRecord.marks(
        of: lists, in: packet.position..<next, anchorsAfter: anchors, titlesFrom: titles,
        startsSegment: begins ? start : nil)
      written = LogPoint(position: next, media: packet.end)
      segments[segments.count - 1].spans.append(
        Span(end: written, records: records.map { $0.encode(seed: 1) }))
      segments[segments.count - 1].end = written
      anchors = lists.air.revision
      if let title = lists.titles.last(where: { $0.position < next }) {
        titles = max(titles, title.position + 1)
      }
    }
  }

  /// Loses what came last, as a crash does.
  mutating func cut(spans count: Int) {
    for _ in 0..<count {
      guard var last = segments.popLast() else { break }
      last.spans.removeLast()
      guard let end = last.spans.last?.end else { continue }
      last.end = end
      segments.append(last)
    }
  }

  mutating func forget(before position: UInt64) {
    while segments.count > 1, segments[1].file.start.position <= position {
      segments.removeFirst()
    }
  }

  /// Removes the numbers, as if an earlier version had written all segments up to one.
  mutating func forgetNumbers(upTo count: Int) {
    for index in segments.indices.prefix(count) {
      for span in segments[index].spans.indices {
        segments[index].spans[span].records.removeAll { $0[0] == UInt8(ascii: "N") }
      }
    }
  }

  var segmentCount: Int { segments.count }

  /// What a scan finds.
  mutating func scanned() -> LogLists {
    var lists = LogLists(edge: .zero)
    var marks = SegmentMarks()
    for segment in segments {
      segment.file.end.store(segment.end.position, ordering: .releasing)
      lists.add(
        sealed: SegmentInfo(
          start: segment.file.start, end: segment.end, bytes: 1, file: segment.file))
      lists.edge = segment.end
      if lists.formats.last.map({ !$0.isSame(as: segment.format) }) ?? true {
        var format = segment.format
        format.position = segment.file.start.position
        lists.add(format: format)
      }
      for record in segment.spans.flatMap(\.records) {
        record.withUnsafeBytes { bytes in
          var reader = ByteReader(bytes)
          if let record = SegmentRecord.read(&reader, seed: 1) { marks.add(record) }
        }
      }
    }
    found = Set(marks.titles.map(\.position))
    lists.adopt(marks)
    lists.forgetMarks()
    written = lists.edge
    anchors = lists.air.revision
    titles = lists.titles.last.map { $0.position + 1 } ?? 0
    return lists
  }
}
