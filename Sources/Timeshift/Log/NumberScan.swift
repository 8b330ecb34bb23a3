import Wire

/// Joins the number marks of a folder's segments: repeated ones are left out, missing ones are made.
///
/// Segments without any were written before there were numbers. Their life is the checksum of their header, and they are
/// counted on from the mark before them, else back from the first one behind.
struct NumberScan {
  /// A place in a segment without numbers.
  struct Place {
    var point: LogPoint
    var life: UInt64
    var isGap: Bool
    var isStream: Bool
  }

  private let titles: [TitleMark]
  private(set) var marks: [NumberMark] = []
  /// The newest mark that was looked at, from which the next is counted.
  private var reached: NumberMark?
  /// How many of `marks` have numbers that are only relative to each other.
  private var relative = 0

  init(titles: [TitleMark]) { self.titles = titles }

  private var borders: PieceBorders { PieceBorders(marks: marks, titles: titles) }

  /// - Parameter offset: the distance of programme time from media time, for the first mark.
  mutating func add(_ place: Place, offset: MediaTime) {
    var mark = NumberMark(
      position: place.point.position, media: place.point.media,
      programme: place.point.media + offset, life: place.life, cell: 0, number: 0,
      discontinuities: 0)
    if let reached {
      mark = reached.moved(to: place.point, by: borders)
      (mark.life, mark.original) = (place.life, 0)
      mark.isCut = place.isGap || place.isStream
      if place.isStream { mark.discontinuities += 1 }
    } else {
      // Before programme time began, nothing can be named.
      guard mark.programme >= .zero else { return }
      mark.cell = mark.cell(from: place.point.media)
    }
    if relative == marks.count { relative += 1 }
    marks.append(mark)
    reached = mark
  }

  /// - Parameter isStream: whether another stream begins at the mark.
  mutating func add(_ found: NumberMark, isStream: Bool) {
    guard let before = reached else {
      marks.append(found)
      reached = found
      return
    }
    let isOn =
      !found.isJump && found.border >= before.border
      && found.programme == before.programme(at: found.media)
    let cell = isOn ? before.cell(from: found.border) : before.cell
    var number = borders.number(of: max(cell, before.cell), by: before)
    var mark = found
    if relative == marks.count {
      let gained = found.discontinuities - (isStream ? 1 : 0) - before.discontinuities
      for index in marks.indices {
        marks[index].number += found.number - number
        marks[index].discontinuities = max(0, marks[index].discontinuities + gained)
      }
      number = found.number
    }
    // Titles or cuts in front of it are not known any more, so its number does not follow.
    mark.isJump = !isOn || number != found.number
    reached = mark
    let isRepeated =
      !mark.isJump && !mark.isCut && mark.life == before.life && mark.original == before.original
      && mark.settings == before.settings && mark.discontinuities == before.discontinuities
    if !isRepeated { marks.append(mark) }
  }

  /// Numbers marks that no written one counts for.
  ///
  /// - Parameter last: the number of the newest mark.
  mutating func end(at last: Int64) {
    guard relative == marks.count, let newest = marks.last else { return }
    for index in marks.indices { marks[index].number += last - newest.number }
  }
}

extension LogLists {
  /// Adopts the number marks that a folder's segments have.
  ///
  /// - Parameter isCut: whether the folder has more titles than are kept.
  mutating func adopt(numbers found: [NumberMark], isCut: Bool) {
    var written: [NumberMark] = []
    // Titles in front of the oldest are not known: numbers cannot be counted there.
    let from = isCut ? titles.first?.media ?? .zero : .zero
    for mark in found.sorted(by: { $0.position < $1.position })
    where mark.position < edge.position && mark.border >= from && isPlausible(mark) {
      guard let last = written.last else {
        written.append(mark)
        continue
      }
      if last.position < mark.position, last.media <= mark.media { written.append(mark) }
    }
    let changes = formats.dropFirst()
    let streams = Set(changes.map(\.position))
    let places = isCut ? [] : self.places(without: written, streams)
    var scan = NumberScan(titles: titles)
    let offset = written.first.map { $0.programme - $0.media } ?? .zero
    var (mark, place) = (0, 0)
    while mark < written.count || place < places.count {
      if place < places.count,
        mark == written.count || places[place].point.position < written[mark].position
      {
        scan.add(places[place], offset: offset)
        place += 1
      } else {
        scan.add(written[mark], isStream: streams.contains(written[mark].position))
        mark += 1
      }
    }
    scan.end(at: NumberMark.firstNumber(at: air.wall(at: edge.media)))
    numbers = scan.marks
  }

  /// Whether the mark's media time can be that of its position: it lies in its segment, or between two.
  private func isPlausible(_ mark: NumberMark) -> Bool {
    var (low, high) = (0, segments.count)
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].end.position <= mark.position { low = middle + 1 } else { high = middle }
    }
    let least = low > 0 ? segments[low - 1].end.media : .zero
    guard low < segments.count else { return (least...max(least, edge.media)).contains(mark.media) }
    let segment = segments[low]
    return mark.position < segment.start.position
      ? (least...max(least, segment.start.media)).contains(mark.media)
      : (segment.start.media...max(segment.start.media, segment.end.media)).contains(mark.media)
  }

  /// The segments without numbers, and the gaps in them.
  private func places(
    without marks: [NumberMark], _ streams: Set<UInt64>
  ) -> [NumberScan.Place] {
    let starts = Set(marks.map(\.position))
    let gaps = Dictionary(
      gaps.filter { $0.seconds > 0 }.map { ($0.position, $0) }, uniquingKeysWith: { $1 })
    var places: [NumberScan.Place] = []
    let gapPositions = gaps.keys.sorted()
    var next = 0
    for segment in segments {
      while next < gapPositions.count, gapPositions[next] < segment.start.position { next += 1 }
      guard !starts.contains(segment.start.position) else { continue }
      let life = UInt64(segment.file.seed)
      let start = segment.start.position
      places.append(
        NumberScan.Place(
          point: segment.start, life: life, isGap: gaps[start] != nil,
          isStream: streams.contains(start)))
      while next < gapPositions.count, gapPositions[next] < segment.end.position {
        let position = gapPositions[next]
        next += 1
        guard position > start, !starts.contains(position) else { continue }
        places.append(
          NumberScan.Place(
            point: LogPoint(position: position, media: media(near: position)), life: life,
            isGap: true, isStream: false))
      }
    }
    return places
  }
}
