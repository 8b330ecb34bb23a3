import Wire

/// From which media time on packets are of a format.
struct PieceStream {
  var media: MediaTime
  /// The discontinuities up to its beginning.
  var discontinuities: Int64
  var mark: FormatMark

  /// The streams of a log, in order; a number mark stands where each begins.
  static func all(_ lists: LogLists) -> [PieceStream] {
    var streams: [PieceStream] = []
    var next = 0
    for number in lists.numbers {
      while next < lists.formats.count, lists.formats[next].position <= number.position {
        next += 1
      }
      guard next > 0 || streams.isEmpty,
        let mark = next > 0 ? lists.formats[next - 1] : lists.formats.first
      else {
        continue
      }
      if let last = streams.last, last.mark.isSame(as: mark) { continue }
      streams.append(
        PieceStream(media: number.media, discontinuities: number.discontinuities, mark: mark))
    }
    return streams
  }
}

extension Cells {
  func stream(at media: MediaTime) -> PieceStream? {
    let place = PieceBorders.index(streams, from: media + .flick, \.media)
    return place > 0 ? streams[place - 1] : streams.first
  }

  /// The headers of the stream that begins behind so many discontinuities; nil where a key has no such stream, or the
  /// stream no headers.
  public func headers(_ key: PieceKey, discontinuities: Int64) -> OggHeaders? {
    guard let place = streams.lastIndex(where: { $0.discontinuities == discontinuities }) else {
      return nil
    }
    let end = place + 1 < streams.count ? streams[place + 1].media : .max
    let marks = borders.marks
    let isOfKey = marks.indices.contains {
      // A mark has whole cells, with all streams in them: also those that end where it stands.
      PieceKey(marks[$0]) == key && min(marks[$0].media, marks[$0].border) < end
        && streams[place].media < ends[$0]
    }
    guard isOfKey else { return nil }
    let pages = streams[place].mark.headers
    return OggHeaders.read(pages: pages.span)?.headers
  }
}
