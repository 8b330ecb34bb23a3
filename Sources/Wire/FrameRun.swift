/// A run of frames that belong together: what sync is held on.
struct FrameRun: Hashable {
  /// The header bits all frames of the run share (see `FrameHead.key`).
  var key: UInt32
  /// The length of an unpadded frame in free format; 0 where headers tell the length.
  var freeBytes: Int

  /// Whether a run begins somewhere.
  enum Verdict: Equatable { case no, undecided, yes(FrameRun) }

  /// The bytes a verdict may need, from the first header on. Frames so long that the third header
  /// lies beyond are not believed; no real ADTS frame comes near.
  static let reachMax = 16 * 1024

  /// 640 kbit/s is the most that encoders make of free format; at 8 kHz that is 5,760 bytes.
  private static let freeBitrateMax = 640

  /// Judges whether the frame `first` at `start` begins a run: three agreeing headers, each where
  /// the one before says, or a tag in place of the second or third.
  ///
  /// The verdict depends on the stream's bytes only, never on how many of them are here yet. With
  /// `atEnd` nothing is undecided: frames up to the end are enough, and a lone one if
  /// `mayBeAlone`.
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

  /// What stands where the next frame should begin.
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

  /// Free format: the nearest agreeing header is the next frame's if a third stands as far behind.
  private static func judgeFree(
    _ first: FrameHead, in bytes: Span<UInt8>, at start: Int, atEnd: Bool, _ toil: inout FrameToil
  ) -> Verdict {
    guard let header = first.mpeg else { return .no }
    let longest = header.frameBytes(bitrate: freeBitrateMax) + header.slotBytes
    // A frame holds at least its header, CRC and side info, or in the other layers a few bytes.
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

/// Keeps the search for free format's next frame in proportion to the bytes that came, as `OggToil` does for pages.
///
/// Headers of four bytes that each say that their frame has no length would be 5,760 places looked at for every four
/// bytes sent. Only what was in vain counts, so that no cut between two reads makes a difference.
struct FrameToil {
  /// How many places looked at in vain one byte of the stream pays for.
  static let share = 16
  /// The debt with which it begins to be too much: sixteen of the longest frames.
  static let debtMax = 16 * 5760

  /// All in all.
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
