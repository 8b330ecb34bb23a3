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
  /// Audio goes on after a disconnection. `stitchedSeconds` of the time away were made good by what the upstream
  /// sent again, `lostSeconds` are a gap in the log.
  case reconnected(stitchedSeconds: Double, lostSeconds: Double)
  /// A status of 400 or more other than 404 and 410.
  case httpError(status: Int, url: String)
  /// What came is not audio we know.
  case badContent(reason: String, url: String)
  /// A good answer with nothing in it: an empty body, a playlist without entries.
  case missingContent(url: String)
  /// 404 or 410.
  case notFound(url: String)
  case timeout(reason: String, url: String)
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
