import Library
import Wire

/// When which item of a programme was on air, so that what is heard of its log counts for the right one.
struct PlaySpans: Sendable {
  private struct Span: Sendable {
    /// Air times, in milliseconds since 1970.
    var from: Int64
    var until: Int64
    var key: Play.Key
  }

  /// The most items that are known: more than a week of short tracks.
  static let max = 4096
  /// An item that plays has no end.
  static let open = Int64.max

  /// In the order of their beginnings.
  private var spans: [Span] = []

  var count: Int { spans.count }

  /// Notes when an item is on air.
  ///
  /// - Parameter until: `open` while it plays.
  mutating func set(_ key: Play.Key, from: Int64, until: Int64) {
    if let index = spans.lastIndex(where: { $0.key == key }) {
      // In the first seconds of a log its air times are found.
      let earliest = index > 0 ? spans[index - 1].from : Int64.min
      (spans[index].from, spans[index].until) = (Swift.max(earliest, from), until)
      return
    }
    let index = spans.lastIndex { $0.from <= from }.map { $0 + 1 } ?? 0
    spans.insert(Span(from: from, until: until, key: key), at: index)
    if spans.count > Self.max { spans.removeFirst() }
  }

  /// Notes when an item was on air, unless that is known better.
  mutating func learn(_ key: Play.Key, from: Int64, until: Int64) {
    if spans.contains(where: { $0.key == key }) { return }
    set(key, from: from, until: until)
  }

  /// Divides a time in which listeners heard the log among the items that were on air then.
  ///
  /// - Parameter times: Air times, in milliseconds since 1970.
  /// - Returns: milliseconds of each.
  func shares(of times: Range<Int64>) -> [(key: Play.Key, milliseconds: Int64)] {
    var shares: [(Play.Key, Int64)] = []
    var index = firstEnding(after: times.lowerBound)
    while index < spans.count, spans[index].from < times.upperBound {
      let span = spans[index]
      // Where one begins, the one before is over.
      let end = index + 1 < spans.count ? min(span.until, spans[index + 1].from) : span.until
      let length = min(end, times.upperBound) - Swift.max(span.from, times.lowerBound)
      if length > 0 { shares.append((span.key, length)) }
      index += 1
    }
    return shares
  }

  /// The last item that begins at a time or before it, else the first.
  private func firstEnding(after time: Int64) -> Int {
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].from <= time { low = middle + 1 } else { high = middle }
    }
    return Swift.max(0, low - 1)
  }
}
