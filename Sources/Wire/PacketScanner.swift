// Hot: runs once per packet per station.

/// Finds MPEG audio frames and ADTS frames in raw bytes, and steps over everything else.
///
/// One scanner follows one connection. It points and does not copy: findings are ranges of the
/// bytes it was shown, contiguous, and depend on the stream's bytes only, not on how they were cut
/// into reads (garbage and tags may come in more pieces).
///
/// **Gaining sync** takes three agreeing headers, each where the one before says: MPEG headers of
/// the same version, layer and sample rate (11172-3 §2.4.2.3: nothing else is constant), ADTS
/// headers of the same ID, profile, sample rate and channels. A tag where a frame should be agrees
/// as well. Free format's frame length is the distance between agreeing headers.
/// **In sync** a complete frame is accepted at once: waiting for the next header would make every
/// station a frame later. A legal change of format is a new run, gained the same way.
///
/// So a frame that was cut short by the end of a connection, followed by the bytes of another,
/// would be accepted with foreign bytes in it. Whoever joins connections must not let it come to
/// that: call `next` with `atEnd` until it answers `nil`, or drop the bytes left over, and then
/// `reset()`.
///
/// Never more than 16 KiB from `from` on are needed for a finding: garbage is reported, not
/// hoarded, and a longer tag is stepped over in pieces.
public struct PacketScanner: Sendable {
  /// What is stepped over.
  public enum Skipped: Hashable, Sendable {
    case garbage, id3v2, id3v1, ape
    /// A Xing, Info or VBRI frame: a table about the file, no audio.
    case infoFrame
  }

  /// One frame.
  public struct Packet: Hashable, Sendable {
    /// Where it stands in the bytes shown.
    public var range: Range<Int>
    /// Samples per channel.
    public var samples: Int
    public var format: AudioFormat
    /// kbit/s of this frame; 0 where unknown.
    public var bitrate: Int

    public init(range: Range<Int>, samples: Int, format: AudioFormat, bitrate: Int) {
      self.range = range
      self.samples = samples
      self.format = format
      self.bitrate = bitrate
    }
  }

  public enum Finding: Hashable, Sendable {
    case packet(Packet)
    case skipped(Range<Int>, Skipped)

    public var range: Range<Int> {
      switch self {
      case .packet(let packet): packet.range
      case .skipped(let range, _): range
      }
    }
  }

  private enum State {
    /// No run is known. `isAtBoundary`: at the very start or after a tag, where a tag is as
    /// likely as a frame.
    case searching(isAtBoundary: Bool)
    case following(FrameRun)
  }

  private let hint: Codec?
  private let isStrict: Bool
  private var state = State.searching(isAtBoundary: true)
  private var toil = FrameToil()
  private var tag = TagHeader(kind: .id3v2, bytes: 0)  // bytes: what is still to be stepped over

  /// Bytes of garbage since sync was last held, or since the start or `reset()`; tags do not count.
  public private(set) var bytesWithoutSync = 0
  /// Places where a frame of free format was looked for in vain.
  var placesInVain: Int { toil.inVain }
  /// The newest frame's format; `nil` before the first. Outlives a loss of sync.
  public private(set) var format: AudioFormat?

  /// A scanner for one connection.
  ///
  /// `hint` is what the Content-Type promises. The bytes decide: it only settles whether a single
  /// frame that is all there is may be believed. With `isStrict` it decides: ADTS frames where MPEG
  /// was promised are garbage, and the other way round.
  public init(hint: Codec? = nil, isStrict: Bool = false) {
    self.hint = hint
    self.isStrict = isStrict
  }

  /// Forgets the run and whatever tag was being stepped over: the bytes of another connection
  /// follow.
  public mutating func reset() {
    self = PacketScanner(hint: hint, isStrict: isStrict)
  }

  /// What stands at `from`.
  ///
  /// - Parameters:
  ///   - bytes: The stream as far as it is here. Bytes before the last finding's end may have been
  ///     dropped: no index is kept from call to call.
  ///   - from: Where the last finding ended.
  ///   - atEnd: Nothing follows these bytes. Then fewer agreeing headers suffice, and a frame that
  ///     is not whole is garbage.
  /// - Returns: `nil` if more bytes are needed, or with `atEnd` if there are no more.
  public mutating func next(in bytes: Span<UInt8>, from: Int, atEnd: Bool = false) -> Finding? {
    precondition(from >= 0 && from <= bytes.count, "A finding begins inside the bytes shown.")
    guard from < bytes.count else { return nil }
    if tag.bytes > 0 { return stepOverTag(in: bytes, from: from) }
    switch state {
    case .following(let run): return follow(run, in: bytes, from: from, atEnd: atEnd)
    case .searching(let isAtBoundary):
      return search(in: bytes, from: from, atEnd: atEnd, isAtBoundary: isAtBoundary)
    }
  }

  // MARK: In sync

  private mutating func follow(
    _ run: FrameRun, in bytes: Span<UInt8>, from: Int, atEnd: Bool
  ) -> Finding? {
    switch FrameHead.read(in: bytes, at: from) {
    case .head(let head) where head.key == run.key:
      let end = from + run.bytes(of: head)
      return end <= bytes.count
        ? accept(head, from..<end, in: bytes) : wait(in: bytes, from: from, atEnd: atEnd)
    case .needMore: return wait(in: bytes, from: from, atEnd: atEnd)
    case .head, .none: break
    }
    switch TagHeader.read(in: bytes, at: from) {
    case .tag(let found):
      tag = found
      return stepOverTag(in: bytes, from: from)
    case .needMore: return wait(in: bytes, from: from, atEnd: atEnd)
    case .none:
      state = .searching(isAtBoundary: false)
      return search(in: bytes, from: from, atEnd: atEnd, isAtBoundary: false)
    }
  }

  private mutating func accept(
    _ head: FrameHead, _ range: Range<Int>, in bytes: Span<UInt8>
  ) -> Finding {
    bytesWithoutSync = 0
    toil.passed(range.count)
    format = head.format
    if let header = head.mpeg, MPEGInfoFrame.stands(in: bytes, range, header: header) {
      return .skipped(range, .infoFrame)
    }
    // Free format says 0: its bitrate is what the length comes to.
    let bitrate =
      head.bytes != nil
      ? head.bitrate
      : (range.count * 8 * head.format.sampleRate / head.samples + 500) / 1000
    return .packet(
      Packet(range: range, samples: head.samples, format: head.format, bitrate: bitrate))
  }

  /// The rest of the frame or tag head is not here: it comes later, or never.
  private mutating func wait(in bytes: Span<UInt8>, from: Int, atEnd: Bool) -> Finding? {
    guard atEnd else { return nil }
    state = .searching(isAtBoundary: false)
    return garbage(from..<bytes.count)
  }

  // MARK: Out of sync

  private mutating func search(
    in bytes: Span<UInt8>, from: Int, atEnd: Bool, isAtBoundary: Bool
  ) -> Finding? {
    for at in from..<bytes.count {
      let found = judge(
        in: bytes, at: at, atEnd: atEnd, isAtBoundary: isAtBoundary && at == from)
      if case .nothing = found {
        toil.passed(1)
        continue
      }
      // What leads up to it goes first; it is judged again when it stands at `from`.
      if at > from { return garbage(from..<at) }
      return take(found, in: bytes, from: from, atEnd: atEnd)
    }
    return garbage(from..<bytes.count)
  }

  private mutating func take(
    _ found: Judgement, in bytes: Span<UInt8>, from: Int, atEnd: Bool
  ) -> Finding? {
    switch found {
    case .nothing, .undecided: return nil
    case .tag(let head):
      tag = head
      state = .searching(isAtBoundary: true)
      return stepOverTag(in: bytes, from: from)
    case .run(let run):
      state = .following(run)
      return follow(run, in: bytes, from: from, atEnd: atEnd)
    }
  }

  private enum Judgement { case nothing, undecided, tag(TagHeader), run(FrameRun) }

  private mutating func judge(
    in bytes: Span<UInt8>, at offset: Int, atEnd: Bool, isAtBoundary: Bool
  ) -> Judgement {
    switch FrameHead.read(in: bytes, at: offset) {
    case .none: break
    case .needMore: return atEnd ? .nothing : .undecided
    case .head(let head):
      let mayBeAlone = hint == nil || (hint == .aac) == (head.mpeg == nil)
      if isStrict && !mayBeAlone { break }
      let verdict = FrameRun.judge(
        head, in: bytes, at: offset, atEnd: atEnd, mayBeAlone: mayBeAlone, toil: &toil)
      switch verdict {
      case .no: return .nothing
      case .undecided: return .undecided
      case .yes(let run): return .run(run)
      }
    }
    switch TagHeader.read(in: bytes, at: offset) {
    // Three letters are too little to believe in the middle of garbage.
    case .tag(let tag) where tag.kind != .id3v1 || isAtBoundary: return .tag(tag)
    case .needMore: return atEnd ? .nothing : .undecided
    case .tag, .none: return .nothing
    }
  }

  private mutating func garbage(_ range: Range<Int>) -> Finding {
    bytesWithoutSync += range.count
    state = .searching(isAtBoundary: false)
    return .skipped(range, .garbage)
  }

  // MARK: Tags

  private mutating func stepOverTag(in bytes: Span<UInt8>, from: Int) -> Finding {
    let range = from..<min(from + tag.bytes, bytes.count)
    tag.bytes -= range.count
    switch tag.kind {
    case .id3v2: return .skipped(range, .id3v2)
    case .id3v1: return .skipped(range, .id3v1)
    case .ape: return .skipped(range, .ape)
    }
  }
}
