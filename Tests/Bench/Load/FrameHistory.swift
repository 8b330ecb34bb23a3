/// The upstream's recent past: bytes by position since its beginning. Both ends lie on frame boundaries.
struct FrameHistory {
  private(set) var frames: StampedFrames
  private var bytes: [UInt8] = []
  private var firstFrame: UInt64 = 0
  private let framesMax: UInt64

  /// - Parameter seconds: The seconds of past that are kept.
  init(bitrate: Int, seconds: Double) {
    frames = StampedFrames(bitrate: bitrate)
    framesMax = StampedFrames.frames(in: seconds) + 1
  }

  var oldest: UInt64 { frames.bytes(ofFrames: firstFrame) }
  var edge: UInt64 { frames.bytes(ofFrames: frames.number) }

  /// Returns the position at which a newcomer begins that gets the last `secondsBack` seconds at once.
  func start(secondsBack: Double) -> UInt64 {
    let back = StampedFrames.frames(in: secondsBack)
    return frames.bytes(ofFrames: max(firstFrame, frames.number - min(frames.number, back)))
  }

  /// Adds frames up to `position`.
  mutating func advance(to position: UInt64, stamp: Int64) {
    while edge < position { frames.append(to: &bytes, stamp: stamp) }
    // The past is dropped in large pieces, because each drop moves the rest.
    guard frames.number - firstFrame > framesMax * 2 else { return }
    let kept = frames.number - framesMax
    bytes.removeFirst(Int(frames.bytes(ofFrames: kept) - oldest))
    firstFrame = kept
  }

  subscript(range: Range<UInt64>) -> ArraySlice<UInt8> {
    bytes[Int(range.lowerBound - oldest)..<Int(range.upperBound - oldest)]
  }

  /// Returns the number of the title at a position.
  func title(at position: UInt64) -> Int {
    Int(Double(position) / (frames.bytesPerSecond * BenchTitle.seconds))
  }
}
