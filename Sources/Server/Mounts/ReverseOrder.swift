import Timeshift
import Wire

/// A client's wish for audio that is played backwards.
public struct ReverseOrder: Sendable {
  public var station: String
  /// The format of all packets.
  public var format: AudioFormat
  /// kbit/s of the packets.
  public var bitrate: Double
  /// Returns the packets of the last block, then those of the block in front of it; nil at the end.
  public var packets: @Sendable () async -> PacketRun?
  /// Whether packets are missing in front of the last ones; asked once there are no more.
  public var isCutShort: @Sendable () -> Bool

  public init(
    station: String, format: AudioFormat, bitrate: Double,
    isCutShort: @escaping @Sendable () -> Bool = { false },
    packets: @escaping @Sendable () async -> PacketRun?
  ) {
    (self.station, self.format, self.bitrate) = (station, format, bitrate)
    (self.packets, self.isCutShort) = (packets, isCutShort)
  }
}

/// MP3 that is made where it is asked for, backwards. One task at a time asks.
public protocol ReverseSource: AnyObject, Sendable {
  /// Returns the next piece; nil at the end, or where the packets are gone.
  func next() async -> SampleBlock?
  /// Whether `next` has ended before all of the packets that were ordered.
  var isCutShort: Bool { get }
}
