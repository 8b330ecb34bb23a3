import Synchronization
import Wire

/// The pieces of a log, for HLS: a pure function of its marks, as of one moment. No index is read.
///
/// Programme time is divided into cells of some seconds. A piece is a cell, cut where the format changes, behind a gap in
/// which time is missing, and where a title begins. A packet belongs to the piece in which it begins.
public struct Cells: Sendable {
  let borders: PieceBorders
  /// The media times up to which the number marks hold.
  let ends: [MediaTime]
  /// The cells of several pieces, of each mark: so numbers are looked up, not counted for each segment asked for.
  private let divided: [[PieceBorders.Divided]]
  /// From which media time on each title counts.
  let titleStarts: [MediaTime]
  private let air: AirTimes
  private let delay: MediaTime
  /// What of media time can be read, in order.
  let readable: [Range<MediaTime>]
  /// The beginnings of damaged spans, in order.
  private let damaged: [MediaTime]
  let edge: MediaTime
  /// Times on air behind this can still move.
  private let settled: MediaTime
  /// The beginning of what is listed.
  private let listed: MediaTime
  /// Whether nothing is listed until there is another packet, since later numbers have been given out.
  private let isOutdated: Bool
  let streams: [PieceStream]
  /// What is left out behind the oldest packet, once something has been given up.
  let margin: MediaTime

  /// - Parameter delay: how much later than on air the mount plays.
  public init(_ log: PacketLog, delay: MediaTime = .zero, at now: Moment) {
    let lists = log.lists.withLock { $0 }
    let edge = delay > .zero ? log.due(delay, at: now, in: lists.air) ?? .zero : .max
    self.init(lists, log.configuration, edge: min(edge, lists.edge.media), delay: delay)
  }

  init(
    _ lists: LogLists, _ configuration: LogConfiguration, edge: MediaTime, delay: MediaTime = .zero
  ) {
    borders = lists.borders
    ends = Self.ends(lists.numbers)
    divided = zip(lists.numbers, ends).map { [borders] in
      borders.divided(by: $0, to: min($1, lists.edge.media))
    }
    titleStarts = Self.titleStarts(borders, ends)
    (air, self.edge, self.delay) = (lists.air, edge, delay)
    (readable, damaged) = Self.readable(lists)
    let isMoving = lists.run?.isSettled == false
    settled = isMoving ? lists.air.newest?.media ?? .zero : .max
    streams = PieceStream.all(lists)
    margin = Self.margin(lists)
    listed = Self.listed(lists, configuration, margin)
    isOutdated = lists.isOutdated
  }

  // MARK: What is known

  /// A mark holds up to the next one's border; another sequence ends it at once.
  private static func ends(_ marks: [NumberMark]) -> [MediaTime] {
    var end = MediaTime.max
    let ends = marks.reversed().map { mark in
      defer { end = min(end, mark.isJump ? min(mark.border, mark.media) : mark.border) }
      return end
    }
    return ends.reversed()
  }

  /// A title counts from its packet on, if it was known before its cell could be listed; else from when it was known.
  private static func titleStarts(_ borders: PieceBorders, _ ends: [MediaTime]) -> [MediaTime] {
    var place = 0
    return borders.titles.map { title in
      while place + 1 < ends.count, ends[place] <= title.media { place += 1 }
      guard place < ends.count else { return title.known }
      let mark = borders.marks[place]
      let end = mark.start(of: mark.cell(at: title.media) + 1)
      return title.known < end + mark.settings.delay ? title.media : title.known
    }
  }

  private static func readable(_ lists: LogLists) -> ([Range<MediaTime>], [MediaTime]) {
    let files = lists.segments + [lists.active].compactMap(\.self)
    var ranges: [(end: UInt64, media: Range<MediaTime>)] = []
    var damaged: [MediaTime] = []
    func add(_ start: LogPoint, _ end: LogPoint) {
      guard start.media < end.media else { return }
      if let last = ranges.last, last.end >= start.position {
        let until = max(last.media.upperBound, end.media)
        ranges[ranges.count - 1] = (max(last.end, end.position), last.media.lowerBound..<until)
      } else {
        ranges.append((end.position, start.media..<end.media))
      }
    }
    for segment in files {
      add(segment.start, segment.end)
      var next = segment.start.position
      while let place = segment.file.damage(from: next) {
        damaged.append(place.media)
        next = place.position + 1
      }
    }
    add(lists.memoryBegin, lists.edge)
    return (ranges.map(\.media), damaged)
  }

  /// Three minutes, or a third of what there is: what has just left a list can still be read.
  private static let marginMax = MediaTime(seconds: 180)

  private static func isOnDisk(_ lists: LogLists) -> Bool {
    !lists.segments.isEmpty || lists.active != nil
  }

  /// The most of a margin that the log is to have.
  private static func kept(_ lists: LogLists) -> MediaTime {
    isOnDisk(lists) ? min(marginMax, lists.retention.scaled(by: 1.0 / 3)) : .max
  }

  private static func margin(_ lists: LogLists) -> MediaTime {
    let third = max(.zero, lists.edge.media - lists.oldest.media).scaled(by: 1.0 / 3)
    return min(kept(lists), third)
  }

  /// Never goes back while the log grows at one end and is given up at the other.
  private static func listed(
    _ lists: LogLists, _ configuration: LogConfiguration, _ margin: MediaTime
  ) -> MediaTime {
    let (oldest, edge) = (lists.oldest, lists.edge)
    let shortened = oldest.media + margin
    guard let first = lists.numbers.first, first.isJump, first.media >= oldest.media else {
      return shortened
    }
    // Nothing has been given up yet.
    if isOnDisk(lists) {
      let next = lists.segments.first?.end.media ?? .max
      return max(oldest.media, min(edge.media - lists.retention, next) + kept(lists))
    }
    let bytes = edge.position - min(edge.position, oldest.position)
    return bytes > UInt64(configuration.windowBytes) / 3 * 2 ? shortened : oldest.media
  }

  // MARK: Pieces

  /// What is listed: behind the newest break of the sequence, and settled.
  ///
  /// - Parameters:
  ///   - window: how far behind the edge the list begins at most.
  ///   - count: the most pieces.
  public func list(window: MediaTime = .max, count: Int = 200_000) -> CellList {
    var list = CellList()
    if isOutdated { return list }
    let marks = borders.marks
    let from = max(listed, edge - window)
    for place in (marks.lastIndex { $0.isJump } ?? 0)..<marks.count {
      let mark = marks[place]
      var cell = max(mark.cell, mark.cell(at: from))
      guard mark.start(of: cell) < ends[place] else { continue }
      var number = number(of: cell, by: place)
      var next = borders.next(from: mark.start(of: cell))
      while isListed(cell, of: place) {
        let start = mark.start(of: cell)
        if next < start { next = borders.next(from: start) }
        let pieces = pieces(of: cell, place, number, isWhole: next >= start + mark.settings.length)
        list.pieces += pieces.drop { $0.start < from }
        number += Int64(pieces.count)
        cell += 1
      }
      // Where titles may come less late by now, cells in front still wait for theirs.
      if mark.start(of: cell + 1) <= ends[place] { break }
    }
    list.pieces.removeFirst(max(0, list.pieces.count - count))
    return titled(list.pieces)
  }

  /// The pieces of a list that begin in a span of media time, with their titles.
  public func cut(_ list: CellList, to span: Range<MediaTime>) -> CellList {
    titled(list.pieces.filter { span.contains($0.start) })
  }

  /// The list of pieces that follow each other, with the titles of their time.
  public func titled(_ pieces: [Piece]) -> CellList {
    CellList(
      pieces: pieces, titles: titles(of: pieces).map { ListedTitle($0, begins(at: $0.media)) },
      titlesLeft: titlesLeft(before: pieces.first))
  }

  /// The piece of a name, whether it is listed or has been.
  public func piece(_ key: PieceKey, cell: Int64, part: Int) -> PieceAnswer {
    var answer = PieceAnswer.unknown
    for (place, mark) in borders.marks.enumerated().reversed() where PieceKey(mark) == key {
      guard NumberRecord.cells.contains(cell) else { return .unknown }
      if cell < mark.cell { answer = .gone }
      guard let found = found(cell, part, by: place) else { continue }
      if case .piece(let piece) = found, piece.isGap { return .gone }
      return found
    }
    return answer
  }

  /// The piece of a cell, readable or not; nil if the cell is none of the mark's.
  func found(_ cell: Int64, _ part: Int, by place: Int) -> PieceAnswer? {
    let mark = borders.marks[place]
    guard cell >= mark.cell, mark.start(of: cell + 1) <= ends[place] else { return nil }
    guard isListed(cell, of: place) else { return .notListed }
    let pieces = pieces(of: cell, place, number(of: cell, by: place), isWhole: false)
    return pieces.indices.contains(part) ? .piece(pieces[part]) : .unknown
  }

  /// The number of the first piece of a cell that the mark has.
  func number(of cell: Int64, by place: Int) -> Int64 {
    let (mark, divided) = (borders.marks[place], divided[place])
    let behind = PieceBorders.index(divided, from: cell, \.cell)
    return mark.number + (cell - mark.cell) + (behind > 0 ? divided[behind - 1].more : 0)
  }

  func isListed(_ cell: Int64, of place: Int) -> Bool {
    let mark = borders.marks[place]
    let end = mark.start(of: cell + 1)
    return end <= ends[place] && end + mark.settings.delay <= edge && end <= settled
  }

  func pieces(of cell: Int64, _ place: Int, _ number: Int64, isWhole: Bool) -> [Piece] {
    let mark = borders.marks[place]
    let (start, end) = (mark.start(of: cell), mark.start(of: cell + 1))
    let starts =
      isWhole ? [start] : borders.starts(from: start, to: end, delay: mark.settings.delay)
    return starts.indices.map { index in
      let (start, end) = (starts[index], index + 1 < starts.count ? starts[index + 1] : end)
      return Piece(
        key: PieceKey(mark), cell: cell, part: index, start: start, end: end,
        number: number + Int64(index), discontinuities: discontinuities(at: start),
        programme: mark.programme(at: start)..<mark.programme(at: end),
        air: air.wall(at: start) + delay, title: title(at: start)?.position,
        isGap: !isReadable(start, end), codec: stream(at: start)?.mark.format.codec)
    }
  }

  private func discontinuities(at media: MediaTime) -> Int64 {
    let marks = borders.marks
    let behind = PieceBorders.index(marks, from: media, \.media)
    if behind < marks.count, marks[behind].media == media { return marks[behind].discontinuities }
    return (behind > 0 ? marks[behind - 1] : marks[0]).discontinuities
  }

  /// The title that a piece beginning at `media` begins with.
  private func title(at media: MediaTime) -> TitleMark? {
    var place = PieceBorders.index(borders.titles, from: media + .flick, \.media)
    while place > 0 {
      place -= 1
      if titleStarts[place] <= media { return borders.titles[place] }
    }
    return nil
  }

  /// The longest damaged span.
  private static let spanMax = MediaTime(seconds: 0.5)

  func isReadable(_ start: MediaTime, _ end: MediaTime) -> Bool {
    let place = PieceBorders.index(readable, from: start + .flick, \.lowerBound) - 1
    guard place >= 0, end <= readable[place].upperBound else { return false }
    let from = start - Self.spanMax + .flick
    let next = PieceBorders.index(damaged, from: from, \.self)
    return next == damaged.count || damaged[next] >= end
  }

  /// For so long after it left the list a title is told to players that ask for changes: more than six longest pieces.
  private static let leftFor = MediaTime(seconds: 90)

  /// The titles in front of the one in force that were in force lately.
  private func titlesLeft(before first: Piece?) -> [MediaTime] {
    guard let start = first?.start else { return [] }
    let titles = borders.titles
    let next = PieceBorders.index(titles, from: start + .flick, \.media)
    let from = PieceBorders.index(titles, from: start - Self.leftFor, \.media)
    let first = max(0, from - 1)
    return titles[first..<max(first, next - 1)].map { begins(at: $0.media) }
  }

  /// The programme time of a packet.
  private func begins(at media: MediaTime) -> MediaTime {
    let place = PieceBorders.index(borders.marks, from: media + .flick, \.media)
    return borders.marks[max(0, place - 1)].programme(at: media)
  }

  func titles(of pieces: [Piece]) -> [TitleMark] {
    guard let first = pieces.first?.start, let end = pieces.last?.end else { return [] }
    let (titles, next) = (
      borders.titles, PieceBorders.index(borders.titles, from: first, \.media)
    )
    let isAtStart = next < titles.count && titles[next].media == first
    return titles[max(0, isAtStart ? next : next - 1)...].prefix { $0.media < end }.map { title in
      var title = title
      title.air = air.wall(at: title.media) + delay
      return title
    }
  }
}
