/// Takes an upstream's ICY stream apart into audio and ICY blocks.
///
/// After every `metaint` bytes of audio stands a length byte N, then N × 16 bytes of text, padded with NUL. Audio is
/// returned as ranges of the bytes shown. Only the text of a block (at most 4,080 bytes) is kept, until it is whole.
/// Each connection has its own deinterleaver.
public struct ICYDeinterleaver: Sendable {
  /// The announced `metaint` values that are accepted, in bytes. Upstreams use 8,192, 16,000 and 16,384.
  public static let metaintRange = 1...1_048_576

  /// A piece of the stream.
  public enum Piece: Hashable, Sendable {
    /// Audio, as a range of the bytes shown.
    case audio(Range<Int>)
    /// The text of one block without its length byte and padding; never empty.
    case block([UInt8])
  }

  private enum State: Sendable {
    case audio(left: Int)
    case length
    case text(left: Int)
  }

  private let metaint: Int
  private var state: State
  private var text: [UInt8] = []

  /// Makes a deinterleaver that stands at the first byte of a response's body.
  ///
  /// - Parameter metaint: Bytes of audio between two blocks, in `metaintRange`.
  public init(metaint: Int) {
    precondition(Self.metaintRange.contains(metaint), "metaint is out of range")
    self.metaint = metaint
    state = .audio(left: metaint)
  }

  /// Makes a deinterleaver that stands at the length byte of a block.
  public init(atBlock metaint: Int) {
    self.init(metaint: metaint)
    state = .length
  }

  /// Returns the first piece at or after `from`, and the index where it ends.
  ///
  /// Call again from `end` until `piece` is nil: all bytes are then consumed, and the next call may show the bytes that
  /// follow. Empty blocks are passed over.
  public mutating func next(in bytes: Span<UInt8>, from: Int) -> (piece: Piece?, end: Int) {
    var index = from
    while index < bytes.count {
      switch state {
      case .audio(let left):
        let end = min(index + left, bytes.count)
        state = end - index == left ? .length : .audio(left: left - (end - index))
        return (.audio(index..<end), end)
      case .length:
        let length = Int(bytes[index]) * 16
        state = length == 0 ? .audio(left: metaint) : .text(left: length)
        index += 1
      case .text(let left):
        let end = min(index + left, bytes.count)
        for position in index..<end { text.append(bytes[position]) }
        guard end - index == left else {
          state = .text(left: left - (end - index))
          return (nil, end)
        }
        state = .audio(left: metaint)
        index = end
        let block = popBlock()
        if !block.isEmpty { return (.block(block), end) }
      }
    }
    return (nil, index)
  }

  private mutating func popBlock() -> [UInt8] {
    defer { text = [] }
    guard let last = text.lastIndex(where: { $0 != 0 }) else { return [] }
    text.removeSubrange((last + 1)...)
    return text
  }
}
