import Wire

/// A packet boundary in a log: where it is and when it sounds.
public struct LogPoint: Hashable, Sendable {
  /// Bytes of audio since the station began.
  public var position: UInt64
  public var media: MediaTime

  @inlinable public init(position: UInt64, media: MediaTime) {
    self.position = position
    self.media = media
  }

  public static let zero = LogPoint(position: 0, media: .zero)

  func moved(by shift: MediaTime) -> LogPoint {
    LogPoint(position: position, media: media + shift)
  }
}

/// Why a stretch is missing. The raw value is what the index stores: never renumber.
public enum GapCause: UInt8, Sendable, CaseIterable {
  /// The upstream gave nothing.
  case upstreamAway = 1
  /// The relay itself was not running.
  case restart = 2
  /// The upstream went on elsewhere in its programme.
  case upstreamJumped = 3
}

/// A title and the first packet it belongs to.
public struct TitleMark: Hashable, Sendable {
  public var position: UInt64
  public var media: MediaTime
  public var title: Title
  /// When that packet was on air.
  public var air: WallTime
}

/// A stretch the upstream did not give us, in front of the packet at `position`.
public struct GapMark: Hashable, Sendable {
  public var position: UInt64
  /// Wall time lost, never negative.
  public var seconds: Double
  public var cause: GapCause

  public init(position: UInt64, seconds: Double, cause: GapCause) {
    self.position = position
    self.seconds = seconds
    self.cause = cause
  }
}

/// From `position` on the packets are of `format`, and a decoder needs `headers` before them.
public struct FormatMark: Hashable, Sendable {
  public var position: UInt64
  public var format: AudioFormat
  /// The stream headers; empty where the packets need none.
  public var headers: [UInt8]
}

/// What the stitcher compares: one packet of the log's end.
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
