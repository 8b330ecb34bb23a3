import Wire

extension Cells {
  /// The most pieces of a span: what a list of a day has at two seconds and a title in each.
  private static let spanPiecesMax = 100_000

  /// The pieces from the one that holds `start` up to the one before `end`, so far as they are listed or have been.
  public func pieces(from start: MediaTime, to end: MediaTime) -> [Piece] {
    var found: [Piece] = []
    for (place, mark) in borders.marks.enumerated() where start < ends[place] {
      guard max(mark.border, mark.start(of: mark.cell(at: start))) < end else { break }
      found += pieces(from: start, to: end, of: place)
    }
    return found
  }

  /// The same by programme time.
  public func pieces(programme: Range<MediaTime>) -> [Piece] {
    borders.marks.enumerated().flatMap { place, mark in
      let ahead = mark.media - mark.programme
      return pieces(
        from: programme.lowerBound + ahead, to: programme.upperBound + ahead, of: place)
    }
  }

  /// The programme time at a media time; nil in front of all marks.
  public func programme(at media: MediaTime) -> MediaTime? {
    let place = PieceBorders.index(borders.marks, from: media + .flick, \.media)
    return place > 0 ? borders.marks[place - 1].programme(at: media) : nil
  }

  private func pieces(from start: MediaTime, to end: MediaTime, of place: Int) -> [Piece] {
    let mark = borders.marks[place]
    var found: [Piece] = []
    var cell = max(mark.cell, mark.cell(at: start))
    guard start < ends[place], mark.start(of: cell) < end else { return [] }
    var number = number(of: cell, by: place)
    while mark.start(of: cell) < end, isListed(cell, of: place), found.count < Self.spanPiecesMax {
      let pieces = pieces(of: cell, place, number, isWhole: false)
      found += pieces.filter { $0.end > start && $0.start < end }
      number += Int64(pieces.count)
      cell += 1
    }
    return found
  }
}
