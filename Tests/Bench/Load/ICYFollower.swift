/// Splits one listener's ICY stream into audio and blocks, and checks every block. Pure and incremental.
struct ICYFollower {
  /// The number of correct blocks with a title.
  private(set) var titles = 0
  /// The number of blocks that hold no title of the bench's upstream, or an earlier title than before.
  private(set) var badBlocks = 0

  private let metaint: Int
  private var audioLeft: Int
  /// The bytes of a block's text still to come; nil before the block's length byte.
  private var textLeft: Int?
  private var text: [UInt8] = []
  private var newest = -1

  /// - Parameter metaint: The audio bytes between two blocks; 0 for a stream without blocks.
  init(metaint: Int) {
    self.metaint = metaint
    audioLeft = metaint > 0 ? metaint : .max
  }

  /// Returns the next stretch of audio at or after `from`, and moves `from` past it; nil when all bytes are consumed.
  mutating func next(in bytes: UnsafeRawBufferPointer, from: inout Int) -> Range<Int>? {
    while from < bytes.count {
      if audioLeft > 0 {
        let end = min(bytes.count, from + min(audioLeft, bytes.count))
        let range = from..<end
        if metaint > 0 { audioLeft -= range.count }
        from = end
        return range
      }
      takeBlock(bytes, from: &from)
    }
    return nil
  }

  /// The bytes of audio since the last block, or since the beginning.
  var audioSinceBlock: Int { metaint - audioLeft }

  private mutating func takeBlock(_ bytes: UnsafeRawBufferPointer, from: inout Int) {
    guard let left = textLeft else {
      textLeft = Int(bytes[from]) * 16
      from += 1
      if textLeft == 0 { endBlock() }
      return
    }
    let end = min(bytes.count, from + left)
    text.append(contentsOf: bytes[from..<end])
    textLeft = left - (end - from)
    from = end
    guard textLeft == 0 else { return }
    if let number = BenchTitle.number(in: text), number >= newest {
      titles += 1
      newest = number
    } else {
      badBlocks += 1
    }
    endBlock()
  }

  private mutating func endBlock() {
    text.removeAll(keepingCapacity: true)
    textLeft = nil
    audioLeft = metaint
  }
}
