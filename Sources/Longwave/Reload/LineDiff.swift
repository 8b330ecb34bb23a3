/// What differs between two texts, line by line.
///
/// Lines that both texts have once are matched in the longest order that both share ("patience diff"); between two of
/// them only equal beginnings and ends are. So the work is n log n however the texts differ, and moved stations are
/// told as removed here and added there.
struct LineDiff {
  enum Operation: String, CaseIterable {
    case same = " "
    case added = "+"
    case removed = "-"
  }

  struct Line: Hashable {
    var operation: Operation
    var text: String
    /// Line of the new text, from 1; of the old text for a removed line.
    var number: Int
  }

  /// Returns a text's lines, without an empty one behind the last line end.
  static func split(_ text: String) -> [Substring] {
    // In Swift "\r\n" is one character.
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private let old: [Substring]
  private let new: [Substring]
  private var lines: [Line] = []

  /// Returns the differences with up to `context` equal lines around each.
  static func lines(from old: [Substring], to new: [Substring], context: Int = 3) -> [Line] {
    var diff = LineDiff(old: old, new: new)
    diff.compare(0..<diff.old.count, 0..<diff.new.count)
    return near(diff.lines, context)
  }

  private init(old: [Substring], new: [Substring]) { (self.old, self.new) = (old, new) }

  // MARK: Comparing

  private mutating func compare(_ old: Range<Int>, _ new: Range<Int>) {
    var (from, to) = (old.lowerBound, new.lowerBound)
    for (oldPlace, newPlace) in anchors(old, new) {
      tell(from..<oldPlace, to..<newPlace)
      keep(newPlace)
      (from, to) = (oldPlace + 1, newPlace + 1)
    }
    tell(from..<old.upperBound, to..<new.upperBound)
  }

  /// Tells lines between two anchors: what they begin and end with in common stays.
  private mutating func tell(_ old: Range<Int>, _ new: Range<Int>) {
    var (head, tail) = (0, 0)
    let least = min(old.count, new.count)
    while head < least, self.old[old.lowerBound + head] == self.new[new.lowerBound + head] {
      head += 1
    }
    while tail < least - head,
      self.old[old.upperBound - 1 - tail] == self.new[new.upperBound - 1 - tail]
    {
      tail += 1
    }
    for place in new.prefix(head) { keep(place) }
    for place in old.dropFirst(head).dropLast(tail) {
      lines.append(
        Line(operation: .removed, text: String(self.old[place]), number: place + 1))
    }
    for place in new.dropFirst(head).dropLast(tail) {
      lines.append(Line(operation: .added, text: String(self.new[place]), number: place + 1))
    }
    for place in new.suffix(tail) { keep(place) }
  }

  private mutating func keep(_ place: Int) {
    lines.append(Line(operation: .same, text: String(new[place]), number: place + 1))
  }

  /// Returns the places of lines that both texts have once, rising in both.
  private func anchors(_ old: Range<Int>, _ new: Range<Int>) -> [(old: Int, new: Int)] {
    let (oldOnce, newOnce) = (Self.once(self.old), Self.once(self.new))
    let pairs = new.compactMap { place -> (old: Int, new: Int)? in
      guard newOnce[self.new[place]] == .some(.some(place)),
        case .some(.some(let other)) = oldOnce[self.new[place]]
      else { return nil }
      return (other, place)
    }
    return Self.longestRise(pairs)
  }

  /// Returns each line's place; nil as the place of a line that is there several times.
  private static func once(_ lines: [Substring]) -> [Substring: Int?] {
    var places: [Substring: Int?] = [:]
    for (place, line) in lines.enumerated() {
      places.updateValue(places[line] == nil ? place : nil, forKey: line)
    }
    return places
  }

  /// Returns the most pairs whose old places rise, of pairs whose new places do.
  private static func longestRise(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    // The pair at which a rise of each length ends lowest, and the pair before each pair.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: pairs.count)
    for index in pairs.indices {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].old < pairs[index].old { low = middle + 1 } else { high = middle }
      }
      before[index] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var rise: [(old: Int, new: Int)] = []
    var next = ends.last
    while let index = next {
      rise.append(pairs[index])
      next = before[index]
    }
    return rise.reversed()
  }

  // MARK: Context

  /// Returns the lines that differ, with `context` equal ones before and behind.
  private static func near(_ lines: [Line], _ context: Int) -> [Line] {
    var isNear = [Bool](repeating: false, count: lines.count)
    for (index, line) in lines.enumerated() where line.operation != .same {
      for near in max(0, index - context)...min(lines.count - 1, index + context) {
        isNear[near] = true
      }
    }
    return zip(lines, isNear).filter(\.1).map(\.0)
  }
}
