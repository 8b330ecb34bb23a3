import Wire

// Numbers: where a log's pieces stand in the sequence of all pieces that the station ever had.
extension LogLists {
  var borders: PieceBorders { PieceBorders(marks: numbers, titles: titles) }

  /// The positions at which another stream begins, as a decoder sees it.
  func streams(_ marks: [FormatMark]) -> Set<UInt64> {
    var last = formats.last
    var streams: Set<UInt64> = []
    for mark in marks {
      if let last, !mark.isSame(as: last) { streams.insert(mark.position) }
      last = mark
    }
    return streams
  }

  /// Adds the marks of a batch, whose titles are there already.
  mutating func add(_ events: [LogDraft.NumberEvent], streams: Set<UInt64>, at wall: WallTime) {
    for event in events {
      if let mark = mark(of: event, isStream: streams.contains(event.point.position), at: wall) {
        add(number: mark)
      }
    }
  }

  private func mark(
    of event: LogDraft.NumberEvent, isStream: Bool, at wall: WallTime
  ) -> NumberMark? {
    if let place = event.programme { return mark(of: event, at: place, isStream: isStream, wall) }
    guard let last = numbers.last else { return first(at: event.point, wall) }
    var mark = last.moved(to: event.point, by: borders)
    mark.before = event.before
    mark.isCut = isStream || event.isGap
    if isStream { mark.discontinuities += 1 }
    if event.beginsLife { (mark.life, mark.original) = (NumberMark.newLife(), 0) }
    // There it would say that a rendition begins.
    if mark.original != 0 { mark.before = .zero }
    var isChanged = false
    if let change = event.change { isChanged = last.change(&mark, change, by: borders) }
    if event.beginsLife { goOn(&mark, behind: last) }
    return event.beginsLife || mark.isCut || isChanged ? mark : nil
  }

  /// Whether the past is older than what the station has given out since: another sequence begins with the next packet.
  var isOutdated: Bool { numbers.last.map { isOld($0, at: edge) } ?? false }

  private func isOld(_ last: NumberMark, at point: LogPoint) -> Bool {
    // What has been given out is above the mark itself: mostly that says enough.
    numberStart != nil && last.number < numberLeast
      && last.raised(to: point, by: borders).number < numberLeast
  }

  /// Begins another sequence behind a past that is older than what the station has given out since.
  private func goOn(_ mark: inout NumberMark, behind last: NumberMark) {
    let point = LogPoint(position: mark.position, media: mark.media)
    guard let start = numberStart, isOld(last, at: point) else { return }
    mark.programme = max(mark.programme, start.programme)
    mark.number = start.number
    mark.discontinuities = max(mark.discontinuities, start.discontinuities)
    mark.cell = mark.cell(from: point.media)
    mark.isJump = true
  }

  /// The mark of a rendition's packet. It always has a life of its own: what it names is this stretch of packets.
  ///
  /// Its numbers are for a rendition that becomes a station of its own; else those of the original count.
  private func mark(
    of event: LogDraft.NumberEvent, at place: ProgrammePlace, isStream: Bool, _ wall: WallTime
  ) -> NumberMark {
    let last = numbers.last
    var mark = last?.raised(to: event.point, by: borders) ?? first(at: event.point, wall)
    if isStream, last != nil { mark.discontinuities += 1 }
    let isNext = last.map { $0.original != 0 && mark.programme == place.time } ?? false
    mark.isJump = !isNext || mark.settings != cells
    if !isNext { mark.before = event.before }
    (mark.programme, mark.original) = (place.time, place.life)
    (mark.life, mark.settings) = (NumberMark.newLife(), cells)
    // Never in front of its packet: what is there belongs to other marks.
    mark.cell = mark.cell(from: event.point.media)
    return mark
  }

  /// The first mark of a log without a past.
  private func first(at point: LogPoint, _ wall: WallTime) -> NumberMark {
    let programme = numberStart?.programme ?? .zero
    var mark = NumberMark(
      position: point.position, media: point.media, programme: programme,
      life: NumberMark.newLife(), cell: 0,
      number: numberStart?.number ?? NumberMark.firstNumber(at: wall),
      discontinuities: numberStart?.discontinuities ?? 0, settings: cells)
    mark.isJump = true
    mark.cell = mark.cell(from: point.media)
    return mark
  }

  /// Lets the draft make a mark where other cells can begin, if they are to.
  func planCells(_ draft: LogDraft) {
    guard let last = numbers.last, (draft.cellChange?.cells ?? last.settings) != cells else {
      return
    }
    draft.cellChange =
      last.settings == cells ? nil : last.change(to: cells, after: edge.media)
  }

  /// Where the packet that holds `media` stands in the programme; nil before the first packet.
  func programme(at media: MediaTime) -> ProgrammePlace? {
    let behind = PieceBorders.index(numbers, from: media + .flick, \.media)
    guard let mark = behind > 0 ? numbers[behind - 1] : numbers.first else { return nil }
    return ProgrammePlace(time: mark.programme(at: media), life: mark.life)
  }

  // MARK: Forgetting

  /// The marks as if the log began at `point`; what was in front of it is counted.
  ///
  /// They hold from the first whole cell on: what a cell has in front of `point` is not known any more. Where titles of
  /// such cells may still come, the cuts that are counted with them stay.
  ///
  /// - Parameter isWhole: whether they hold from there on in any case.
  func numbers(from point: LogPoint, isWhole: Bool = false) -> [NumberMark] {
    let holding = numbers.lastIndex { $0.position <= point.position || $0.border <= point.media }
    guard let here = numbers.lastIndex(where: { $0.position <= point.position }), let holding else {
      return numbers
    }
    if numbers[here].position == point.position, numbers[here].border >= point.media {
      return Array(numbers[here...])
    }
    let settled = isWhole ? .max : edge.media - numbers[holding].settings.delay
    var first = numbers[holding].raised(to: point, settled: settled, by: borders)
    first.discontinuities = numbers[here].discontinuities
    if numbers[here].position == point.position {
      (first.isCut, first.before) = (numbers[here].isCut, numbers[here].before)
    }
    let before = numbers[...here].filter {
      !isWhole && $0.isCut && $0.media >= first.border && $0.position < point.position
    }
    let behind = numbers[(here + 1)...].map { mark in
      var mark = mark
      if mark.border < first.border {
        (mark.cell, mark.number) = (mark.cell(from: first.border), first.number)
      }
      return mark
    }
    return before + [first] + behind
  }

  /// The marks of memory behind the folder's content: another sequence begins, with numbers above the folder's.
  func numbers(behind old: LogLists, joint: LogJoint) -> [NumberMark] {
    var numbers = numbers(from: joint.next, isWhole: true)
    guard let first = numbers.first else { return [] }
    numbers[0].isJump = true
    guard let last = old.numbers.last else { return numbers }
    let reached = last.raised(to: old.edge, by: old.borders).number + 1
    let less = max(0, reached - first.number)
    for index in numbers.indices { numbers[index].number += less }
    return numbers
  }

  /// The position of the oldest title that pieces from `media` on need: the newest that was known by then.
  func titleNeeded(from media: MediaTime) -> UInt64 {
    (titles.last { $0.known <= media } ?? titles.first)?.position ?? .max
  }

  // MARK: Writing

  /// The marks to be written with the packets of `range`.
  ///
  /// - Parameter start: where a segment begins: it repeats the number reached, and the cuts that are counted from there.
  func numberMarks(in range: Range<UInt64>, startsSegment start: LogPoint?) -> [NumberMark] {
    let own = numbers.filter { range.contains($0.position) }
    guard let start else { return own }
    let before = numbers.prefix { $0.position < start.position }
    let first =
      own.first?.position == start.position
      ? own.first : before.last?.moved(to: start, by: borders)
    guard let first else { return own }
    let repeated = before.filter { $0.isCut && $0.media >= first.border }
    return repeated + [first] + own.filter { $0.position != start.position }
  }
}

extension NumberMark {
  /// 2020-01-01T00:00:00Z in seconds since 1970.
  private static let year2020 = 1_577_836_800.0

  /// A number above all that earlier logs of the station can have had: no station has a piece a second for long.
  static func firstNumber(at wall: WallTime) -> Int64 {
    max(0, (wall - WallTime(seconds: year2020)).second)
  }

  /// Seconds at which cells of both lengths begin.
  private func common(with other: CellSettings) -> MediaTime {
    var (a, b) = (settings.seconds, other.seconds)
    while b != 0 { (a, b) = (b, a % b) }
    return settings.length.times(Int64(clamping: other.seconds / a))
  }

  /// Other cells begin at the next border of both kinds. Their mark stands where all in front of it is settled.
  func change(to cells: CellSettings, after media: MediaTime) -> LogDraft.CellChange {
    let step = common(with: cells)
    let programme = max(programme(at: media), programme(at: border))
    let first = step.times((programme + (step - .flick)).count(of: step))
    return LogDraft.CellChange(
      cells: cells, border: first, mediaMin: mediaTime(of: first) + settings.delay)
  }

  /// Makes `mark`, which follows this one, the mark of other cells.
  ///
  /// - Returns: false if what is in front of their border has been forgotten meanwhile: they are planned again.
  func change(
    _ mark: inout NumberMark, _ change: LogDraft.CellChange, by borders: PieceBorders
  ) -> Bool {
    guard mediaTime(of: change.border) >= border else { return false }
    mark.number = borders.number(of: cell(at: mediaTime(of: change.border)), by: self)
    mark.settings = change.cells
    mark.cell = change.border.count(of: mark.settings.length)
    mark.life = Self.newLife()
    return true
  }

  private func mediaTime(of programme: MediaTime) -> MediaTime {
    media + (programme - self.programme)
  }
}
