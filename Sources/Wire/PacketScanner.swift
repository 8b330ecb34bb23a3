// Hot: runs once per packet per station.

/// Finds MPEG audio frames and ADTS frames in raw bytes, and steps over everything else.
///
/// One scanner follows one connection. It copies nothing: each finding is a range of the bytes shown, and the ranges
/// are contiguous. Findings depend on the stream's bytes only, not on the cuts between reads; only garbage and tags may
/// come in more pieces.
///
/// **Gaining sync** takes three agreeing headers, each where the one before says. MPEG headers agree in version, layer
/// and sample rate (11172-3 §2.4.2.3: nothing else is constant). ADTS headers agree in ID, profile, sample rate and
/// channels. A tag in a frame's place agrees as well. Free format's frame length is the distance between agreeing
/// headers.
///
/// **In sync** a complete frame is accepted at once: waiting for the next header would make every station a frame
/// later. A legal change of format is a new run, gained in the same way.
///
/// A frame that the end of a connection cut short would therefore be completed with bytes of the next connection. A
/// caller that joins connections must prevent this: call `next` with `atEnd` until it answers nil, or drop the leftover
/// bytes; then call `reset()`.
///
/// A finding never needs more than 16 KiB from `from` on: garbage is reported, not hoarded, and a longer tag is stepped
/// over in pieces.
public struct PacketScanner: Sendable {
  /// Bytes that are stepped over.
  public enum Skipped: Hashable, Sendable {
    case garbage, id3v2, id3v1, ape
    /// A Xing, Info or VBRI frame: a table about the file, no audio.
    case infoFrame
  }

  /// One frame.
  public struct Packet: Hashable, Sendable {
    /// The frame's place in the bytes shown.
    public var range: Range<Int>
    /// Samples per channel.
    public var samples: Int
    public var format: AudioFormat
    /// The bitrate of this frame in kbit/s; 0 where unknown.
    public var bitrate: Int
    /// Decoded samples at the ends of a stream's link that are not heard.
    public var trim = Trim()

    public struct Trim: Hashable, Sendable {
      public var front = 0
      public var back = 0

      public init() {}
    }

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
    /// No run is known. `isAtBoundary` holds at the very start and after a tag, where a tag is as likely as a frame.
    case searching(isAtBoundary: Bool)
    case following(FrameRun)
  }

  private let hint: Codec?
  private let isStrict: Bool
  private var state = State.searching(isAtBoundary: true)
  private var toil = FrameToil()
  private var tag = TagHeader(kind: .id3v2, bytes: 0)  // bytes still to be stepped over

  /// Bytes of garbage since sync was last held, or since the start or `reset()`; tags do not count.
  public private(set) var bytesWithoutSync = 0
  /// The number of places where the scanner looked for a free-format frame in vain.
  var placesInVain: Int { toil.inVain }
  /// The newest frame's format, kept when sync is lost; nil before the first frame.
  public private(set) var format: AudioFormat?

  /// Makes a scanner for one connection.
  ///
  /// `hint` is the codec that the Content-Type promises. The bytes decide the codec; the hint only settles whether a
  /// single frame on its own is believed. With `isStrict` the hint decides: ADTS frames where MPEG was promised are
  /// garbage, and the other way round.
  public init(hint: Codec? = nil, isStrict: Bool = false) {
    self.hint = hint
    self.isStrict = isStrict
  }

  /// Forgets the run and any tag that is being stepped over, because the bytes of another connection follow.
  public mutating func reset() {
    self = PacketScanner(hint: hint, isStrict: isStrict)
  }

  /// Returns the finding at `from`.
  ///
  /// - Parameters:
  ///   - bytes: The stream as far as it has arrived. Bytes before the last finding's end may have been dropped: no
  ///     index is kept from call to call.
  ///   - from: Where the last finding ended.
  ///   - atEnd: Whether nothing follows these bytes. If so, fewer agreeing headers suffice, and an incomplete frame is
  ///     garbage.
  /// - Returns: Nil if more bytes are needed, or with `atEnd` if there are no more.
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
    // A free-format header says 0, so the bitrate follows from the frame's length.
    let bitrate =
      head.bytes != nil
      ? head.bitrate
      : (range.count * 8 * head.format.sampleRate / head.samples + 500) / 1000
    return .packet(
      Packet(range: range, samples: head.samples, format: head.format, bitrate: bitrate))
  }

  /// Waits for the rest of a frame or tag head; with `atEnd` the rest never comes, so the bytes are garbage.
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
      // The bytes before the run are reported first; the run is judged again when it stands at `from`.
      if at > from { return garbage(from..<at) }
      return apply(found, in: bytes, from: from, atEnd: atEnd)
    }
    return garbage(from..<bytes.count)
  }

  private mutating func apply(
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
    // Three letters ("TAG") are too little to believe in the middle of garbage.
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
