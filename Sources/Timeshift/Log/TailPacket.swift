/// One packet of the log's end, as the stitcher compares it.
public struct TailPacket: Hashable, Sendable {
  /// CRC32C of the packet's bytes.
  public var hash: UInt32
  /// Samples per channel.
  public var samples: Int
  public var bytes: Int

  public init(hash: UInt32, samples: Int, bytes: Int) {
    self.hash = hash
    self.samples = samples
    self.bytes = bytes
  }
}

extension TailPacket {
  init(_ entry: PacketEntry, rate: Int) {
    self.init(
      hash: entry.hash, samples: Self.samples(Int64(entry.duration), rate),
      bytes: Int(entry.bytes))
  }

  static func samples(_ flicks: Int64, _ rate: Int) -> Int {
    let perSample = MediaTime.flicksPerSecond / Int64(max(1, rate))
    return Int((flicks + perSample / 2) / perSample)
  }
}
