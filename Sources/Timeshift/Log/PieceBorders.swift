import Wire

/// Where the pieces of cells begin: at the cell's border, at cuts, and at titles that leave a second to their neighbours.
///
/// A pure function of marks, so that every process finds the same pieces. Media times grow with positions.
struct PieceBorders {
  let marks: [NumberMark]
  let titles: [TitleMark]

  /// The shortest piece that a title makes.
  private static let pieceMin = MediaTime(seconds: 1)
  /// Assumed of a packet of unknown length: Ogg pages have 0.2 s, MPEG frames up to 0.26 s.
  private static let packetMax = MediaTime(seconds: 0.26)

  /// The first place from `media` on at which a piece may begin inside of a cell; `.max` without one.
  ///
  /// Never before `media`, whatever the order of the marks: counting goes on from there.
  func next(from media: MediaTime) -> MediaTime {
    var cut = MediaTime.max
    for place in Self.index(marks, from: media, \.media)..<marks.count
    where marks[place].isCut && marks[place].media >= media {
      cut = marks[place].media
      break
    }
    var title = Self.index(titles, from: media, \.media)
    while title < titles.count, titles[title].media < media { title += 1 }
    return title < titles.count ? min(cut, titles[title].media) : cut
  }

  /// The starts of the pieces of the cell from `start` to `end`, in order; never none.
  ///
  /// - Parameter delay: titles that became known later than so long after the end do not count.
  func starts(from start: MediaTime, to end: MediaTime, delay: MediaTime) -> [MediaTime] {
    var borders = [start]
    for mark in marks[Self.index(marks, from: start, \.media)...] {
      if mark.media >= end { break }
      guard mark.isCut, mark.media > start else { continue }
      let before = mark.before > .zero ? mark.before : Self.packetMax
      // The packet in front began before the cell: nothing begins between border and cut.
      if borders == [start], mark.media - before < start { borders = [] }
      borders.append(mark.media)
    }
    return titled(borders, start, end, delay)
  }

  /// Adds the titles. The later one of two that are too near counts: it is the one that stays.
  private func titled(
    _ cuts: [MediaTime], _ start: MediaTime, _ end: MediaTime, _ delay: MediaTime
  ) -> [MediaTime] {
    let first = Self.index(titles, from: start, \.media)
    var place = first
    while place < titles.count, titles[place].media < end { place += 1 }
    var borders: [MediaTime] = []
    var (behind, cut) = (end, cuts.count - 1)
    while place > first {
      place -= 1
      // By places: a copy of a title counts references.
      guard titles[place].known < end + delay else { continue }
      let media = titles[place].media
      while cut >= 0, cuts[cut] > media {
        behind = cuts[cut]
        borders.append(behind)
        cut -= 1
      }
      // An empty beginning of a cell is no neighbour.
      guard cut >= 0, behind - media >= Self.pieceMin, media - cuts[cut] >= Self.pieceMin else {
        continue
      }
      behind = media
      borders.append(behind)
    }
    return cuts.prefix(cut + 1) + borders.reversed()
  }

  /// The number of the first piece of `cell`, counted from `mark`, which holds up to there.
  func number(of cell: Int64, by mark: NumberMark) -> Int64 {
    var number = mark.number + (cell - mark.cell)
    divide(by: mark, to: mark.start(of: cell)) { number += $1 }
    return number
  }

  /// A cell of several pieces.
  struct Divided {
    var cell: Int64
    /// How many more pieces than cells there are from the mark's first one up to this one.
    var more: Int64
  }

  /// The cells that begin before `end` and have several pieces, in order.
  func divided(by mark: NumberMark, to end: MediaTime) -> [Divided] {
    var found: [Divided] = []
    divide(by: mark, to: end) { cell, more in
      found.append(Divided(cell: cell, more: (found.last?.more ?? 0) + more))
    }
    return found
  }

  /// Calls `body` with each of those cells, and how many more pieces than one it has.
  private func divide(
    by mark: NumberMark, to end: MediaTime, _ body: (_ cell: Int64, _ more: Int64) -> Void
  ) {
    var place = next(from: mark.border)
    while place < end {
      let cell = mark.cell(at: place)
      let (start, after) = (mark.start(of: cell), mark.start(of: cell + 1))
      body(cell, Int64(starts(from: start, to: after, delay: mark.settings.delay).count) - 1)
      place = next(from: after)
    }
  }

  /// The index of the first value at `place` or later.
  static func index<Value, Place: Comparable>(
    _ values: [Value], from place: Place, _ at: (Value) -> Place
  ) -> Int {
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if at(values[middle]) < place { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension NumberMark {
  /// The mark of a later packet: what cannot change any more is counted.
  func moved(to point: LogPoint, by borders: PieceBorders) -> NumberMark {
    moved(to: point, from: max(cell, cell(at: point.media - settings.delay)), by: borders)
  }

  /// The mark of a packet behind which only whole cells are wanted, as far as those in front cannot change any more.
  func raised(
    to point: LogPoint, settled: MediaTime = .max, by borders: PieceBorders
  ) -> NumberMark {
    let whole = cell(from: point.media)
    let least = settled == .max ? whole : min(whole, cell(at: settled))
    return moved(to: point, from: max(cell, least), by: borders)
  }

  private func moved(
    to point: LogPoint, from cell: Int64, by borders: PieceBorders
  ) -> NumberMark {
    var mark = self
    mark.programme = programme(at: point.media)
    (mark.position, mark.media) = (point.position, point.media)
    mark.number = borders.number(of: cell, by: self)
    mark.cell = cell
    (mark.before, mark.isCut, mark.isJump) = (.zero, false, false)
    return mark
  }
}
