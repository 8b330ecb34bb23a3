/// Why an upstream that gave audio gives no more.
public enum UpstreamLoss: String, Hashable, Sendable, CaseIterable {
  /// The upstream closed the connection, or the connection was lost.
  case closed
  /// A file has been played to its end.
  case ended
  case timeout
  case tooSlow = "too-slow"
  /// The upstream sent no audio any more, or audio of no use.
  case notAudio = "not-audio"
  /// The station's program ended.
  case program
  case failed
}
