import Timeshift
import Wire

extension RecordingEntry {
  /// Limits stored values to what a recording can have: an older version, or somebody else, may have stored more.
  mutating func hold() {
    options.hold()
    startedAt = WallTime(stored: startedAt).stored
    firstAir = firstAir.map { WallTime(stored: $0).stored }
    endedAt = endedAt.map { WallTime(stored: $0).stored }
    place?.hold()
    stop?.hold()
    bytes = bytes.held(to: Self.bytes)
    bytesBefore = bytesBefore?.held(to: Self.bytes)
    seconds = seconds.held(to: Bounds.durations)
    missedSeconds = missedSeconds.held(to: Bounds.durations)
    fileCount = fileCount.held(to: 0...Self.countMax)
    for index in files.indices { files[index].hold() }
    titles = titles.map { titles in
      titles.prefix(Self.chaptersMax).map {
        Chapter(
          seconds: $0.seconds.held(to: Bounds.durations), title: $0.title, artist: $0.artist)
      }
    }
    current?.hold()
    schedule?.hold()
  }

  /// Bytes of one recording; sums of two fit into 64 bits.
  private static let bytes: ClosedRange<Int64> = 0...1 << 60
  private static let countMax = 1_000_000_000
}

extension RecordingEntry.Options {
  fileprivate mutating func hold() {
    from = from.map { WallTime(stored: $0).stored }
    until = until.map { WallTime(stored: $0).stored }
    overlap = overlap.held(to: ConfigurationLimits.overlap)
    let sizes = ConfigurationLimits.recordingSize
    bytesMax = bytesMax?.held(to: Int64(sizes.lowerBound)...Int64(sizes.upperBound))
    keep = keep?.held(to: ConfigurationLimits.keep)
  }
}

extension Bookmark {
  fileprivate mutating func hold() {
    position = position.held(to: 0...1 << 62 - 1)
    flicks = flicks.held(to: 0...1 << 61)
    air = air.map { WallTime(stored: $0).stored }
    past?.hold()
  }
}

extension Bookmark.Past {
  fileprivate mutating func hold() {
    start = start.held(to: 0...1 << 62 - 1)
    gaps = gaps.suffix(Self.gapsMax)
  }
}

extension RecordingEntry.Stop {
  fileprivate mutating func hold() {
    air = WallTime(stored: air).stored
    place?.hold()
  }
}

extension RecordingEntry.File {
  fileprivate mutating func hold() {
    bytes = bytes.held(to: 0...1 << 60)
    seconds = seconds.held(to: Bounds.durations)
  }
}

extension RecordingEntry.Schedule {
  fileprivate mutating func hold() {
    airing.start = airing.startTime.unixSeconds
    airing.end = airing.endTime.unixSeconds
    keep.seconds = keep.seconds?.held(to: ConfigurationLimits.keep)
    keep.count = keep.count?.held(to: ConfigurationLimits.keepCount)
  }
}

extension Comparable {
  fileprivate func held(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
