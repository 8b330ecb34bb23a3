import Wire

/// A packet that plays as silence behind those of a log.
public struct SilentPacket: Hashable, Sendable {
  public var bytes: [UInt8]
  /// Per channel.
  public var samples: Int
  public var format: AudioFormat
}

extension LogReader {
  public enum Silence {
    case packet(SilentPacket)
    /// A decoder might stumble over it, or there is nothing that it could be like.
    case impossible
    /// An index or audio is being fetched: ask again.
    case loading
  }

  /// It is as long as most packets are: the last one alone may be a short one.
  private static let sampled = 16

  /// Silence like the packets in front of `position`.
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
