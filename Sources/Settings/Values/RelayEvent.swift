import Timeshift
import Wire

/// An event of the relay, as `/events` and `longwave events` show it.
public struct RelayEvent: Hashable, Sendable {
  /// The words for what can happen. They are part of the interface: add, never rename.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case state
    case connecting
    case buffering
    case playing
    case paused
    case stopped
    case failed
    /// For watchers of a session: its title has changed.
    case metadata
    case metadataLive = "metadata-live"
    /// For watchers of a session: it has moved.
    case moved
    /// Figures of a station, each second, for watchers that name this kind.
    case figures
    case httpError = "http-error"
    case badContent = "bad-content"
    case missingContent = "missing-content"
    case notFound = "not-found"
    case timeout
    case tooSlow = "too-slow"
    case tooFast = "too-fast"
    /// A station's program has ended, or cannot be run.
    case programEnded = "program-ended"
    /// A listener's line is too slow for its station.
    case exhausted
    case reconnected
    case gap
    case skipped
    case fallbackStarted = "fallback-started"
    case fallbackStopped = "fallback-stopped"
    case fallbackRefused = "fallback-refused"
    case recordingStarted = "recording-started"
    case recordingStopped = "recording-stopped"
    /// The recording's disk accepts nothing for now.
    case recordingWaiting = "recording-waiting"
    case recordingResumed = "recording-resumed"
    case recordingDeleted = "recording-deleted"
    case fileComplete = "file-complete"
    case tapCreated = "tap-created"
    case tapDisposed = "tap-disposed"
    case listenerConnected = "listener-connected"
    case listenerDisconnected = "listener-disconnected"
    /// Levels and loudness, up to 20 times a second, for watchers that name this kind.
    case levels
    /// Bands of frequencies, up to 30 times a second, for watchers that name this kind.
    case spectrum
    /// Levels and bands as pictures show them, a second at a time, for watchers that name this kind.
    case sound
    case silenceStarted = "silence-started"
    case silenceStopped = "silence-stopped"
    /// The loudness has stayed out of the station's bounds.
    case loudnessOut = "loudness-out"
    case loudnessBack = "loudness-back"
    case clipping
    /// The first packet of a programme's item is in the log.
    case itemStarted = "item-started"
    case itemFailed = "item-failed"
    case insertMissed = "insert-missed"
    /// Other rules of a programme hold.
    case partStarted = "part-started"
    /// A programme plays another station; it does no longer.
    case liveStarted = "live-started"
    case liveStopped = "live-stopped"
    case programmeChanged = "programme-changed"
    case storageFailed = "storage-failed"
    case storageRestored = "storage-restored"
    /// A root of music was looked through.
    case scanFinished = "scan-finished"
    /// What is found in a root is not believed.
    case rootSuspect = "root-suspect"
    /// It is believed again.
    case rootRestored = "root-restored"
    case configReloaded = "config-reloaded"
    /// A certificate of the server ends soon, or is not good now.
    case certificateExpires = "certificate-expires"
    /// A certificate was renewed, and new connections get it.
    case certificateTaken = "certificate-taken"
    /// For one watcher: how many events it has missed, since it read too late.
    case missed
  }

  public var kind: Kind
  /// The station; nil when the event is about the server.
  public var station: String?
  public var time: WallTime
  /// Position in the station's log, if the event has one.
  public var position: UInt64?
  /// Details of the kind, for everybody.
  public var details: [JSON.Member] = []
  /// Details for administrators only: addresses, players, sessions.
  public var identity: [JSON.Member] = []

  public init(
    _ kind: Kind, station: String? = nil, time: WallTime, position: UInt64? = nil,
    details: KeyValuePairs<String, JSON> = [:], identity: KeyValuePairs<String, JSON> = [:]
  ) {
    self.kind = kind
    self.station = station
    self.time = time
    self.position = position
    self.details = details.map { JSON.Member(key: $0.key, value: $0.value) }
    self.identity = identity.map { JSON.Member(key: $0.key, value: $0.value) }
  }

  /// Whether whoever connects and hangs up makes such events, as many as they like.
  package var isOfListener: Bool {
    // An upstream's file has no listener.
    kind.row.isOfListener
      && (kind != .fileComplete || details.contains { $0.key == "listener" })
  }

  /// Returns the event as one line of JSON. With `identified`, members of `identity` replace those of the same key in
  /// `details`.
  public func json(identified: Bool) -> JSON {
    var members: [JSON.Member] = [
      .init(key: "kind", value: .string(kind.rawValue)),
      .init(key: "station", value: JSON(station)),
      .init(key: "time", value: .string(time.rfc3339)),
      .init(key: "position", value: JSON(position)),
    ]
    let hidden = Set(identified ? identity.map(\.key) : [])
    members += details.filter { !hidden.contains($0.key) }
    if identified { members += identity }
    return .object(members)
  }
}
