import Synchronization
import Wire

/// The state that a log's threads share besides the edge. A thread copies it whole under one short lock, and again only
/// when the version has moved.
struct LogLists: Sendable {
  /// The window's blocks, oldest first, without a seam.
  var blocks: [Block] = []
  /// Sealed segments, oldest first; there may be a hole between two of them.
  private(set) var segments: [SegmentInfo] = []
  /// The segment being written, as far as its audio and index are in its files.
  private(set) var active: SegmentInfo?
  /// Changes when segments come and go, not when the active one grows.
  private(set) var segmentsVersion: UInt64 = 0
  private(set) var titles: [TitleMark] = []
  private(set) var gaps: [GapMark] = []
  /// Only the newest count: they tell where the edge stands.
  private(set) var origins: [OriginMark] = []
  private(set) var formats: [FormatMark] = [] {
    didSet { headerBytes = formats.reduce(0) { $0 + $1.headers.count } }
  }
  /// In the order of positions.
  var numbers: [NumberMark] = []
  /// How cells are to be, from the next border on.
  var cells = CellSettings()
  /// Where numbers begin without a past.
  var numberStart: NumberStart?
  /// Numbers that a past must have reached; else they begin behind it as without one.
  var numberLeast: Int64 = 0
  /// The bytes of all formats' stream headers.
  private(set) var headerBytes = 0
  var air = AirTimes()
  /// How the running audio began and last grew; shows whether what is on air now is known.
  var run: RunGrowth?
  var edge: LogPoint
  /// Bytes below this position are in a segment or lost; `.max` if no disk is waited for.
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
  /// The newest part of the past that is kept even if other programs fill the disk.
  var reserve = MediaTime.zero

  /// The joint of folder and memory, for a log that began in memory and now has its folder.
  private(set) var joint: LogJoint?

  init(edge: LogPoint) { self.edge = edge }

  var oldest: LogPoint { segments.first?.start ?? active?.start ?? memoryBegin }
  /// The oldest packet that readers may still read: given-up audio may remain in memory.
  private var oldestRead: LogPoint {
    memoryOldest.position < oldest.position ? memoryOldest : oldest
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

  /// The bytes on disk, with what a file system adds to a segment's two files: up to a page each.
  private var bytesTaken: UInt64 { bytesOnDisk + UInt64(segments.count + 1) * 8192 }

  /// Accepts a batch of the draft. Returns the blocks that left the window.
  mutating func accept(
    _ batch: LogDraft.Batch, _ edge: LogPoint, _ configuration: LogConfiguration,
    _ draft: LogDraft, _ now: Moment, _ version: borrowing Atomic<UInt64>
  ) -> [Block] {
    let published = self.edge.position
    self.edge = edge
    var changed = !batch.blocks.isEmpty || batch.hasMarks
    blocks.append(contentsOf: batch.blocks)
    let streams = batch.formats.isEmpty ? [] : streams(batch.formats)
    for mark in batch.formats { add(format: mark) }
    for mark in batch.gaps { add(gap: mark) }
    for mark in batch.titles { add(title: mark) }
    for mark in batch.origins { add(origin: mark) }
    add(batch.numbers, streams: streams, at: now.wall)
    planCells(draft)
    changed = keepTime(batch.runStart, draft, now) || changed
    let shed = batch.formats.isEmpty ? [] : shedHeaders(published: published)
    let evicted = shed + evict(configuration, published: published)
    let shortened = retain()
    if shortened || !evicted.isEmpty { forgetMarks() }
    if changed || shortened || !evicted.isEmpty { version.wrappingAdd(1, ordering: .releasing) }
    return evicted
  }

  mutating func add(title: TitleMark) {
    if titles.count == Self.marksFull {
      let next = titles[Self.marksSpare]
      numbers = numbers(from: LogPoint(position: next.position, media: next.media))
    }
    Self.add(title, to: &titles)
    titlesVersion += 1
  }

  mutating func add(gap: GapMark) { Self.add(gap, to: &gaps) }
  mutating func add(format: FormatMark) { Self.add(format, to: &formats) }
  mutating func add(number: NumberMark) { Self.add(number, to: &numbers) }

  /// The most marks of origins that are kept; older ones are in their segments.
  private static let originsMax = 64

  mutating func add(origin: OriginMark) {
    origins.append(origin)
    if origins.count > Self.originsMax { origins.removeFirst(Self.originsMax / 2) }
  }

  func isNewer(_ origin: OriginMark) -> Bool {
    origins.last.map { $0.position < origin.position } ?? true
  }

  // Removes many at once, since each removal moves all others.
  private static let marksSpare = LogConfiguration.marksMax / 16
  private static let marksFull = LogConfiguration.marksMax + marksSpare

  private static func add<Mark>(_ mark: Mark, to marks: inout [Mark]) {
    marks.append(mark)
    if marks.count > marksFull { marks.removeFirst(marksSpare) }
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

  /// Sets the bytes of a sealed segment's files.
  mutating func set(bytes: UInt64, of file: SegmentFile) {
    guard let place = segments.lastIndex(where: { $0.file === file }) else { return }
    segmentBytes = segmentBytes - segments[place].bytes + bytes
    segments[place].bytes = bytes
  }

  /// Ends the newest segment at `point`, where the next one begins; its files stay as they are.
  mutating func endNewest(at point: LogPoint) {
    guard let last = segments.last, point.position < last.end.position else { return }
    segments[segments.count - 1].end = point
    last.file.end.store(point.position, ordering: .releasing)
    segmentAudio -= last.end.position - point.position
  }

  /// The lists with all media times later by `shift`. For a log that no reader has opened.
  func moved(by shift: MediaTime) -> LogLists {
    var moved = self
    moved.segments = segments.map {
      SegmentInfo(
        start: $0.start.moved(by: shift), end: $0.end.moved(by: shift), bytes: $0.bytes,
        file: $0.file.moved(by: shift))
    }
    moved.titles = titles.map { $0.moved(by: shift) }
    moved.numbers = numbers.map { $0.moved(by: shift) }
    moved.air = air.moved(by: shift)
    moved.edge = edge.moved(by: shift)
    return moved
  }

  /// Puts the folder's content in front of what came into memory meanwhile.
  mutating func adopt(_ old: LogLists, joint: LogJoint) {
    self.joint = joint
    let next = joint.next
    segments = old.segments
    (segmentBytes, segmentAudio) = (old.segmentBytes, old.segmentAudio)
    segmentsVersion += old.segmentsVersion + 1
    numbers = old.numbers + numbers(behind: old, joint: joint)
    titles = old.titles + Self.own(titles, behind: old.titles.last, from: next)
    titlesVersion += 1
    formats = old.formats + Self.own(formats, behind: old.formats.last, at: joint)
    let behind = gaps.filter { $0.position > next.position }
    gaps = old.gaps + (joint.gap.map { [$0] } ?? []) + behind
    let place = origin(at: next.position)?.place
    origins =
      old.origins + [OriginMark(position: next.position, place: place)]
      + origins.filter { $0.position > next.position }
    air = old.air.followed(by: air, from: next)
    diskEdge = next.position
    storage = .healthy
    setAside = old.setAside
    forgetMarks()
  }

  /// The log's own formats from `next` on. The one in force there is left out if the folder's last format is the same.
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
    // In Ogg even equal headers begin another stream, and listeners got the headers of this one.
    return first.format.codec.isOgg || first.headers != last?.headers ? [first] + behind : behind
  }

  /// The log's own titles from `next` on. The one in force there is left out if the folder's last title is the same.
  private static func own(
    _ titles: [TitleMark], behind last: TitleMark?, from next: LogPoint
  ) -> [TitleMark] {
    let behind = titles.filter { $0.position > next.position }
    guard var first = titles.last(where: { $0.position <= next.position }),
      first.title != last?.title
    else { return behind }
    (first.media, first.known) = (next.media, max(first.known, next.media))
    return [first] + behind
  }

  /// Makes the `kept` segments of the folder this log's past, with their marks where the log had none.
  mutating func adopt(again found: LogLists, kept: [SegmentInfo]) {
    let fresh = FreshSegments(kept, unknownTo: segments)
    titles = fresh.merged(titles, found.titles) { $0.position }
    titlesVersion += 1
    gaps = fresh.merged(gaps, found.gaps) { $0.position }
    numbers = fresh.merged(numbers, found.numbers) { $0.position }
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

  /// Drops the oldest sealed segment, if there is one.
  mutating func dropOldestSegment() -> Bool {
    guard let first = segments.first else { return false }
    segments.removeFirst()
    segmentBytes -= first.bytes
    segmentAudio -= first.audioBytes
    segmentsVersion += 1
    doomed.append(first.file)
    return true
  }

  /// Gives up the oldest sealed segment with its marks, if there is one.
  mutating func giveUpOldest() -> Bool {
    let isDropped = dropOldestSegment()
    if isDropped { forgetMarks() }
    return isDropped
  }

  /// Forgets segments whose files were removed.
  mutating func forget(lost: Set<ObjectIdentifier>) {
    let isLost: (SegmentInfo) -> Bool = { lost.contains(ObjectIdentifier($0.file)) }
    segments.removeAll(where: isLost)
    segmentBytes = segments.reduce(0) { $0 + $1.bytes }
    segmentAudio = segments.reduce(0) { $0 + $1.audioBytes }
    if let active, isLost(active) { set(active: nil) }
    segmentsVersion += 1
  }

  /// Drops whole segments beyond the retention. Media time counts, so that an outage takes nothing away.
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

  /// Gives up the oldest part of the window while the stream headers are too large. Returns the dropped blocks.
  ///
  /// Drops whole blocks that no reader may be looking at, and none that the disk has not got. If that is not enough,
  /// little audio has so many formats that no listener would want it: only the newest formats stay known.
  mutating func shedHeaders(published: UInt64) -> [Block] {
    var evicted: [Block] = []
    while headerBytes > LogConfiguration.headersTotalMax {
      if !dropOldestSegment() {
        // While a segment is being written, the window begins there, whatever the memory holds.
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
    numbers = numbers(from: oldest)
    let here = numbers.last { $0.position <= oldest.position }
    let needed = titleNeeded(from: here.map(\.border) ?? oldest.media)
    Self.forget(&titles, before: min(oldest.position, needed)) { $0.position }
    Self.forget(&formats, before: oldest.position) { $0.position }
    if let kept = gaps.firstIndex(where: { $0.position >= oldest.position }) {
      if kept > 0 { gaps.removeFirst(kept) }
    } else {
      gaps.removeAll()
    }
    air.forget(before: oldest.media)
    if titles.count != before { titlesVersion += 1 }
  }

  /// Forgets marks before `position`, except the newest at or before it: that mark is still in force.
  private static func forget<Mark>(
    _ marks: inout [Mark], before position: UInt64, at: (Mark) -> UInt64
  ) {
    var gone = 0
    while gone + 1 < marks.count && at(marks[gone + 1]) <= position { gone += 1 }
    if gone > 0 { marks.removeFirst(gone) }
  }
}
