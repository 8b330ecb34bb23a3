import Wire

extension LogReader {
  public enum Silence {
    case packet(SilentPacket)
    /// No silence can be made: there is no packet to imitate, or a decoder might stumble over it.
    case impossible
    /// An index or audio is being fetched: ask again.
    case loading
  }

  /// The number of packets looked at. The silence imitates one of middle length: the last packet alone may be short.
  private static let sampled = 16

  /// Makes silence like the packets in front of `position`.
  public func silence(before position: UInt64) -> Silence {
    guard let packets = packets(before: position, count: Self.sampled) else { return .loading }
    let sorted = packets.sorted { $0.count < $1.count }
    guard !sorted.isEmpty, let format = format(at: position) else { return .impossible }
    let packet = sorted[sorted.count / 2]
    guard let bytes = SilentFrame.like(packet.span),
      let samples = MPEGHeader(in: packet.span)?.samples ?? ADTSHeader(in: packet.span)?.samples
    else { return .impossible }
    return .packet(SilentPacket(bytes: bytes, samples: samples, format: format))
  }
}
