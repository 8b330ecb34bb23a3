/// Outcome of moving a listener to another station.
public enum MoveOutcome: Hashable, Sendable {
  case moved
  case unknownListener
  /// The station does not exist, is stopped, or has nothing to play.
  case nothingToPlay
  /// The listener's player was set up for another codec.
  case otherCodec
}
