import Timeshift
import Wire

/// The ICY blocks of one mount's titles as the kernel takes them, made once per title and loop.
final class ICYBlocks {
  /// A block's bytes, at an address that stays.
  final class Block {
    let bytes: UnsafeRawBufferPointer

    init(_ block: [UInt8]) {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: block.count, alignment: 1)
      copy.copyBytes(from: block)
      bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
  }

  /// How many titles are held; listeners at more places than this make them anew.
  private static let countMax = 256

  /// A single 0x00: no change.
  let unchanged = Block(ICYBlock.empty)
  private var blocks: [UInt64: Block] = [:]

  /// Drops the blocks if there are too many. Called between turns, when blocks of the last turn are no longer in use.
  func startTurn() {
    if blocks.count > Self.countMax { blocks.removeAll() }
  }

  /// Returns the block of the title whose mark is at `mark`; `.max` stands for no title.
  func block(mark: UInt64, in reader: LogReader) -> UnsafeRawBufferPointer {
    if let block = blocks[mark] { return block.bytes }
    let title = mark == .max ? nil : reader.titleMark(at: mark)?.title
    let block = Block(ICYBlock.bytes(for: title ?? Title(text: "")))
    blocks[mark] = block
    return block.bytes
  }
}
