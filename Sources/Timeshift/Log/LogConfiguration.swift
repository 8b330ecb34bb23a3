/// How much of a station's past is kept, and in what pieces.
public struct LogConfiguration: Sendable, Hashable {
  /// The window in memory: 32 s at 128 kbit/s. What the disk has not got yet may stay longer, up to
  /// `unwrittenFactorMax` times this.
  public var windowBytes = 512 * 1024
  /// Memory is taken in blocks of this size; a packet never crosses two.
  public var blockBytes = 64 * 1024
  /// How much past is kept on disk, in media time. `.zero`: memory only.
  public var retention: MediaTime
  /// The same in bytes of audio and index; whichever is reached first counts.
  public var retentionBytes: UInt64 = .max
  /// The newest part of what is kept, in media time, which stays however full others make the disk.
  public var reserve: MediaTime
  /// How much audio one segment holds.
  public var segment = MediaTime(seconds: 60)
  /// The longest span one entry of the index covers (a single longer packet apart).
  public var spanMax = MediaTime(seconds: 0.5)

  public init(
    retention: MediaTime = .zero, retentionBytes: UInt64 = .max,
    reserve: MediaTime = MediaTime(seconds: 600)
  ) {
    self.retention = retention
    self.retentionBytes = retentionBytes
    self.reserve = reserve
  }

  /// Half the smallest block: the scanner finds no packet that long.
  public static let packetBytesMax = 32 * 1024
  /// Of stream headers: Vorbis's codebooks are 4 to 20 KB.
  public static let headersMax = 256 * 1024
  /// 2 MiB at the default window: a burst of 60 s at 256 kbit/s waits here for the disk.
  static let unwrittenFactorMax = 4
  /// The newest marks of each kind that are kept in memory; older ones are forgotten first. At twenty
  /// titles an hour this is more than a week.
  static let marksMax = 4096
  /// Of all stream headers that are kept in memory. At 6 KB of Vorbis's, twenty changes an hour are almost three days.
  /// Of more the oldest part of the window is given up: who listens live hears nothing of it.
  static let headersTotalMax = 8 << 20

  var blocksMax: Int { max(2, windowBytes / blockBytes) }
  var blocksUnwrittenMax: Int { blocksMax * Self.unwrittenFactorMax }
}
