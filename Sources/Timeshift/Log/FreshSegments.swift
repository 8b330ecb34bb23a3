/// Segments in a log's folder that the log did not know: they came back, or could not be read before.
struct FreshSegments {
  /// The stretches that the fresh segments cover, in order.
  private let ranges: [Range<UInt64>]
  /// The starts of all segments now known; at these places the folder tells which format is in force.
  private let starts: Set<UInt64>

  init(_ kept: [SegmentInfo], unknownTo segments: [SegmentInfo]) {
    let known = Set(segments.map(\.start.position))
    starts = Set(kept.map(\.start.position))
    let fresh = kept.filter { !known.contains($0.start.position) }
    ranges = fresh.reduce(into: []) { ranges, segment in
      let (start, end) = (segment.start.position, segment.end.position)
      if let last = ranges.last, last.upperBound == start {
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        ranges.append(start..<end)
      }
    }
  }

  /// Merges marks: the log's own outside the fresh segments, the found ones within them; in order.
  func merged<Mark>(_ own: [Mark], _ found: [Mark], _ position: (Mark) -> UInt64) -> [Mark] {
    merge(own, found, position) { place in ranges.contains { $0.contains(place) } }
  }

  /// Merges formats as `merged` does marks; the stretch after a fresh one keeps its own format.
  func merged(
    formats own: [FormatMark], _ found: [FormatMark], before edge: UInt64
  ) -> [FormatMark] {
    let isWithin = { (place: UInt64) in
      ranges.contains { $0.contains(place) || place == $0.upperBound && starts.contains(place) }
    }
    var formats: [FormatMark] = []
    for mark in merge(own, found, \.position, isWithin: isWithin) {
      // A format that a segment merely repeats is no new stream.
      if let last = formats.last, isWithin(mark.position), last.isSame(as: mark) { continue }
      formats.append(mark)
    }
    for end in ranges.map(\.upperBound) where !starts.contains(end) && end < edge {
      guard var mark = own.last(where: { $0.position <= end }) else { continue }
      let next = formats.firstIndex { $0.position > end } ?? formats.count
      if let before = formats[..<next].last, before.position == end || before.isSame(as: mark) {
        continue
      }
      mark.position = end
      formats.insert(mark, at: next)
    }
    return formats
  }

  private func merge<Mark>(
    _ own: [Mark], _ found: [Mark], _ position: (Mark) -> UInt64, isWithin: (UInt64) -> Bool
  ) -> [Mark] {
    (own.filter { !isWithin(position($0)) } + found.filter { isWithin(position($0)) })
      .sorted { position($0) < position($1) }
  }
}
