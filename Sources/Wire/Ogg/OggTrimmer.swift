/// Finds the samples at both ends of one link that are decoded and not heard, page by page.
///
/// In front these are the encoder's padding, at the end the surplus of the last packet (RFC 7845 §4.2 and §4.4; Vorbis I
/// §A.2).
struct OggTrimmer {
  /// Samples still to leave out of the following pages.
  private var front = 0
  private let preSkip: Int
  /// Whether the link follows another in the same connection, so that its first page is certainly its beginning.
  private let isChained: Bool
  /// The granule of the page before; nil before the first.
  private var granule: UInt64?
  private var isAtBeginning = true

  init(preSkip: Int, isChained: Bool) { (self.preSkip, self.isChained) = (preSkip, isChained) }

  /// Returns how many samples of a page are not heard.
  ///
  /// - Parameters:
  ///   - page: the link's next page.
  ///   - samples: the samples of the packets that end in it.
  ///   - first: of Vorbis, the samples counted for the first of them; 0 for other codecs. A link's first block makes no
  ///     sound.
  mutating func trim(_ page: OggPage, samples: Int, first: Int) -> PacketScanner.Packet.Trim {
    guard samples > 0, page.granule != OggPage.granuleNone else {
      return PacketScanner.Packet.Trim()
    }
    defer { (granule, isAtBeginning) = (page.granule, false) }
    let counted = UInt64(samples)
    let isLast = page.flags.contains(.last)
    if isAtBeginning {
      if isChained || page.granule <= counted { front = preSkip }
      let silent = UInt64(max(0, first))
      // Who joins in the middle of a link gets a first block that counts.
      if silent > 0, page.granule <= counted &- silent {
        front += isLast ? first : Int(counted - page.granule)
      }
    }
    var trim = PacketScanner.Packet.Trim()
    let start = isAtBeginning ? UInt64(first > 0 ? front : 0) : granule
    if isLast, let start {
      // At the beginning of Vorbis the granule does not count what is left out in front.
      let ended = isAtBeginning && first > 0 ? page.granule &+ start : page.granule
      let before = isAtBeginning ? 0 : start
      if ended >= before, ended - before < counted { trim.back = Int(counted - (ended - before)) }
    }
    trim.front = min(front, samples - trim.back)
    front -= trim.front
    return trim
  }
}

extension [OggDemuxer.Item] {
  /// Spreads the trimmed samples of a page over what was found in it.
  mutating func trim(_ trim: PacketScanner.Packet.Trim) {
    var (front, back) = (trim.front, trim.back)
    for index in indices where front > 0 { front -= self[index].trimFront(front) }
    for index in indices.reversed() where back > 0 { back -= self[index].trimBack(back) }
  }

  /// The samples of all packets, also of those that are lost.
  var samples: Int {
    reduce(0) { sum, item in
      switch item {
      case .headers: sum
      case .packet(let packet): sum + packet.samples
      case .lost(let samples, _): sum + samples
      }
    }
  }
}

extension OggDemuxer.Item {
  fileprivate mutating func trimFront(_ count: Int) -> Int {
    guard case .packet(var packet) = self else { return 0 }
    packet.trim.front = min(count, packet.samples)
    self = .packet(packet)
    return packet.trim.front
  }

  fileprivate mutating func trimBack(_ count: Int) -> Int {
    guard case .packet(var packet) = self else { return 0 }
    packet.trim.back = min(count, packet.samples - packet.trim.front)
    self = .packet(packet)
    return packet.trim.back
  }
}

extension PacketScanner.Packet {
  /// The samples that are heard; none of a page that is wholly left out.
  ///
  /// A page in front of what is heard prepares a decoder, so it is kept and counts as one sample.
  public var heard: Int {
    trim.front > 0 ? max(1, samples - trim.front - trim.back) : samples - trim.back
  }

  /// The samples by which the granule grows: Opus counts what is left out in front, Vorbis makes no sound of it.
  public var granules: Int { format.codec == .opus ? samples - trim.back : heard }
}

extension OggHeaders {
  /// What a decoder must know of a packet of a log with which a link of the upstream begins.
  public struct Preparation: Hashable, Sendable {
    /// The samples that it leaves out in front.
    public var front: Int
    /// The samples by which the granule grows with the packet.
    public var granules: Int
  }

  /// - Parameters:
  ///   - pages: the packet's pages.
  ///   - heard: the samples of it that are heard.
  /// - Returns: nil for any other packet.
  public func preparation(of pages: Span<UInt8>, heard: Int) -> Preparation? {
    guard pages.count > OggPage.flagsByte,
      OggPage.Flags(rawValue: pages[OggPage.flagsByte]).contains(.begins)
    else { return nil }
    let samples = samples(ofPages: pages)
    return Preparation(
      front: max(0, samples - heard), granules: format.codec == .opus ? samples : heard)
  }
}
