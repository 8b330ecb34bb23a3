/// The header packets that a decoder of an Ogg stream needs before its audio, comments included.
///
/// Sources: RFC 7845 (Opus), Vorbis I §4.2 and §A.1, RFC 9639 §10.1 (FLAC), the Speex manual §7.
public struct OggHeaders: Hashable, Sendable {
  public let format: AudioFormat
  public var comments: VorbisComments
  /// The first packet, without the fields that describe only one file or recording.
  let identification: [UInt8]
  /// The packets after the comments: Vorbis's setup.
  let further: [[UInt8]]
  /// The samples of Opus that are not heard at the link's beginning; 0 for other codecs.
  let preSkip: Int
  /// The timer at the beginning of the audio that follows the headers.
  let timer: OggTimer

  // Vorbis's codebooks have 4 to 20 KB.
  private static let furtherBytesMax = 128 * 1024

  /// - Returns: Nil for packets of an unknown codec, and for malformed packets.
  init?(identification: [UInt8], comments: VorbisComments, further: [[UInt8]]) {
    guard let kind = OggIdentification(identification) else { return nil }
    var timer: OggTimer?
    switch kind.codec {
    case .opus: timer = .opus
    case .flac: timer = .flac
    case .speex: timer = .speex(samples: kind.packetSamples)
    default:
      guard let first = further.first, let setup = VorbisSetup(first, channels: kind.channels)
      else { return nil }
      timer = VorbisBlocks(exponents: identification[28], setup).map { .vorbis($0) }
    }
    guard let timer, further.reduce(0, { $0 + $1.count }) <= Self.furtherBytesMax else {
      return nil
    }
    format = AudioFormat(
      codec: kind.codec, sampleRate: kind.sampleRate, channels: kind.channels)
    self.identification = kind.stable
    preSkip = kind.preSkip
    self.comments = comments
    self.further = kind.codec == .vorbis ? Array(further.prefix(1)) : []
    self.timer = timer
  }

  /// Whether both have the same packets. The pre-skip is not told by them.
  public static func == (one: OggHeaders, other: OggHeaders) -> Bool {
    one.continues(with: other) && one.comments == other.comments && one.timer == other.timer
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identification)
    hasher.combine(comments)
  }

  /// Whether a decoder set up by these headers can continue with audio that belongs to `next`.
  public func continues(with next: OggHeaders) -> Bool {
    format == next.format && identification == next.identification && further == next.further
  }

  /// The header packets, in order.
  public var packets: [[UInt8]] { packets(preSkip: nil) }

  private func packets(preSkip: Int?) -> [[UInt8]] {
    var text = comments.bytes
    switch format.codec {
    case .opus: text = Array("OpusTags".utf8) + text
    case .vorbis: text = [3] + Array("vorbis".utf8) + text + [1]
    case .flac:
      // FLAC ends with a metadata block of type 4; its length has three bytes, the highest first.
      text = [0x84] + [16, 8, 0].map { UInt8(truncatingIfNeeded: text.count >> $0) } + text
    default: break
    }
    var identification = identification
    if let preSkip, format.codec == .opus {
      let skip = UInt16(clamping: preSkip)
      identification.replaceSubrange(
        10..<12, with: [UInt8(truncatingIfNeeded: skip), UInt8(skip >> 8)])
    }
    return [identification, text] + further
  }

  /// The samples that the packets of these pages have, counted from a link's beginning.
  public func samples(ofPages pages: Span<UInt8>) -> Int {
    var timer = timer
    return (OggPage.packets(in: pages) ?? []).reduce(0) { sum, packet in
      sum + (timer.length(of: packet.span)?.samples ?? 0)
    }
  }

  public var byteCount: Int { packets.reduce(0) { $0 + $1.count } }

  /// Returns the pages with which a logical stream begins, from sequence number 0 on.
  ///
  /// - Parameter preSkip: The samples of Opus that a decoder leaves out; nil: the 80 ms that it needs to settle.
  public func pages(serial: UInt32, preSkip: Int? = nil) -> [UInt8] {
    var pages: [UInt8] = []
    var sequence: UInt32 = 0
    for (place, packet) in packets(preSkip: preSkip).enumerated() {
      OggPageWriter.append(
        header: packet, flags: place == 0 ? .first : [], serial: serial, sequence: &sequence,
        to: &pages)
    }
    return pages
  }

  /// Reads headers that `pages(serial:)` made, and their stream's serial number.
  /// - Returns: Nil where a byte is wrong, and for too few or too many bytes.
  public static func read(pages: Span<UInt8>) -> (headers: OggHeaders, serial: UInt32)? {
    var collector: OggHeaderCollector?
    var assembler = OggAssembler()
    var place = 0
    while case .page(let page) = OggPage.read(in: pages, at: place) {
      place = page.range.upperBound
      for packet in assembler.packets(of: page, in: pages) {
        guard collector != nil else {
          collector = OggHeaderCollector(identification: packet)
          if collector == nil { return nil }
          continue
        }
        switch collector!.add(packet) {
        case .needMore: break
        case .invalid: return nil
        case .complete(let headers):
          return place == pages.count ? (headers, page.serial) : nil
        }
      }
    }
    return nil
  }
}
