import Timeshift
import Wire

/// Receives a delivery's events; none after the end.
protocol UpstreamDeliveryOwner: AnyObject {
  /// Called once, when the upstream has answered with audio.
  func deliveryOpened(_ headers: UpstreamHeaders)
  /// Called with what new bytes brought, which may be nothing whole.
  func deliveryBrought(_ arrivals: Arrivals)
  func deliveryEnded(_ end: UpstreamEnd)
}

/// One delivery of an upstream's audio, from the attempt to its end: a request, a source's connection, a program's run.
///
/// Lives on the ingest loop.
protocol UpstreamDelivery: AnyObject {
  var owner: (any UpstreamDeliveryOwner)? { get set }
  /// The URL as the station or a playlist names it.
  var askedURL: String { get }
  /// The URL that the bytes come from, behind all redirects.
  var sourceURL: String { get }
  /// The upstream's facts about itself; nil until it has answered.
  var headers: UpstreamHeaders? { get }
  var bodyBytes: BodyBytes { get }
  /// Whether the upstream delivers in real time. A file comes as it may, and an encoder that pushes may pause.
  var isLive: Bool { get }
  var stitchSource: StitchSource { get }
  /// An oddity of the upstream while it plays; nil for none.
  var remark: String? { get }

  /// Returns whose titles come with the audio.
  ///
  /// - Parameter entry: the delivery's entry among the station's URLs.
  func speaker(of entry: String) -> TitleSpeaker
  /// Accepts nothing more until `resume`.
  func pause()
  func resume()
  /// Ends it; the owner hears nothing of that.
  func cancel()
}

extension UpstreamDelivery {
  /// The URL for events and people, without user and password.
  var shownURL: String { URLText.withoutCredentials(askedURL) }

  func speaker(of entry: String) -> TitleSpeaker { .upstream(entry) }
}
