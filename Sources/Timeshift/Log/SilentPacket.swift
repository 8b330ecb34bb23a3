import Wire

/// A packet that a decoder plays as silence after the packets of a log.
public struct SilentPacket: Hashable, Sendable {
  public var bytes: [UInt8]
  /// The number of samples per channel.
  public var samples: Int
  public var format: AudioFormat
}
