import Synchronization
import Wire

/// What a log's threads share besides the edge: copied out whole under one short lock, and copied again only when
/// its version has moved.
struct LogLists: Sendable {
  /// The window, oldest first, without a seam.
  var blocks: [Block] = []
  /// Sealed segments, oldest first; between two of them there may be a hole.
  private(set) var segments: [SegmentInfo] = []
  /// The segment being written, as far as audio and index are in its files.
  private(set) var active: SegmentInfo?
  /// Changes when segments come and go, not when the active one grows.
  private(set) var segmentsVersion: UInt64 = 0
  private(set) var titles: [TitleMark] = []
  private(set) var gaps: [GapMark] = []
  private(set) var formats: [FormatMark] = [] {
    didSet { headerBytes = formats.reduce(0) { $0 + $1.headers.count } }
  }
  /// Of all formats.
  private(set) var headerBytes = 0
  var air = AirTimes()
  /// The running audio as far as it tells what is on air now.
  var run: RunGrowth?
  var edge: LogPoint
  /// Bytes below are in a segment or lost; `.max` when there is no disk to wait for.
  var diskEdge: UInt64 = .max
  var storage = StorageState.memoryOnly
  var holes = 0
  var setAside = 0
  /// Segments in which damage was found since the log was opened.
  var damaged = 0
  /// Segments given up, whose files the storage thread removes.
  var doomed: [SegmentFile] = []
  var titlesVersion: UInt64 = 0
  /// How much past is kept, by media time and by bytes on disk.
  var retention = MediaTime.zero
  var retentionBytes = UInt64.max
  /// What of it is not given up for a disk that others fill.
  var reserve = MediaTime.zero

  /// Of a log that began in memory, once it has its folder.
  private(set) var joint: LogJoint?

  init(edge: LogPoint) { self.edge = edge }

  var memoryOldest: LogPoint { blocks.first?.start ?? edge }
  /// The oldest packet in memory that follows what is on the disk: those before it are there already.
  var memoryBegin: LogPoint {
    guard let joint, memoryOldest.position < joint.next.position else { return memoryOldest }
    return joint.next
  }
  var oldest: LogPoint { segments.first?.start ?? active?.start ?? memoryBegin }
  /// What the memory has of what is given up is still read by who is there.
  private var oldestRead: LogPoint {
    memoryOldest.position < oldest.position ? memoryOldest : oldest
  }
  /// From the one in force at the oldest packet on.
  var titlesKept: ArraySlice<TitleMark> {
    titles[(titles.lastIndex { $0.position <= oldest.position } ?? 0)...]
  }
  var bytesOnDisk: UInt64 { segmentBytes + (active?.bytes ?? 0) }
  private var segmentBytes: UInt64 = 0
  private var segmentAudio: UInt64 = 0
  /// Bytes of audio that can be read.
  var audioBytes: UInt64 {
    let written = segments.last?.end.position ?? 0
    let rest = active?.start.position ?? max(written, memoryBegin.position)
    return segmentAudio + edge.position - min(edge.position, rest)
  }

  /// About where `media` is, without an index.
  func position(near media: MediaTime) -> UInt64 {
    var (start, end) = (memoryBegin, edge)
    if let segment = segments.last(where: { $0.start.media <= media }) ?? segments.first,
      media < segment.end.media
    {
      (start, end) = (segment.start, segment.end)
    } else if let active, media < active.end.media {
      (start, end) = (active.start, active.end)
    }
    guard start.media < media, media < end.media else {
      return media <= start.media ? start.position : end.position
    }
    let share = (media - start.media).seconds / (end.media - start.media).seconds
    return start.position + UInt64(bounded: share * Double(end.position - start.position))
  }
  /// With what the file system gives a segment's two files beyond their bytes: up to a page each.
  private var bytesTaken: UInt64 { bytesOnDisk + UInt64(segments.count + 1) * 8192 }

  mutating func add(title: TitleMark) {
    Self.add(title, to: &titles)
    titlesVersion += 1
  }

  mutating func add(gap: GapMark) { Self.add(gap, to: &gaps) }
  mutating func add(format: FormatMark) { Self.add(format, to: &formats) }

  private static func add<Mark>(_ mark: Mark, to marks: inout [Mark]) {
    marks.append(mark)
    // Many at once: each time the others are moved.
    let spare = LogConfiguration.marksMax / 16
    if marks.count > LogConfiguration.marksMax + spare { marks.removeFirst(spare) }
  }

  mutating func add(sealed segment: SegmentInfo) {
    precondition(
      (segments.last?.end.position ?? 0) <= segment.start.position,
      "segments follow each other by position")
    segments.append(segment)
    segmentBytes += segment.bytes
    segmentAudio += segment.audioBytes
    segmentsVersion += 1
  }

  /// The newest segment counts up to where the next begins; its files stay as they are.
  mutating func endNewest(at point: LogPoint) {
    guard let last = segments.last, point.position < last.end.position else { return }
    segments[segments.count - 1].end = point
    last.file.end.store(point.position, ordering: .releasing)
    segmentAudio -= last.end.position - point.position
  }

  /// With all media times later by `shift`. Of a log that nobody has opened.
  func moved(by shift: MediaTime) -> LogLists {
    var moved = self
    moved.segments = segments.map {
      SegmentInfo(
        start: $0.start.moved(by: shift), end: $0.end.moved(by: shift), bytes: $0.bytes,
        file: $0.file.moved(by: shift))
    }
    for index in titles.indices { moved.titles[index].media += shift }
    moved.air = air.moved(by: shift)
    moved.edge = edge.moved(by: shift)
    return moved
  }

  /// What was in the folder comes in front of what came into memory meanwhile.
  mutating func take(_ old: LogLists, joint: LogJoint) {
    self.joint = joint
    let next = joint.next
    segments = old.segments
    (segmentBytes, segmentAudio) = (old.segmentBytes, old.segmentAudio)
    segmentsVersion += old.segmentsVersion + 1
    titles = old.titles + Self.own(titles, behind: old.titles.last, from: next)
    titlesVersion += 1
    formats = old.formats + Self.own(formats, behind: old.formats.last, at: joint)
    let behind = gaps.filter { $0.position > next.position }
    gaps = old.gaps + (joint.gap.map { [$0] } ?? []) + behind
    air = old.air.followed(by: air, from: next)
    diskEdge = next.position
    storage = .healthy
    setAside = old.setAside
    forgetMarks()
  }

  /// Of a log's own formats the one in force at `next`, unless it is the format before, and those behind.
  private static func own(
    _ formats: [FormatMark], behind last: FormatMark?, at joint: LogJoint
  ) -> [FormatMark] {
    let behind = formats.filter { $0.position > joint.next.position }
    guard var first = formats.last(where: { $0.position <= joint.next.position }) else {
      return behind
    }
    guard first.format == last?.format else {
      first.position = joint.next.position
      return [first] + behind
    }
    // Listeners have its stream in Ogg: it is another one than before, even with the same headers.
    return first.format.codec.isOgg || first.headers != last?.headers ? [first] + behind : behind
  }

  /// Of a log's own titles the one in force at `next`, unless it is the title before, and those behind.
  private static func own(
    _ titles: [TitleMark], behind last: TitleMark?, from next: LogPoint
  ) -> [TitleMark] {
    let behind = titles.filter { $0.position > next.position }
    guard var first = titles.last(where: { $0.position <= next.position }),
      first.title != last?.title
    else { return behind }
    first.media = next.media
    return [first] + behind
  }

  /// What is in the folder now, as far as it is `kept`, is this log's past, with the marks it has of what nobody knew.
  mutating func take(again found: LogLists, kept: [SegmentInfo]) {
    let fresh = FreshSegments(kept, unknownTo: segments)
    titles = fresh.merged(titles, found.titles) { $0.position }
    titlesVersion += 1
    gaps = fresh.merged(gaps, found.gaps) { $0.position }
    formats = fresh.merged(formats: formats, found.formats, before: edge.position)
    air = air.preceded(by: found.air)
    active = nil
    segments = kept
    segmentBytes = kept.reduce(0) { $0 + $1.bytes }
    segmentAudio = kept.reduce(0) { $0 + $1.audioBytes }
    segmentsVersion += 1
    forgetMarks()
  }

  mutating func set(active segment: SegmentInfo?) {
    if active?.file !== segment?.file { segmentsVersion += 1 }
    active = segment
  }

  /// Gives up the oldest sealed segment, if there is one.
  mutating func dropOldestSegment() -> Bool {
    guard let first = segments.first else { return false }
    segments.removeFirst()
    segmentBytes -= first.bytes
    segmentAudio -= first.audioBytes
    segmentsVersion += 1
    doomed.append(first.file)
    return true
  }

  /// Forgets segments whose files were taken away.
  mutating func forget(lost: Set<ObjectIdentifier>) {
    let isLost: (SegmentInfo) -> Bool = { lost.contains(ObjectIdentifier($0.file)) }
    segments.removeAll(where: isLost)
    segmentBytes = segments.reduce(0) { $0 + $1.bytes }
    segmentAudio = segments.reduce(0) { $0 + $1.audioBytes }
    if let active, isLost(active) { set(active: nil) }
    segmentsVersion += 1
  }

  /// Drops what is out of the window. Blocks the disk has not got stay a while longer, and those at or beyond
  /// `published`, where readers may just be looking, until the next time.
  mutating func evict(_ configuration: LogConfiguration, published: UInt64) -> [Block] {
    var gone = 0
    while blocks.count - gone > configuration.blocksMax {
      let end = blocks[gone + 1].start.position
      if end > published { break }
      let isWritten = end <= diskEdge
      if !isWritten && blocks.count - gone <= configuration.blocksUnwrittenMax { break }
      gone += 1
    }
    if gone == 0 { return [] }
    let evicted = Array(blocks.prefix(gone))
    blocks.removeFirst(gone)
    return evicted
  }

  /// Whole segments go; media time counts, so that an outage takes nothing away.
  mutating func retain() -> Bool {
    let horizon = edge.media - retention
    var changed = false
    while let first = segments.first,
      first.end.media <= horizon || bytesTaken > retentionBytes
    {
      changed = dropOldestSegment() || changed
    }
    return changed
  }

  /// Gives up the oldest part of the window as long as the stream headers are too much. Returns the blocks that went.
  ///
  /// What no reader may be looking at goes whole, but nothing that the disk has not got. What is left then is so little
  /// audio with so many formats that no listener would want it: only the newest formats are known.
  mutating func shedHeaders(published: UInt64) -> [Block] {
    var evicted: [Block] = []
    while headerBytes > LogConfiguration.headersTotalMax {
      if !dropOldestSegment() {
        // With a segment being written the window begins there, whatever the memory has.
        guard active == nil, blocks.count > 1,
          blocks[1].start.position <= min(published, diskEdge)
        else { break }
        evicted.append(blocks.removeFirst())
      }
      let free = min(oldest.position, published, diskEdge)
      while blocks.count > 1, blocks[1].start.position <= free {
        evicted.append(blocks.removeFirst())
      }
      forgetMarks()
    }
    while headerBytes > LogConfiguration.headersTotalMax { formats.removeFirst() }
    return evicted
  }

  /// Forgets the marks that no readable packet needs.
  mutating func forgetMarks() {
    let oldest = oldestRead
    let before = titles.count
    Self.forget(&titles, before: oldest.position) { $0.position }
    Self.forget(&formats, before: oldest.position) { $0.position }
    if let kept = gaps.firstIndex(where: { $0.position >= oldest.position }) {
      if kept > 0 { gaps.removeFirst(kept) }
    } else {
      gaps.removeAll()
    }
    air.forget(before: oldest.media)
    if titles.count != before { titlesVersion += 1 }
  }

  /// The newest mark at or before the oldest packet is still in force.
  private static func forget<Mark>(
    _ marks: inout [Mark], before position: UInt64, at: (Mark) -> UInt64
  ) {
    var gone = 0
    while gone + 1 < marks.count && at(marks[gone + 1]) <= position { gone += 1 }
    if gone > 0 { marks.removeFirst(gone) }
  }
}

/// A segment as the lists know it: what of it can be read. One of these a segment is all that stays in memory.
struct SegmentInfo: Sendable {
  var start: LogPoint
  var end: LogPoint
  /// Audio and index.
  var bytes: UInt64
  var file: SegmentFile

  var audioBytes: UInt64 { end.position - start.position }
}
