/// The positions in an upstream's stream at which a listener may begin: frames, or with titles the beginnings of
/// intervals. Also removes the upstream's head.
struct StreamStarts {
  private static let countMax = 4096

  private let metaint: Int
  private var icy: ICYFollower
  private var frames = FrameFollower(comparesFiller: false)
  private var positions: [UInt64] = []
  /// The number of bytes of "\r\n\r\n" seen; 4 when the body has begun.
  private var headEndSeen = 0

  init(metaint: Int) {
    self.metaint = metaint
    icy = ICYFollower(metaint: metaint)
  }

  /// Returns the part of `bytes` after the head.
  mutating func body(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var index = 0
    while headEndSeen < 4 && index < bytes.count {
      let isExpected = bytes[index] == (headEndSeen % 2 == 0 ? 13 : 10)
      headEndSeen = isExpected ? headEndSeen + 1 : (bytes[index] == 13 ? 1 : 0)
      index += 1
    }
    return UnsafeRawBufferPointer(rebasing: bytes[index...])
  }

  /// Notes the starts in bytes that stand at `position`.
  mutating func follow(_ bytes: UnsafeRawBufferPointer, at position: UInt64) {
    var index = 0
    while index < bytes.count {
      if metaint > 0 {
        guard let audio = icy.next(in: bytes, from: &index) else { break }
        if icy.audioSinceBlock == audio.count {
          positions.append(position + UInt64(audio.lowerBound))
        }
        continue
      }
      // Single bytes are quick enough for one stream with few frames.
      if frames.isAtFrame { positions.append(position + UInt64(index)) }
      frames.consume(UnsafeRawBufferPointer(rebasing: bytes[index...index])) { _ in }
      index += 1
    }
    if positions.count > Self.countMax * 2 { positions.removeFirst(Self.countMax) }
  }

  /// Returns the oldest start not before `position`, else the newest one; nil before the first start.
  func first(atOrAfter position: UInt64) -> UInt64? {
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      if positions[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low < positions.count ? positions[low] : positions.last
  }
}
