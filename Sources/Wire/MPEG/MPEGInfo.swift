/// What an encoder says of its file, in the first frame.
///
/// Sources: as of `MPEGInfoFrame`.
public struct MPEGInfo: Hashable, Sendable {
  /// Frames of audio; this frame is none of them. Nil where the table does not say.
  public var frames: Int?
  /// Bytes of the file without its tags, this frame included.
  public var bytes: Int?
  /// The samples that the encoder added, 0...4095 at each end. A decoder adds 529 of its own in front.
  public var gap: SampleGap?

  /// Reads a whole first frame; nil where it is audio.
  public init?(in frame: Span<UInt8>) {
    guard let header = MPEGHeader(in: frame),
      MPEGInfoFrame.stands(in: frame, 0..<frame.count, header: header)
    else { return nil }
    let early = MPEGHeader.bytes + header.sideInfoBytes
    for place in [header.mainDataOffset, early] where Self.isXing(frame, place) {
      readXing(frame, at: place)
      return
    }
    readVBRI(frame)
  }

  private static func isXing(_ frame: Span<UInt8>, _ place: Int) -> Bool {
    place + 8 <= frame.count
      && (frame.agrees(with: "Xing", at: place) || frame.agrees(with: "Info", at: place))
  }

  private mutating func readXing(_ frame: Span<UInt8>, at place: Int) {
    let flags = frame.bigEndianWord(at: place + 4)
    var place = place + 8
    func number() -> Int? {
      guard place + 4 <= frame.count else { return nil }
      defer { place += 4 }
      return Int(frame.bigEndianWord(at: place))
    }
    if flags & 1 != 0 { frames = number() }
    if flags & 2 != 0 { bytes = number() }
    if flags & 4 != 0 { place += 100 }
    if flags & 8 != 0 { place += 4 }
    // The encoder's name in 9 bytes; 21 bytes from its beginning, twice 12 bits.
    guard place + 24 <= frame.count, frame[place] >= UInt8(ascii: "A"),
      frame[place] <= UInt8(ascii: "Z")
    else { return }
    let delay = Int(frame[place + 21]) << 4 | Int(frame[place + 22]) >> 4
    let padding = Int(frame[place + 22] & 15) << 8 | Int(frame[place + 23])
    if delay > 0 || padding > 0 { gap = SampleGap(delay: delay, padding: padding) }
  }

  private mutating func readVBRI(_ frame: Span<UInt8>) {
    let place = MPEGHeader.bytes + 32
    guard place + 18 <= frame.count else { return }
    bytes = Int(frame.bigEndianWord(at: place + 10))
    frames = Int(frame.bigEndianWord(at: place + 14))
  }
}
