/// What a player takes from a media playlist.
struct HLSList {
  struct Segment {
    var number: UInt64
    /// Relative to the list.
    var address: Substring
    var seconds: Double
  }

  /// Those that it names, the oldest first; a delta leaves out the older ones.
  private(set) var segments: [Segment] = []
  /// The number of the segment that comes next.
  private(set) var next: UInt64
  /// The longest that a segment may be, in seconds.
  private(set) var target = 6.0

  /// The newest segment's address.
  var newest: String { segments.last.map { String($0.address) } ?? "" }

  init?(_ body: [UInt8]) {
    var number: UInt64?
    var seconds = 0.0
    for line in String(decoding: body, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("#EXT-X-MEDIA-SEQUENCE:") {
        number = UInt64(line.dropFirst(22))
      } else if line.hasPrefix("#EXT-X-TARGETDURATION:") {
        target = Double(line.dropFirst(22)) ?? target
      } else if line.hasPrefix("#EXT-X-SKIP:SKIPPED-SEGMENTS=") {
        let digits = line.dropFirst(29).prefix { $0.isNumber }
        number = UInt64(digits).flatMap { skipped in number.map { $0 + skipped } }
      } else if line.hasPrefix("#EXTINF:") {
        seconds = Double(line.dropFirst(8).prefix { $0 != "," }) ?? 0
      } else if !line.hasPrefix("#"), let listed = number {
        segments.append(Segment(number: listed, address: line, seconds: seconds))
        number = listed + 1
      }
    }
    guard let number, !segments.isEmpty else { return nil }
    next = number
  }

  /// Returns the newest segments that are so long together.
  func last(seconds: Double) -> ArraySlice<Segment> {
    var (first, sum) = (segments.endIndex, 0.0)
    while first > segments.startIndex, sum < seconds {
      first -= 1
      sum += segments[first].seconds
    }
    return segments[first...]
  }
}
