import Synchronization
import Wire

/// What a log's window holds besides audio, and how media time becomes time on air.
public struct LogTimeline: Sendable {
  /// States that the packet at `media` was on air at `air`; counts up to the next mark.
  public struct AirMark: Hashable, Sendable {
    public var media: MediaTime
    public var air: WallTime
  }

  /// A gap, with the media time of the packet behind it.
  public struct Gap: Hashable, Sendable {
    public var mark: GapMark
    public var media: MediaTime
  }

  public var oldest: LogPoint
  public var edge: LogPoint
  public var oldestAir: WallTime
  public var edgeAir: WallTime
  /// The first one is at or before the oldest packet.
  public var airMarks: [AirMark]
  /// Oldest first.
  public var gaps: [Gap]
  /// From the title of the oldest packet on, oldest first.
  public var titles: [TitleMark]
}

extension PacketLog {
  /// - Parameter delay: how much later than the log all is told; then the edge's position is an estimate.
  public func timeline(delay: MediaTime = .zero, at now: Moment) -> LogTimeline {
    // The edge is read after the titles, so that no title ends before it began.
    let titles =
      delay == .zero ? titles(limit: .max) : titles(limit: .max, delay: delay, at: now)
    let shown = delay == .zero ? snapshot() : snapshot(delay: delay, at: now)
    let lists = self.lists.withLock { $0 }
    let first = lists.air.anchors.lastIndex { $0.media <= shown.oldest.media } ?? 0
    // Nothing of it is heard yet, so it has no place in time.
    let isEmpty = shown.edge.position == shown.oldest.position
    let anchors = lists.air.anchors.dropFirst(first).prefix { $0.media <= shown.edge.media }
    return LogTimeline(
      oldest: shown.oldest, edge: shown.edge, oldestAir: shown.oldestAir, edgeAir: shown.edgeAir,
      airMarks: isEmpty ? [] : anchors.map { .init(media: $0.media, air: $0.wall + delay) },
      gaps: lists.gaps.filter {
        $0.position >= shown.oldest.position && $0.position <= shown.edge.position
      }.map { .init(mark: $0, media: lists.media(near: $0.position)) },
      titles: titles.reversed())
  }
}
