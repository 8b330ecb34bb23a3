/// Why an upstream that gave audio gives no more.
public enum UpstreamLoss: String, Hashable, Sendable, CaseIterable {
  /// It closed the connection, or the connection was lost.
  case closed
  /// A file has been played to its end.
  case ended
  case timeout
  case tooSlow = "too-slow"
  /// What came was no audio any more, or audio of no use.
  case notAudio = "not-audio"
  /// The station's program ended.
  case program
  case failed
}
