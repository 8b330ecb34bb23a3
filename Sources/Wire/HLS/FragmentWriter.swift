/// Writes Opus and FLAC as fragmented MP4: one initialisation a format, and one fragment a piece.
///
/// Sources: ISO/IEC 14496-12 §8, "Encapsulation of Opus in ISO Base Media File Format" (opus-codec.org), "Encapsulation of
/// FLAC in ISO Base Media File Format" (xiph/flac), and ISO/IEC 23009-1 §5.10.3.3 for `emsg`.
public struct FragmentWriter: Hashable, Sendable {
  /// What a title's event needs besides its tag.
  public struct Event: Hashable, Sendable {
    public var title: HLSTitle
    /// The position at which the title begins; its lower half names the event.
    public var position: UInt64

    public init(title: HLSTitle, position: UInt64) {
      (self.title, self.position) = (title, position)
    }
  }

  private let entry: FragmentEntry

  /// - Returns: nil for a codec that has no fragments, and for headers that cannot be put into MP4.
  public init?(_ headers: OggHeaders) {
    guard let entry = FragmentEntry(headers) else { return nil }
    self.entry = entry
  }

  /// What a decoder needs first. It depends on the headers only.
  public var initialisation: [UInt8] {
    var writer = MP4BoxWriter()
    writer.box("ftyp") {
      $0.append("iso6".utf8)
      $0.append(UInt32(0))
      $0.append("iso6cmfcmp41".utf8)
    }
    writer.box("moov") { moov in
      moov.box("mvhd", version: 0) { movieHeader(&$0) }
      moov.box("trak") { track in
        track.box("tkhd", version: 0, flags: 7) { trackHeader(&$0) }
        track.box("mdia") { media(&$0) }
      }
      moov.box("mvex") {
        $0.box("trex", version: 0) {
          // The track, its first sample entry, and nothing by default.
          for number: UInt32 in [1, 1, 0, 0, 0] { $0.append(number) }
        }
      }
    }
    return writer.bytes
  }

  /// Returns one fragment.
  ///
  /// - Parameters:
  ///   - packets: the piece's, in one link after the other.
  ///   - media: the piece's media time in flicks: its first packet's, and that of the packet behind it.
  ///   - number: the fragment's, of which 32 bits count.
  ///   - event: the title in force; nil where none is known.
  public func fragment(
    _ packets: OggPackets, media: Range<Int64>, number: UInt64, event: Event? = nil
  ) -> [UInt8] {
    let start = HLSTime.samples(before: media.lowerBound, rate: entry.sampleRate)
    let end = HLSTime.samples(before: media.upperBound, rate: entry.sampleRate)
    var packets = packets
    packets.fit(Int(end - start))
    var writer = MP4BoxWriter()
    writer.reserve(packets.bytes.count + packets.packets.count * 8 + 8192)
    if let event { append(event, at: start, to: &writer) }
    let fragmentStart = writer.bytes.count
    var offsetPlace = 0
    writer.box("moof") { moof in
      moof.box("mfhd", version: 0) { $0.append(UInt32(truncatingIfNeeded: number)) }
      moof.box("traf") { append(packets, at: start, to: &$0, &offsetPlace) }
    }
    // The samples begin behind the head of `mdat`.
    writer.set(UInt32(clamping: writer.bytes.count - fragmentStart + 8), at: offsetPlace)
    writer.box("mdat") { $0.append(packets.bytes) }
    return writer.bytes
  }

  // MARK: Fragments

  // Of the standard's flags: what `tfhd` and `trun` have.
  private static let defaultLength: UInt32 = 0x8
  private static let defaultFlags: UInt32 = 0x20
  private static let baseIsFragment: UInt32 = 0x2_0000
  private static let offsetAndSizes: UInt32 = 0x201
  private static let lengths: UInt32 = 0x100
  /// A sample that depends on no other.
  private static let independent: UInt32 = 0x200_0000

  private func append(
    _ packets: OggPackets, at start: Int64, to traf: inout MP4BoxWriter, _ offsetPlace: inout Int
  ) {
    let first = packets.packets.first?.samples ?? 0
    let isEven = packets.packets.allSatisfy { $0.samples == first }
    let flags = Self.baseIsFragment | Self.defaultFlags | (isEven ? Self.defaultLength : 0)
    traf.box("tfhd", version: 0, flags: flags) {
      $0.append(UInt32(1))
      if isEven { $0.append(UInt32(clamping: first)) }
      $0.append(Self.independent)
    }
    traf.box("tfdt", version: 1) { $0.append(UInt64(clamping: start)) }
    traf.box("trun", version: 0, flags: Self.offsetAndSizes | (isEven ? 0 : Self.lengths)) {
      $0.append(UInt32(clamping: packets.packets.count))
      offsetPlace = $0.bytes.count
      $0.append(UInt32(0))
      for packet in packets.packets {
        if !isEven { $0.append(UInt32(clamping: packet.samples)) }
        $0.append(UInt32(clamping: packet.bytes))
      }
    }
  }

  private func append(_ event: Event, at start: Int64, to writer: inout MP4BoxWriter) {
    writer.box("emsg", version: 1) {
      $0.append(UInt32(clamping: entry.sampleRate))
      $0.append(UInt64(clamping: start))
      // It lasts until the next.
      $0.append(UInt32.max)
      $0.append(UInt32(truncatingIfNeeded: event.position))
      // The scheme, and a value that is empty.
      $0.append("https://aomedia.org/emsg/ID3\0\0".utf8)
      $0.append(TimestampTag(media: nil, title: event.title).bytes)
    }
  }

  // MARK: Initialisation

  private static let one: UInt32 = 0x1_0000  // 16.16

  private func movieHeader(_ box: inout MP4BoxWriter) {
    box.zeros(8)
    box.append(UInt32(clamping: entry.sampleRate))
    box.append(UInt32(0))
    // Rate and volume are 1.
    box.append(Self.one)
    box.append(UInt16(0x100))
    box.zeros(10)
    matrix(&box)
    box.zeros(24)
    // The next track would be the second.
    box.append(UInt32(2))
  }

  private func trackHeader(_ box: inout MP4BoxWriter) {
    box.zeros(8)
    box.append(UInt32(1))
    box.zeros(4 + 4 + 8 + 2 + 2)
    box.append(UInt16(0x100))
    box.zeros(2)
    matrix(&box)
    box.zeros(8)
  }

  private func matrix(_ box: inout MP4BoxWriter) {
    for number in [Self.one, 0, 0, 0, Self.one, 0, 0, 0, 0x4000_0000] { box.append(number) }
  }

  private func media(_ mdia: inout MP4BoxWriter) {
    mdia.box("mdhd", version: 0) {
      $0.zeros(8)
      $0.append(UInt32(clamping: entry.sampleRate))
      $0.append(UInt32(0))
      // `und`: three letters of five bits.
      $0.append(UInt16(0x55C4))
      $0.zeros(2)
    }
    mdia.box("hdlr", version: 0) {
      $0.zeros(4)
      $0.append("soun".utf8)
      $0.zeros(12 + 1)
    }
    mdia.box("minf") { minf in
      minf.box("smhd", version: 0) { $0.zeros(4) }
      minf.box("dinf") {
        $0.box("dref", version: 0) {
          $0.append(UInt32(1))
          // The samples are in the same file.
          $0.box("url ", version: 0, flags: 1) { _ in }
        }
      }
      minf.box("stbl") { stbl in
        stbl.box("stsd", version: 0) {
          $0.append(UInt32(1))
          entry.append(to: &$0)
        }
        stbl.box("stts", version: 0) { $0.zeros(4) }
        stbl.box("stsc", version: 0) { $0.zeros(4) }
        stbl.box("stsz", version: 0) { $0.zeros(8) }
        stbl.box("stco", version: 0) { $0.zeros(4) }
      }
    }
  }
}
