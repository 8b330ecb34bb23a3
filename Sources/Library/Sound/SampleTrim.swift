import Wire

/// Leaves out of decoded samples those that an encoder added: in front, at the end, and behind a known number.
struct SampleTrim {
  /// Samples of a channel that are still to be left out in front.
  private var front: Int64
  /// Samples of a channel at the end that are left out; so many are held until others follow.
  private let held: Int
  /// Samples of a channel that are still to be heard; nil: all.
  private var heard: Int64?
  /// The rate in Hz that `front` and `heard` count; nil: that of the samples.
  private var scale: Int?
  private var waiting: [Int16] = []
  /// Of what waits.
  private var format = (rate: 0, channels: 0)

  private static let heldMax = 1 << 16

  init(front: Int = 0, held: Int = 0, heard: Int64? = nil, scale: Int? = nil) {
    self.front = Int64(max(0, front))
    self.held = min(Self.heldMax, max(0, held))
    (self.heard, self.scale) = (heard.map { max(0, $0) }, scale)
  }

  /// Counts a packet: so many more samples are left out in front, and so many more are heard.
  mutating func add(front: Int, heard: Int) {
    self.front = self.front.saturatingAdd(Int64(max(0, front)))
    self.heard = (self.heard ?? 0).saturatingAdd(Int64(max(0, heard)))
  }

  /// Passes on what is heard of interleaved samples.
  mutating func pass(
    _ samples: UnsafeBufferPointer<Int16>, rate: Int, channels: Int,
    _ take: (UnsafeBufferPointer<Int16>, _ rate: Int, _ channels: Int) -> Void
  ) {
    guard rate > 0, channels > 0 else { return }
    if format != (rate, channels) {
      // A file that goes on in another format was joined of two: the end of the first one is heard.
      if !waiting.isEmpty {
        waiting.withUnsafeBufferPointer { take($0, format.rate, format.channels) }
        waiting = []
      }
      format = (rate, channels)
    }
    if let counted = scale, counted > 0, counted != rate {
      let factor = Double(rate) / Double(counted)
      front = Int64(bounded: Double(front) * factor)
      heard = heard.map { Int64(bounded: Double($0) * factor) }
    }
    if scale != nil { scale = rate }
    var (from, count) = (0, samples.count / channels)
    let left = Int(min(front, Int64(count)))
    front -= Int64(left)
    from += left
    count -= left
    if let most = heard {
      count = Int(min(most, Int64(count)))
      heard = most - Int64(count)
    }
    guard count > 0 else { return }
    let piece = UnsafeBufferPointer(rebasing: samples[from * channels..<(from + count) * channels])
    if held == 0 { return take(piece, rate, channels) }
    waiting += piece
    let ready = waiting.count - held * channels
    guard ready > 0 else { return }
    waiting.withUnsafeBufferPointer {
      take(UnsafeBufferPointer(rebasing: $0[..<ready]), rate, channels)
    }
    waiting.removeFirst(ready)
  }
}
