import Timeshift
import Wire

/// How a mount is given as HLS.
public struct HLSSettings: Hashable, Sendable {
  public var isOn = true
  /// The length of a segment in whole seconds, within `PieceKey.seconds`.
  public var segment = 6
  /// How far behind live playlists begin; nil: as far as the window goes, a day at most.
  public var window: MediaTime?

  public init() {}
}
