/// Collects the header packets of a logical stream until all have arrived.
struct OggHeaderCollector {
  enum Progress { case needMore, invalid, complete(OggHeaders) }

  private let identification: [UInt8]
  private let codec: Codec
  /// The number of header packets still to come; unused for FLAC, whose last header packet says that it is the last.
  private var left: Int
  private var comments: VorbisComments?
  private var further: [[UInt8]] = []
  private var taken = 0
  private var bytes = 0

  // FLAC has a seek table, a cue sheet and pictures; Speex has a number of extra headers in one byte.
  private static let packetsMax = 300
  /// The most bytes of all headers, enough for a few pictures.
  static let bytesMax = 8 << 20

  init?(identification: [UInt8]) {
    guard let kind = OggIdentification(identification) else { return nil }
    self.identification = identification
    codec = kind.codec
    left = kind.furtherHeaders
  }

  /// Whether only the first packet has arrived; parallel streams of the link may then still begin.
  var isNew: Bool { taken == 0 }

  /// Counts `bytes` more bytes of any part of a packet, and returns whether they are not too many.
  mutating func admits(_ bytes: Int) -> Bool {
    self.bytes += bytes
    return self.bytes <= Self.bytesMax
  }

  mutating func add(_ packet: [UInt8]) -> Progress {
    taken += 1
    guard taken <= Self.packetsMax else { return .invalid }
    if let start = startOfComments(packet) {
      comments = VorbisComments(packet.span, at: start)
      if comments == nil { return .invalid }
    } else if comments != nil {
      if codec != .flac { further.append(packet) }
    } else if codec != .flac {
      return .invalid
    }
    left -= 1
    let isLast = codec == .flac ? packet.first.map { $0 & 0x80 != 0 } ?? false : left == 0
    guard isLast else { return .needMore }
    let headers = OggHeaders(
      identification: identification, comments: comments ?? VorbisComments(), further: further)
    return headers.map { .complete($0) } ?? .invalid
  }

  /// Returns where the comments begin in `packet`; nil for other packets, and if there are comments already.
  private func startOfComments(_ packet: [UInt8]) -> Int? {
    guard comments == nil else { return nil }
    let bytes = packet.span
    switch codec {
    case .opus: return bytes.holds("OpusTags", at: 0) ? 8 : nil
    case .vorbis: return packet.first == 3 && bytes.holds("vorbis", at: 1) ? 7 : nil
    case .flac: return packet.first.map { $0 & 0x7F } == 4 ? 4 : nil
    default: return 0
    }
  }
}
