import Timeshift
import Wire

/// A station's window without its audio: titles, gaps, and how media time becomes time on air.
public struct StationTimeline: Sendable {
  /// A place in the window.
  public struct Place: Hashable, Sendable {
    /// Seconds of audio since the station's log began.
    public var media: Double
    /// Time on air.
    public var air: WallTime
    /// Byte of the station's log.
    public var position: UInt64
  }

  /// A stretch that listeners lack, in front of the packet at `position`.
  public struct Gap: Hashable, Sendable {
    public var media: Double
    public var position: UInt64
    /// Seconds on air that are missing.
    public var seconds: Double
    public var cause: String
  }

  /// A title, with the media time of its first packet.
  public struct Heard: Hashable, Sendable {
    public var media: Double
    public var playing: NowPlaying
  }

  public var station: String
  /// Zone in which times of day are meant.
  public var zone: ZoneOffsets
  /// The zone's seconds east of UTC when the timeline was read.
  public var zoneSeconds: Int
  public var oldest: Place
  public var live: Place
  /// The packet at `media` was on air at `air`; counts up to the next one.
  public var anchors: [(media: Double, air: WallTime)]
  /// Oldest first.
  public var gaps: [Gap]
  /// Oldest first.
  public var titles: [Heard]
}

extension StationTimeline {
  /// Most titles and gaps that are told, the newest ones: a week of songs.
  static let marksMax = 3000

  init(_ log: LogTimeline, of station: String, in zone: ZoneOffsets, now: WallTime) {
    self.station = station
    self.zone = zone
    zoneSeconds = zone.offset(at: now.unixSeconds)
    oldest = Place(
      media: log.oldest.media.seconds, air: log.oldestAir, position: log.oldest.position)
    live = Place(media: log.edge.media.seconds, air: log.edgeAir, position: log.edge.position)
    anchors = log.airMarks.map { ($0.media.seconds, $0.air) }
    // Where a station was stopped and started, nothing need be missing.
    gaps = log.gaps.filter { $0.mark.seconds > 0 }.suffix(Self.marksMax).map {
      Gap(
        media: $0.media.seconds, position: $0.mark.position, seconds: $0.mark.seconds,
        cause: $0.mark.cause.word)
    }
    let shown = HistoryEntry.list(
      log.titles.reversed(), oldest: log.oldest.position, edge: log.edge, limit: Self.marksMax)
    titles = shown.reversed().map { Heard(media: $0.media, playing: $0.playing) }
  }

  /// Returns the timeline with titles and gaps from the byte `position` on only.
  package func from(_ position: UInt64) -> StationTimeline {
    var rest = self
    rest.gaps.removeAll { $0.position < position }
    rest.titles.removeAll { ($0.playing.position ?? 0) < position }
    return rest
  }
}

extension StationTimeline: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("station", \.station),
    Shape(
      "timeZone",
      [Shape("name", \.zone.name), Shape("seconds", Schema.number) { $0.zoneSeconds.json }]),
    Shape("oldest", \.oldest), Shape("live", \.live),
    Shape("anchors", each: \.anchors, [Shape("media") { $0.media }, Shape("air") { $0.air }]),
    Shape("gaps", \.gaps), Shape("titles", \.titles),
  ]
}

extension StationTimeline.Place: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("media", \.media), Shape("air", \.air), Shape("position", \.position),
  ]
}

extension StationTimeline.Gap: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("media", \.media), Shape("position", \.position), Shape("seconds", \.seconds),
    Shape("cause", Schema.words(GapCause.allCases.map(\.word))) { $0.cause.json },
  ]
}

extension StationTimeline.Heard: ShapedObject {
  package static let shape: [Shape<Self>] =
    NowPlaying.shape.map { $0.of(\.playing) } + [Shape("media", \.media)]
}

extension GapCause {
  /// The cause as the API and events write it.
  package var word: String {
    switch self {
    case .upstreamAway: "upstream-away"
    case .restart: "restart"
    case .upstreamJumped: "upstream-jumped"
    }
  }
}
