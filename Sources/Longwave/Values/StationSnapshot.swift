import Ingest
import Server
import Timeshift
import Wire

/// One station, copied out: what the API, the metrics and the commands show of it.
public struct StationSnapshot: Sendable {
  public struct Upstream: Hashable, Sendable {
    public var url: String?
    public var connectedSince: WallTime?
    public var attempts = 0
    public var bytes: UInt64 = 0
    /// Of them no audio: damaged, or garbage.
    public var skipped: UInt64 = 0
  }

  public struct Window: Hashable, Sendable {
    /// Air times; nil while there is nothing.
    public var oldest: WallTime?
    public var live: WallTime?
    public var oldestPosition: UInt64 = 0
    public var livePosition: UInt64 = 0
    public var seconds = 0.0
    public var bytes: UInt64 = 0
    public var secondsMax = 0.0
    /// nil: not limited by bytes.
    public var bytesMax: UInt64?
    /// Bytes on disk, indexes included.
    public var onDisk: UInt64 = 0
    public var inMemory = 0
    public var segments = 0
    public var holes = 0
    public var segmentsDamaged = 0
    public var storage = StorageState.memoryOnly
  }

  public struct Listeners: Hashable, Sendable {
    public var now = 0
    public var peak = 0
    public var total = 0
  }

  /// What may be done with it.
  public struct Rights: Hashable, Sendable {
    public var shift = true
    /// Seconds; nil: as far as the window goes.
    public var offsetMax: Double?
    public var clip = true
    public var record = true
  }

  public var id: String
  /// The number SHOUTcast's pages know it by.
  public var sid: Int
  public var name: String
  public var description: String?
  public var genre: String?
  public var homepage: String?
  public var artwork: String?
  public var state: StationState
  public var stateReason: String?
  public var upstream = Upstream()
  public var format: ShownFormat?
  /// kbit/s, measured.
  public var bitrate: Int?
  public var window = Window()
  public var listeners = Listeners()
  public var rights = Rights()
  /// nil: it has no page of titles, or is stopped.
  public var metadata: MetadataStatus?
  /// What listeners get just now in the place of its own audio.
  public var fallback: FallbackSetting?
  public var nowPlaying = NowPlaying()

  public init(id: String, sid: Int, name: String, state: StationState) {
    self.id = id
    self.sid = sid
    self.name = name
    self.state = state
  }
}

extension StationSnapshot {
  /// The station's object; `identified` shows the queries of upstream URLs, which often are passwords.
  func json(identified: Bool) -> JSON {
    [
      "id": .string(id), "name": .string(name), "description": JSON(description),
      "genre": JSON(genre), "homepage": JSON(homepage), "artwork": JSON(artwork),
      "state": .string(state.rawValue), "stateReason": JSON(stateReason), "sid": JSON(sid),
      "upstream": [
        "url": JSON(shownURL(identified)), "connectedSince": JSON(upstream.connectedSince),
        "attempts": JSON(upstream.attempts), "bytes": JSON(upstream.bytes),
        "skipped": JSON(upstream.skipped),
      ],
      "format": formatJSON, "window": window.json,
      "listeners": [
        "now": JSON(listeners.now), "peak": JSON(listeners.peak), "total": JSON(listeners.total),
      ],
      "rights": [
        "shift": .bool(rights.shift), "offsetMax": JSON(rights.offsetMax),
        "clip": .bool(rights.clip), "record": .bool(rights.record),
      ],
      "metadata": metadataJSON(identified),
      "fallback": JSON(identified ? fallback?.text : fallback?.publicText),
      "nowPlaying": nowPlaying.json,
    ]
  }

  private func metadataJSON(_ identified: Bool) -> JSON {
    guard let metadata else { return .null }
    return [
      "url": .string(
        identified
          ? URLText.withoutCredentials(metadata.url) : URLText.withoutSecrets(metadata.url)),
      "answers": JSON(metadata.answers), "failures": JSON(metadata.failures),
      "trouble": JSON(metadata.trouble),
    ]
  }

  private func shownURL(_ identified: Bool) -> String? {
    upstream.url.map(identified ? URLText.withoutCredentials : URLText.withoutSecrets)
  }

  private var formatJSON: JSON {
    let channels = format?.channels ?? 0
    return [
      "codec": JSON(format?.codec.name), "mediaType": JSON(format?.mediaType),
      "bitrate": JSON(bitrate), "sampleRate": JSON(format?.sampleRate),
      "channels": JSON(channels > 0 ? channels : nil),
    ]
  }
}

extension StationSnapshot.Window {
  var json: JSON {
    [
      "oldest": JSON(oldest), "live": JSON(live), "oldestPosition": JSON(oldestPosition),
      "livePosition": JSON(livePosition), "seconds": .number(seconds), "bytes": JSON(bytes),
      "secondsMax": .number(secondsMax), "bytesMax": JSON(bytesMax), "onDisk": JSON(onDisk),
      "storage": .string(storageWord),
    ]
  }

  var storageWord: String {
    switch storage {
    case .memoryOnly: "memory-only"
    case .healthy: "healthy"
    case .failed: "failed"
    }
  }

  init(_ log: LogSnapshot, secondsMax: Double, bytesMax: UInt64?) {
    let isEmpty = log.edge.position == log.oldest.position
    oldest = isEmpty ? nil : log.oldestAir
    live = isEmpty ? nil : log.edgeAir
    oldestPosition = log.oldest.position
    livePosition = log.edge.position
    seconds = (log.edge.media - log.oldest.media).seconds
    bytes = log.audioBytes
    self.secondsMax = secondsMax
    self.bytesMax = bytesMax
    onDisk = log.bytesOnDisk
    inMemory = log.bytesInMemory
    segments = log.segments
    holes = log.holes
    segmentsDamaged = log.segmentsDamaged
    storage = log.storage
  }
}
