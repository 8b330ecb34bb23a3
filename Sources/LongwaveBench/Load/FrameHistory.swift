/// The upstream's recent past: bytes by position since its beginning, on frame boundaries at both
/// ends.
struct FrameHistory {
  private(set) var frames: StampedFrames
  private var bytes: [UInt8] = []
  private var firstFrame: UInt64 = 0
  private let framesMax: UInt64

  /// - Parameter seconds: of past that is kept.
  init(bitrate: Int, seconds: Double) {
    frames = StampedFrames(bitrate: bitrate)
    framesMax = StampedFrames.frames(in: seconds) + 1
  }

  var oldest: UInt64 { frames.bytes(ofFrames: firstFrame) }
  var edge: UInt64 { frames.bytes(ofFrames: frames.number) }

  /// Where a newcomer begins that gets the last `seconds` at once.
  func start(secondsBack: Double) -> UInt64 {
    let back = StampedFrames.frames(in: secondsBack)
    return frames.bytes(ofFrames: max(firstFrame, frames.number - min(frames.number, back)))
  }

  /// Adds frames up to `position`.
  mutating func advance(to position: UInt64, stamp: Int64) {
    while edge < position { frames.append(to: &bytes, stamp: stamp) }
    // Dropped in large pieces: each moves the rest.
    guard frames.number - firstFrame > framesMax * 2 else { return }
    let kept = frames.number - framesMax
    bytes.removeFirst(Int(frames.bytes(ofFrames: kept) - oldest))
    firstFrame = kept
  }

  subscript(range: Range<UInt64>) -> ArraySlice<UInt8> {
    bytes[Int(range.lowerBound - oldest)..<Int(range.upperBound - oldest)]
  }

  /// The title that sounds at a position.
  func title(at position: UInt64) -> Int {
    Int(Double(position) / (frames.bytesPerSecond * BenchTitle.seconds))
  }
}
