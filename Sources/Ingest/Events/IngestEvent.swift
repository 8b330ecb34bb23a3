import Timeshift
import Wire

/// The state of a station's ingest.
public enum StationState: String, Sendable, CaseIterable {
  /// The station is not wanted.
  case stopped
  /// The ingest is connecting to an upstream, or waits for the next attempt.
  case connecting
  /// An upstream has answered; its audio is not there yet.
  case buffering
  /// Audio is arriving.
  case playing
  /// The station is on demand, and has no listeners.
  case paused
  /// Every URL's last answer was one that waiting will not cure; the ingest retries all the same.
  case failed
}

/// A report of a worker. URLs are without user and password.
///
/// Of a reason the first line is for everybody. More lines are a program's own last words, for administrators.
public enum IngestEvent: Sendable {
  case state(StationState, reason: String)
  /// A title was logged; `position` is where its first packet begins.
  case title(Title, position: UInt64)
  case gap(GapMark)
  /// Audio goes on after a disconnection.
  case reconnected(Reconnection)
  /// A status of 400 or more, except 404 and 410.
  case httpError(status: Int, url: String)
  /// The body is no known audio.
  case badContent(reason: String, url: String)
  /// A good answer with nothing in it: an empty body, a playlist without entries.
  case missingContent(url: String)
  /// 404 or 410.
  case notFound(url: String)
  case timeout(reason: String, url: String)
  /// An upstream delivers its audio slower than it plays; `rate` is seconds of audio per second.
  case tooSlow(rate: Double, url: String)
  /// An upstream delivers its audio faster than it plays, behind its burst; `rate` is seconds of audio per second.
  case tooFast(rate: Double, url: String)
  /// A body of known length has arrived whole.
  case fileComplete(url: String)
  /// The upstream has ended its audio in good order. `isLast`: no other one is tried; a source may come again.
  case saidGoodbye(isLast: Bool)
  /// An upstream answered with audio.
  case headers(UpstreamHeaders)
  /// Audio comes from another URL than before.
  case upstreamChanged(url: String)
  /// The station's program wrote this line on standard error. Lines that come too fast are left out.
  case programSaid(String)
  /// The page of titles gives no titles any more. Reported once, until it has given some again.
  case metadataFailed(MetadataTrouble, url: String)
  /// The station's program has ended, or cannot be run.
  case programEnded(reason: String, url: String)
  /// An upstream that gave audio gives no more.
  case upstreamLeft(UpstreamLoss)
  /// Any other reason for getting no audio, or no more.
  case failure(reason: String, url: String)
}

extension IngestEvent {
  /// Returns the part of a reason that everybody may see.
  public static func publicPart(ofReason reason: String) -> String {
    String(reason.prefix { !$0.isNewline })
  }
}

/// How audio went on after a disconnection.
///
/// Seconds proven packet by packet are exact. Those told by the clock may be wrong by some seconds, and are counted
/// apart.
public struct Reconnection: Hashable, Sendable {
  /// The part of the time away that was made good by audio the upstream sent again.
  public var stitchedSeconds: Double
  /// The length of the gap in the log.
  public var lostSeconds: Double
  /// Audio in another encoding that was left out, since by the clock alone it had been heard.
  public var overlapSeconds: Double
  /// Audio that is in the log and is heard again.
  ///
  /// By the clock it was played once more; or a lagging server or a slow line still has to send it.
  public var repeatedSeconds: Double
  /// Audio sent in front of the programme and heard: an announcement for new connections.
  public var insertedSeconds: Double
  /// The time for which the upstream stood still; it went on where it had been, without a loss.
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

/// A copy of a station's ingest state.
public struct IngestStatus: Sendable {
  public var state: StationState
  /// The reason for the state; as in `IngestEvent`, only its first line is for everybody.
  public var stateReason: String
  /// The URL connected, being tried, or tried next, as resolved from playlists, without user and password.
  public var url: String?
  /// When the running connection delivered its first audio.
  public var connectedSince: WallTime?
  /// Connections attempted since the station was started.
  public var attempts: Int
  /// Body bytes received since the station was started.
  public var bytes: UInt64
  /// Received bytes that were neither audio nor part of it: damaged frames and pages, and garbage.
  public var bytesSkipped: UInt64
  /// The state of the page of titles; nil for a station without one.
  public var metadata: MetadataStatus?
  /// The headers of the running connection; without one, of the last.
  public var headers: UpstreamHeaders?

  public init(
    state: StationState, stateReason: String, url: String? = nil, connectedSince: WallTime?,
    attempts: Int = 0, bytes: UInt64, bytesSkipped: UInt64 = 0, metadata: MetadataStatus? = nil,
    headers: UpstreamHeaders? = nil
  ) {
    (self.state, self.stateReason, self.url) = (state, stateReason, url)
    (self.connectedSince, self.attempts) = (connectedSince, attempts)
    (self.bytes, self.bytesSkipped) = (bytes, bytesSkipped)
    (self.metadata, self.headers) = (metadata, headers)
  }
}
