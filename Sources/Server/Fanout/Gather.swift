// Hot: runs once per listener and turn.

import Glibc
import Timeshift

/// The parts of one gather write: audio, an ICY block, audio. Its memory is made once per loop.
struct Gather: ~Copyable {
  enum Kind {
    /// From `LineState`: response head, cut packet, lead-in.
    case rest
    case audio
    /// An ICY block.
    case block
  }

  /// Parts for the longest packet with a block every `metaintMin` bytes, and some: below IOV_MAX (1024).
  static let partsMax = 600
  /// Bytes of audio in one turn; a listener that is owed more gets the rest in the next.
  static let turnBytes = 64 * 1024
  /// Bytes for a turn's last packet, which goes out whole.
  static let packetBytesMax = LogConfiguration.packetBytesMax

  let vectors: UnsafeMutablePointer<iovec>
  private let kinds: UnsafeMutablePointer<Kind>
  /// For a block: the position of its title's mark.
  private let marks: UnsafeMutablePointer<UInt64>
  private(set) var count = 0
  private(set) var bytes = 0
  /// Memory into which segments are read.
  private let scratch: UnsafeMutableRawBufferPointer
  private var scratchUsed = 0

  init() {
    vectors = .allocate(capacity: Self.partsMax)
    kinds = .allocate(capacity: Self.partsMax)
    marks = .allocate(capacity: Self.partsMax)
    scratch = .allocate(byteCount: Self.turnBytes + Self.packetBytesMax, alignment: 16)
  }

  deinit {
    vectors.deallocate()
    kinds.deallocate()
    marks.deallocate()
    scratch.deallocate()
  }

  mutating func removeAll() {
    count = 0
    bytes = 0
    scratchUsed = 0
  }

  var isFull: Bool { count == Self.partsMax }

  /// Whether there are parts for a packet of so many bytes: its pages' heads apart, and the blocks that may fall into it.
  func hasRoom(audioBytes: Int) -> Bool {
    // A page has up to 65,307 bytes.
    let pages = audioBytes >> 15 &+ 1
    return Self.partsMax - count > 2 * (audioBytes / ListenerSettings.metaintMin + pages + 1)
  }

  /// The part of the scratch memory that is still free.
  var freeScratch: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: scratch[scratchUsed...])
  }

  mutating func add(_ kind: Kind, _ part: UnsafeRawBufferPointer, mark: UInt64 = 0) {
    vectors[count] = iovec(
      iov_base: UnsafeMutableRawPointer(mutating: part.baseAddress), iov_len: part.count)
    kinds[count] = kind
    marks[count] = mark
    count += 1
    bytes += part.count
    if let base = part.baseAddress, base >= UnsafeRawPointer(scratch.baseAddress!),
      base < UnsafeRawPointer(scratch.baseAddress!) + scratch.count
    {
      scratchUsed += part.count
    }
  }

  func kind(_ index: Int) -> Kind { kinds[index] }
  func mark(_ index: Int) -> UInt64 { marks[index] }
  func part(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: vectors[index].iov_base, count: vectors[index].iov_len)
  }

  /// Removes audio (and the blocks behind it) from the end, until `audioBytes` less are in it.
  mutating func trim(audioBytes: Int) {
    var left = audioBytes
    while left > 0, count > 0 {
      let last = count - 1
      let length = vectors[last].iov_len
      if kinds[last] == .audio, length > left {
        vectors[last].iov_len -= left
        bytes -= left
        return
      }
      if kinds[last] == .audio { left -= length }
      bytes -= length
      count = last
    }
  }
}
