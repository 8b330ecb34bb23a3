import Wire

/// Counts the samples at both ends of an Ogg link that are not heard.
///
/// In front these are the encoder's padding, at the end the surplus of the last packet (RFC 7845 §4.3 to §4.5; Vorbis I
/// §A.2).
struct MediaTrim: Sendable {
  /// Numbers of unheard samples.
  struct Parts: Hashable {
    var front = 0
    var back = 0

    var samples: Int { front + back }
  }

  /// Samples still to leave out of the following packets.
  private var front: Int
  /// The previous page's granule position, in the file's own count; nil if unknown.
  private var granule: UInt64?
  private var isAtBeginning: Bool

  /// Makes a trim that begins at a link's first page of audio.
  ///
  /// - Parameter preSkip: the samples that the Opus header says to skip.
  init(preSkip: Int) {
    front = preSkip
    isAtBeginning = true
  }

  private init() {
    front = 0
    isAtBeginning = false
  }

  /// A trim that begins inside a link.
  static let inside = MediaTrim()

  /// Returns how many samples of a page are not heard.
  ///
  /// - Parameters:
  ///   - page: the link's next page.
  ///   - samples: the samples of the packets that end in this page.
  mutating func trim(_ page: OggPage, samples: Int) -> Parts {
    guard samples > 0, page.granule != .max else { return Parts() }
    defer {
      granule = page.granule
      isAtBeginning = false
    }
    let isLast = page.flags.contains(.last)
    let counted = UInt64(samples)
    // Vorbis's first packet makes no sound, and a file may have been cut inside a packet.
    if isAtBeginning, !isLast, page.granule < counted { front += Int(counted - page.granule) }
    var parts = Parts()
    if isLast, let before = isAtBeginning ? 0 : granule, page.granule >= before,
      page.granule - before < counted
    {
      parts.back = Int(counted - (page.granule - before))
    }
    parts.front = min(front, samples - parts.back)
    front -= parts.front
    return parts
  }
}

/// Follows an Ogg file from link to link.
struct MediaLinks: Sendable {
  private(set) var trim = MediaTrim.inside
  private var preSkip = 0

  /// Remembers the pre-skip of an Opus header page.
  ///
  /// - Parameter bytes: the bytes that contain `page`.
  mutating func see(_ page: OggPage, in bytes: Span<UInt8>) {
    if page.flags.contains(.first), let found = page.preSkip(in: bytes) { preSkip = found }
  }

  /// Marks the headers as complete: the next page is a link's first page of audio.
  mutating func begin() {
    trim = MediaTrim(preSkip: preSkip)
    preSkip = 0
  }

  mutating func leaveBeginning() { trim = .inside }

  /// Returns how many samples of a page are not heard; see `MediaTrim`.
  mutating func trim(_ page: OggPage, _ items: [OggDemuxer.Item]) -> MediaTrim.Parts {
    trim.trim(page, samples: items.reduce(0) { $0 + $1.samples })
  }
}

extension OggDemuxer.Item {
  var samples: Int {
    if case .packet(let packet) = self { packet.samples } else { 0 }
  }
}
