/// How much of a station's past is kept, and in what pieces.
public struct LogConfiguration: Sendable, Hashable {
  /// The window in memory, in bytes: 32 s at 128 kbit/s. Audio not yet on the disk may stay longer, up to
  /// `unwrittenFactorMax` times this.
  public var windowBytes = 512 * 1024
  /// The size of one block of memory; a packet never crosses two blocks.
  ///
  /// A packet longer than half a block gets a block for two of the longest packets.
  public var blockBytes = 64 * 1024
  /// How much past is kept on disk, in media time; `.zero` for memory only.
  public var retention: MediaTime
  /// How much past is kept in bytes of audio and index; the limit reached first counts.
  public var retentionBytes: UInt64 = .max
  /// The newest part of the past, in media time, which is kept however full other programs make the disk.
  public var reserve: MediaTime
  /// The length of audio in one segment.
  public var segment = MediaTime(seconds: 60)
  /// The longest span that one index entry covers; a single longer packet is an exception.
  public var spanMax = MediaTime(seconds: 0.5)
  /// How the log is divided for HLS, until `PacketLog.set(cells:)`.
  public var cells = CellSettings()
  /// Where programme time and numbers begin if the log has no past; nil: with the first such log of a station.
  public var numberStart: NumberStart?
  /// A past whose numbers have not come so far is too old, and numbers begin behind it as if there was none.
  public var numberLeast: Int64 = 0

  public init(
    retention: MediaTime = .zero, retentionBytes: UInt64 = .max,
    reserve: MediaTime = MediaTime(seconds: 600)
  ) {
    self.retention = retention
    self.retentionBytes = retentionBytes
    self.reserve = reserve
  }

  /// The longest packet: a block of FLAC in 24 bit (98 KB in stereo) with its pages' heads. Nothing longer is found.
  public static let packetBytesMax = 128 * 1024
  /// A window unwritten may grow to this many times its size. At the default that is 2 MiB: a burst of 60 s at 256
  /// kbit/s waits there for the disk.
  static let unwrittenFactorMax = 4
  /// The most marks of each kind kept in memory; the oldest are forgotten first. At twenty titles an hour this is more
  /// than a week.
  static let marksMax = 4096
  /// The most bytes of all stream headers kept in memory. At 6 KB of Vorbis's, twenty changes an hour are almost three
  /// days.
  ///
  /// Beyond this the oldest part of the window is given up: live listeners notice nothing.
  static let headersTotalMax = 8 << 20

  /// The size of a new block that begins with a packet of so many bytes.
  func blockBytes(for packetBytes: Int) -> Int {
    packetBytes > blockBytes / 2 ? max(blockBytes, 2 * Self.packetBytesMax) : blockBytes
  }

  var blocksMax: Int { max(2, windowBytes / blockBytes) }
  var blocksUnwrittenMax: Int { blocksMax * Self.unwrittenFactorMax }
}
