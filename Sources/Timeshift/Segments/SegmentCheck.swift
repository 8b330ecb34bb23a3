import CLinux
import Glibc

/// Compares a segment's spans with their checksums. For a thread that may wait for the disk, one buffer at a time.
struct SegmentCheck {
  /// Bytes of audio read in one call.
  static let bufferBytes = 128 * 1024

  let index: SegmentIndex
  let audio: LogFile
  let read: @Sendable (Int32, UnsafeMutableRawBufferPointer, UInt64) -> Int
  /// When spans that the disk did not give are tried again, in monotonic nanoseconds.
  let retryAt: Int64

  /// Returns the damage in `places`. Ends early if the disk gives nothing.
  func run(
    _ places: Range<Int>, _ buffer: UnsafeMutableRawBufferPointer
  ) -> [(place: Int, damage: SpanDamage)] {
    var found: [(place: Int, damage: SpanDamage)] = []
    var offset = index.offset(of: index.spanRange(places.lowerBound).lowerBound)
    let end = index.offset(of: index.spanRange(places.upperBound - 1).upperBound)
    var ready = UnsafeRawBufferPointer(start: nil, count: 0)
    for place in places {
      let range = index.spanRange(place)
      var (left, crc) = (range.count, UInt32(0))
      while left > 0 {
        if ready.isEmpty {
          let wanted = Int(clamping: min(UInt64(buffer.count), end - offset))
          let count = read(
            audio.descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), offset)
          if count < 0 {
            for next in index.passedOver(from: place) {
              index.states.set(next, .unread, retryAt: retryAt)
            }
            let reason = String(cString: strerror(Int32(clamping: -count)))
            let damage = SpanDamage(
              start: index.spanPoint(place), reason: reason, isContent: false)
            return found + [(place, damage)]
          }
          if count == 0 { return found + markShort(from: place) }
          ready = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          offset += UInt64(count)
        }
        let part = min(left, ready.count)
        crc = linux_crc32c(crc, ready.baseAddress, part)
        ready = UnsafeRawBufferPointer(rebasing: ready[part...])
        left -= part
      }
      let isWhole = crc == index.crc(place)
      index.states.set(place, isWhole ? .whole : .damaged)
      if !isWhole {
        let damage = SpanDamage(
          start: index.spanPoint(place), reason: "its bytes are not those written")
        found.append((place, damage))
      }
    }
    return found
  }

  /// Marks all spans from `place` on as damaged: the file ends before this span does.
  private func markShort(from place: Int) -> [(place: Int, damage: SpanDamage)] {
    (place..<index.spanCount).map { place in
      index.states.set(place, .damaged)
      return (
        place, SpanDamage(start: index.spanPoint(place), reason: "the file is shorter than it was")
      )
    }
  }
}

extension SegmentIndex {
  /// The span that holds `position` and those after it, about `count` bytes.
  ///
  /// Unchecked spans of the second before are included: a jump to `position` needs their bytes for its lead-in.
  func places(from position: UInt64, bytes count: Int) -> Range<Int> {
    var first = place(holding: position)
    let from = spanPoint(first).media - MediaTime(seconds: 1)
    while first > 0, states[first - 1] == .unchecked, spanPoint(first).media > from { first -= 1 }
    let stop = position.addingReportingOverflow(UInt64(count))
    var last = max(first, place(holding: position))
    while last + 1 < spanCount, !stop.overflow,
      spanRange(last + 1).upperBound <= stop.partialValue
    {
      last += 1
    }
    return first..<last + 1
  }
}
