import Wire

/// What of the packets of one link of an Ogg file is not heard: what an encoder put in front of the recording, and what the
/// last packet has more than there was (RFC 7845 §4.3 to §4.5; Vorbis I §A.2).
struct MediaTrim: Sendable {
  /// Samples.
  struct Parts: Hashable {
    var front = 0
    var back = 0

    var samples: Int { front + back }
  }

  /// Samples that are to be left out of what comes next.
  private var front: Int
  /// Where the page before ends, as the file counts; nil: not known.
  private var granule: UInt64?
  private var isAtBeginning: Bool

  /// From a link's first page of audio on.
  /// - Parameter preSkip: what Opus says is no part of it.
  init(preSkip: Int) {
    front = preSkip
    isAtBeginning = true
  }

  private init() {
    front = 0
    isAtBeginning = false
  }

  /// From somewhere else on.
  static let inside = MediaTrim()

  /// - Parameters:
  ///   - page: the next one of the link.
  ///   - samples: of the packets that end in it.
  mutating func take(_ page: OggPage, samples: Int) -> Parts {
    guard samples > 0, page.granule != .max else { return Parts() }
    defer {
      granule = page.granule
      isAtBeginning = false
    }
    let isLast = page.flags.contains(.last)
    let counted = UInt64(samples)
    // Vorbis's first packet sounds like nothing, and whoever cuts a file may let it begin in a packet.
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

  /// - Parameter bytes: those that `page` was read in.
  mutating func see(_ page: OggPage, in bytes: Span<UInt8>) {
    if page.flags.contains(.first), let found = page.preSkip(in: bytes) { preSkip = found }
  }

  /// Headers are whole: what follows is a link's first page of audio.
  mutating func begin() {
    trim = MediaTrim(preSkip: preSkip)
    preSkip = 0
  }

  mutating func leaveBeginning() { trim = .inside }

  /// See `MediaTrim`.
  mutating func take(_ page: OggPage, _ items: [OggDemuxer.Item]) -> MediaTrim.Parts {
    trim.take(page, samples: items.reduce(0) { $0 + $1.samples })
  }
}

extension OggDemuxer.Item {
  fileprivate var samples: Int {
    if case .packet(let packet) = self { packet.samples } else { 0 }
  }
}
