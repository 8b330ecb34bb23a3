import Synchronization
import Wire

/// A copy of a log's state.
public struct LogSnapshot: Sendable {
  public var edge: LogPoint
  public var oldest: LogPoint
  /// The position of the oldest packet that can be read without the disk.
  public var memoryOldest: UInt64
  public var oldestAir: WallTime
  public var edgeAir: WallTime
  public var format: AudioFormat?
  /// The stream headers of the newest packet; empty if it needs none.
  public var headers: [UInt8]
  /// kbit/s, measured over the window in memory; 0 while the window is empty.
  public var bitrate: Double
  /// Bytes of readable audio between `oldest` and `edge`.
  public var audioBytes: UInt64
  /// Bytes of audio and indexes.
  public var bytesOnDisk: UInt64
  public var bytesInMemory: Int
  public var segments: Int
  /// Stretches lost between memory and disk since this process began.
  public var holes: Int
  /// Segments that could not be believed and were renamed to `.bad`.
  public var segmentsSetAside: Int
  /// Segments in which damaged audio was found since this process began.
  public var segmentsDamaged: Int
  public var title: TitleMark?
  public var storage: StorageState
  /// Seconds of audio that are not on the disk yet, by the measured bit rate; 0 while no disk is waited for.
  public var secondsUnwritten: Double
}

extension PacketLog {
  public func snapshot() -> LogSnapshot {
    let lists = self.lists.withLock { $0 }
    let memory = lists.memoryOldest
    let seconds = (lists.edge.media - memory.media).seconds
    let bits = Double(lists.edge.position - memory.position) * 8
    return LogSnapshot(
      edge: lists.edge, oldest: lists.oldest, memoryOldest: memory.position,
      oldestAir: lists.air.wall(at: lists.oldest.media),
      edgeAir: lists.air.wall(at: lists.edge.media), format: lists.formats.last?.format,
      headers: lists.formats.last?.headers ?? [],
      bitrate: seconds > 0 ? bits / seconds / 1000 : 0, audioBytes: lists.audioBytes,
      bytesOnDisk: lists.bytesOnDisk,
      bytesInMemory: lists.blocks.reduce(0) {
        $0 + $1.capacity + $1.entriesMax * MemoryLayout<PacketEntry>.stride
      }, segments: lists.segments.count + (lists.active == nil ? 0 : 1), holes: lists.holes,
      segmentsSetAside: lists.setAside, segmentsDamaged: lists.damaged,
      title: lists.titles.last.map { lists.aired($0) }, storage: lists.storage,
      secondsUnwritten: bits > 0 ? Double(lists.bytesUnwritten) * 8 / bits * seconds : 0)
  }

  /// The log as a reader with this delay sees it. The edge's position is an estimate.
  public func snapshot(delay: MediaTime, at now: Moment) -> LogSnapshot {
    var shown = snapshot()
    let lists = self.lists.withLock { $0 }
    let media = min(shownEdge(delay, at: now, in: lists), shown.edge.media)
    let share = (media - shown.oldest.media).seconds
    let whole = (shown.edge.media - shown.oldest.media).seconds
    let bytes = Double(shown.audioBytes)
    shown.audioBytes = UInt64(bounded: whole > 0 ? bytes * share / whole : 0)
    shown.edge =
      media == shown.oldest.media
      ? shown.oldest : LogPoint(position: lists.position(near: media), media: media)
    shown.oldestAir = shown.oldestAir + delay
    shown.edgeAir = lists.air.wall(at: media) + delay
    shown.title = titles(limit: 1, delay: delay, at: now).first
    return shown
  }

  /// The newest titles already heard with this delay, newest first, with the times at which they are heard.
  public func titles(limit: Int, delay: MediaTime, at now: Moment) -> [TitleMark] {
    let lists = self.lists.withLock { $0 }
    let due = shownEdge(delay, at: now, in: lists)
    return lists.titlesKept.prefix { $0.media <= due }.suffix(max(0, limit)).reversed().map {
      var mark = lists.aired($0)
      mark.air = mark.air + delay
      return mark
    }
  }

  /// The media time that was on air `delay` ago; the oldest if that is too long ago.
  private func shownEdge(_ delay: MediaTime, at now: Moment, in lists: LogLists) -> MediaTime {
    max(due(delay, at: now, in: lists.air) ?? lists.oldest.media, lists.oldest.media)
  }
}
