import Timeshift
import Wire

/// Something that happened, as `/events` and `longwave events` tell it.
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
    case metadata
    case metadataLive = "metadata-live"
    case httpError = "http-error"
    case badContent = "bad-content"
    case missingContent = "missing-content"
    case notFound = "not-found"
    case timeout
    case tooSlow = "too-slow"
    case exhausted
    case reconnected
    case gap
    case skipped
    case fallbackStarted = "fallback-started"
    case fallbackStopped = "fallback-stopped"
    case fallbackRefused = "fallback-refused"
    case recordingStarted = "recording-started"
    case recordingStopped = "recording-stopped"
    /// Its disk takes nothing for now.
    case recordingWaiting = "recording-waiting"
    case recordingResumed = "recording-resumed"
    case recordingDeleted = "recording-deleted"
    case fileComplete = "file-complete"
    case tapCreated = "tap-created"
    case tapDisposed = "tap-disposed"
    case listenerConnected = "listener-connected"
    case listenerDisconnected = "listener-disconnected"
    case levels
    case spectrum
    case silenceStarted = "silence-started"
    case silenceStopped = "silence-stopped"
    case clipping
    case storageFailed = "storage-failed"
    case storageRestored = "storage-restored"
    case configReloaded = "config-reloaded"
  }

  public var kind: Kind
  /// nil: it concerns the server.
  public var station: String?
  public var time: WallTime
  /// Where in the station's log, if anywhere.
  public var position: UInt64?
  /// What this kind adds, for everybody.
  public var details: [JSON.Member] = []
  /// What only administrators are told: addresses, players, sessions.
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

  /// One line of JSON's worth. URLs in `identity` take the place of the same key in `details`.
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
