/// Packets that follow each other, copied, and those in front of them that only prepare a decoder.
public struct PacketRun: Hashable, Sendable {
  public struct Packet: Hashable, Sendable {
    /// The packet's place in `bytes`.
    public var range: Range<Int>
    public var length: MediaTime
  }

  public private(set) var bytes: [UInt8] = []
  public private(set) var packets: [Packet] = []
  /// How many of the packets only prepare a decoder.
  public private(set) var leadIn = 0

  public init() {}

  /// The length of the packets without the lead-in.
  public var length: MediaTime { packets[leadIn...].reduce(.zero) { $0 + $1.length } }

  /// - Parameter isLeadIn: whether it only prepares a decoder. The lead-in comes first.
  public mutating func append(
    _ packet: UnsafeRawBufferPointer, length: MediaTime, isLeadIn: Bool
  ) {
    packets.append(Packet(range: bytes.count..<bytes.count + packet.count, length: length))
    bytes.append(contentsOf: packet)
    if isLeadIn { leadIn = packets.count }
  }
}

/// How audio is cut into blocks that are read from the last to the first.
public enum ReverseBlocks {
  /// At 48 kHz in stereo, 384 KB of samples.
  public static let length = MediaTime(seconds: 2)
  /// Audio in front of a block: a frame may need what half a second of frames before it left.
  public static let leadIn = MediaTime(seconds: 0.5)
}
