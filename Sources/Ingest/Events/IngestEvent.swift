import Timeshift
import Wire

/// Where a station stands.
public enum StationState: String, Sendable, CaseIterable {
  /// Not asked for.
  case stopped
  /// On the way to an upstream, or waiting for the next attempt.
  case connecting
  /// An upstream has answered; its audio is not there yet.
  case buffering
  /// Audio is arriving.
  case playing
  /// On demand, and nobody listens.
  case paused
  /// Every URL's last answer was one that waiting will not cure; retried all the same.
  case failed
}

/// What a worker has to tell. URLs are without user and password.
public enum IngestEvent: Sendable {
  case state(StationState, reason: String)
  /// A title was logged; `position` is where its first packet begins.
  case title(Title, position: UInt64)
  case gap(GapMark)
  /// Audio goes on after a disconnection.
  case reconnected(Reconnection)
  /// A status of 400 or more other than 404 and 410.
  case httpError(status: Int, url: String)
  /// What came is not audio we know.
  case badContent(reason: String, url: String)
  /// A good answer with nothing in it: an empty body, a playlist without entries.
  case missingContent(url: String)
  /// 404 or 410.
  case notFound(url: String)
  case timeout(reason: String, url: String)
  /// An upstream delivers its audio slower than it plays; `rate`: seconds of it in a second.
  case tooSlow(rate: Double, url: String)
  /// A body of known length has come whole.
  case fileComplete(url: String)
  /// An upstream answered with audio.
  case headers(UpstreamHeaders)
  /// Audio comes from another URL than before.
  case upstreamChanged(url: String)
  /// The page that says what is playing gives no titles any more; told once, until it has given some again.
  case metadataFailed(MetadataTrouble, url: String)
  /// Any other way of not getting, or no longer getting, audio.
  case failure(reason: String, url: String)
}

/// How audio went on after a disconnection. What is proven packet by packet is exact; what the clock tells may be wrong
/// by some seconds, and is said apart.
public struct Reconnection: Hashable, Sendable {
  /// Of the time away, made good by what the upstream sent again.
  public var stitchedSeconds: Double
  /// A gap in the log.
  public var lostSeconds: Double
  /// Left out of what came since, by the clock alone, it had been heard: in another encoding.
  public var overlapSeconds: Double
  /// In the log, and heard again: at another time than that would come again, as the same played once more; or what a
  /// server that lags, or a slow line, has still to send.
  public var repeatedSeconds: Double
  /// Sent in front of the programme, and heard: what a server says to whoever connects.
  public var insertedSeconds: Double
  /// So long the upstream stood still: it went on where it had been, without a loss.
  public var pausedSeconds: Double

  public init(
    stitchedSeconds: Double, lostSeconds: Double, overlapSeconds: Double = 0,
    repeatedSeconds: Double = 0, insertedSeconds: Double = 0, pausedSeconds: Double = 0
  ) {
    (self.stitchedSeconds, self.lostSeconds) = (stitchedSeconds, lostSeconds)
    (self.overlapSeconds, self.repeatedSeconds) = (overlapSeconds, repeatedSeconds)
    (self.insertedSeconds, self.pausedSeconds) = (insertedSeconds, pausedSeconds)
  }
}

/// How a station's ingest stands, copied out.
public struct IngestStatus: Sendable {
  public var state: StationState
  public var stateReason: String
  /// The URL connected, being tried or tried next, as resolved from playlists, without user and password.
  public var url: String?
  /// When the running connection delivered its first audio.
  public var connectedSince: WallTime?
  /// Connections attempted since the station was started.
  public var attempts: Int
  /// Body bytes received since the station was started.
  public var bytes: UInt64
  /// Of them such that were no audio and nothing that belongs to it: damaged frames and pages, and garbage.
  public var bytesSkipped: UInt64
  /// nil for a station without a page of titles.
  public var metadata: MetadataStatus?
  /// Of the running connection, else of the last one.
  public var headers: UpstreamHeaders?
}
