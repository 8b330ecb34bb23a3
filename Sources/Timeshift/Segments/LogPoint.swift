import Wire

/// A packet boundary in a log: its position and its media time.
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
  /// The upstream sent nothing.
  case upstreamAway = 1
  /// The relay itself was not running.
  case restart = 2
  /// The upstream went on elsewhere in its programme.
  case upstreamJumped = 3
}

/// A title and the first packet that it belongs to.
public struct TitleMark: Hashable, Sendable {
  public var position: UInt64
  public var media: MediaTime
  public var title: Title
  /// When the first packet was on air.
  public var air: WallTime
  /// The log's edge when the title was set; behind `media` for a title that became known late.
  public var known: MediaTime

  /// - Parameter known: nil: `media`.
  init(
    position: UInt64, media: MediaTime, title: Title, air: WallTime, known: MediaTime? = nil
  ) {
    self.position = position
    self.media = media
    self.title = title
    self.air = air
    self.known = known ?? media
  }

  /// The same title of a log whose media times are later by `shift`.
  func moved(by shift: MediaTime) -> TitleMark {
    TitleMark(
      position: position, media: max(.zero, media + shift), title: title, air: air,
      known: max(.zero, known + shift))
  }
}

/// A stretch that the upstream did not send, in front of the packet at `position`.
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

/// Where packets stand in another relay's log, from the packet at `position` on.
public struct OriginMark: Hashable, Sendable {
  public var position: UInt64
  /// The place of the packet at `position`; nil where no place is known from there on.
  public var place: RelayPlace?
}

/// A format in force from `position` on, with the headers that a decoder needs first.
public struct FormatMark: Hashable, Sendable {
  public var position: UInt64
  public var format: AudioFormat
  /// The stream headers; empty where the packets need none.
  public var headers: [UInt8]
  /// The most bytes of stream headers: Vorbis's codebooks are 4 to 20 KB.
  static let headersMax = 256 * 1024

  /// Whether this mark only repeats another: the stream goes on.
  func isSame(as other: FormatMark) -> Bool {
    format == other.format && headers == other.headers
  }
}
