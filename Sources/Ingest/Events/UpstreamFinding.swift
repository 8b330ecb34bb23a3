import Wire

/// Result of a try of one URL, as a station would find it.
public struct UpstreamFinding: Hashable, Sendable {
  /// A step of the way to the audio.
  public struct Step: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
      case resolved, connected, redirected, answered, playlist, audio, title, failed
    }

    public var kind: Kind
    /// The finding, in words.
    public var text: String
    /// Seconds since the check began.
    public var seconds: Double
  }

  /// Most steps that are told; later ones are left out.
  static let stepsMax = 64

  /// The URL as it was asked for.
  public var url: String
  /// Whether audio came.
  public var isPlayable = false
  public var codec: Codec?
  /// Measured bit rate in kbit/s, or else the announced one; nil when unknown.
  public var bitrate: Int?
  /// The upstream's name for itself.
  public var name: String?
  /// The title on air.
  public var title: String?
  /// Why there is no audio; nil when there is.
  public var trouble: String?
  public var steps: [Step] = []

  init(url: String) { self.url = url }
}
