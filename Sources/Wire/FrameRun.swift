/// A run of frames that belong together; the scanner holds sync on one run.
struct FrameRun: Hashable {
  /// The header bits that all frames of the run share (see `FrameHead.key`).
  var key: UInt32
  /// The length of an unpadded frame in free format; 0 where headers tell the length.
  var freeBytes: Int

  /// Whether a run begins at a frame; undecided while bytes are missing.
  enum Verdict: Equatable { case no, undecided, yes(FrameRun) }

  /// The most bytes that a verdict may need, counted from the first header. A frame is not believed when it is so long
  /// that the third header lies beyond this reach; no real ADTS frame comes near.
  static let reachMax = 16 * 1024

  /// The highest free-format bitrate that encoders use, in kbit/s; at 8 kHz a frame then has 5,760 bytes.
  private static let freeBitrateMax = 640

  /// Judges whether the frame `first` at `start` begins a run.
  ///
  /// A run needs three agreeing headers, each where the one before says; a tag may stand in place of the second or
  /// third. The verdict depends on the stream's bytes only, never on how many of them have arrived. With `atEnd`
  /// nothing is undecided: frames up to the end are enough, and a single frame is enough if `mayBeAlone`.
  static func judge(
    _ first: FrameHead, in bytes: Span<UInt8>, at start: Int, atEnd: Bool, mayBeAlone: Bool,
    toil: inout FrameToil
  ) -> Verdict {
    guard let length = first.bytes else {
      return toil.isTooMuch ? .no : judgeFree(first, in: bytes, at: start, atEnd: atEnd, &toil)
    }
    let run = FrameRun(key: first.key, freeBytes: 0)
    var next = start + length
    for agreeing in 1...2 {
      guard next - start + TagHeader.lookMax <= reachMax else { return .no }
      switch run.successor(in: bytes, at: next) {
      case .agrees(let length): next += length
      case .tag: return .yes(run)
      case .disagrees: return .no
      case .needMore where !atEnd: return .undecided
      case .needMore:
        let isWhole = start + length <= bytes.count
        return isWhole && (agreeing > 1 || mayBeAlone) ? .yes(run) : .no
      }
    }
    return .yes(run)
  }

  private enum Successor { case agrees(Int), tag, disagrees, needMore }

  /// Looks at the place where the next frame should begin.
  private func successor(in bytes: Span<UInt8>, at offset: Int) -> Successor {
    switch FrameHead.read(in: bytes, at: offset) {
    case .head(let head): return head.key == key ? .agrees(self.bytes(of: head)) : .disagrees
    case .needMore: return .needMore
    case .none: break
    }
    switch TagHeader.read(in: bytes, at: offset) {
    case .tag: return .tag
    case .needMore: return .needMore
    case .none: return .disagrees
    }
  }

  /// The length in bytes of a frame of this run.
  func bytes(of head: FrameHead) -> Int { head.bytes ?? freeBytes + head.padding }

  /// Judges a free-format frame: the nearest agreeing header begins the next frame if a third header stands as far
  /// behind it.
  private static func judgeFree(
    _ first: FrameHead, in bytes: Span<UInt8>, at start: Int, atEnd: Bool, _ toil: inout FrameToil
  ) -> Verdict {
    guard let header = first.mpeg else { return .no }
    let longest = header.frameBytes(bitrate: freeBitrateMax) + header.slotBytes
    // A frame holds at least its header, CRC and side info; in layers I and II at least a few bytes.
    for distance in max(header.mainDataOffset, 24)...longest {
      let second = start + distance
      guard second < bytes.count else { return atEnd ? .no : .undecided }
      guard bytes[second] == 0xFF else { continue }
      switch FrameHead.read(in: bytes, at: second) {
      case .none: continue
      case .needMore: return atEnd ? .no : .undecided
      case .head(let head):
        guard head.key == first.key else { continue }
        let run = FrameRun(key: first.key, freeBytes: distance - first.padding)
        let third = second + run.bytes(of: head)
        switch run.successor(in: bytes, at: third) {
        case .agrees, .tag: return .yes(run)
        case .disagrees: continue
        case .needMore where !atEnd: return .undecided
        case .needMore where third == bytes.count: return .yes(run)
        case .needMore: continue
        }
      }
    }
    toil.failed(longest)
    return .no
  }
}

/// Keeps the search for free format's next frame in proportion to the bytes received, as `OggToil` does for pages.
///
/// Each 4-byte header without a frame length would otherwise cost a search of up to 5,760 places. Only places searched
/// in vain count, so the cuts between reads make no difference.
struct FrameToil {
  /// The number of places searched in vain that one byte of the stream pays for.
  static let share = 16
  /// The debt above which the search is too much: sixteen of the longest frames.
  static let debtMax = 16 * 5760

  /// The number of all places searched in vain.
  private(set) var inVain = 0
  private var debt = 0

  var isTooMuch: Bool { debt > Self.debtMax }

  mutating func failed(_ places: Int) {
    inVain += places
    debt += places
  }

  mutating func passed(_ bytes: Int) {
    if debt > 0 { debt = max(0, debt - Self.share * bytes) }
  }
}
