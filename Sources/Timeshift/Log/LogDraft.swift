import Wire

/// The unpublished work of a log's writer: blocks being filled, and marks that wait for `publish`.
final class LogDraft: @unchecked Sendable {
  // Unchecked: only the log's one `LogWriter` touches it, and each writer begins after the one before has ended.

  /// Blocks and marks written since the last publish.
  struct Batch {
    var blocks: [Block] = []
    var titles: [TitleMark] = []
    var gaps: [GapMark] = []
    var origins: [OriginMark] = []
    var formats: [FormatMark] = []
    var numbers: [NumberEvent] = []
    /// The first packet of a new run, if one began.
    var runStart: LogPoint?
    /// Seconds that ended.
    var loudness: [LoudnessMeter.Second] = []
    var hasMarks: Bool {
      !titles.isEmpty || !gaps.isEmpty || !formats.isEmpty || !numbers.isEmpty
    }
  }

  /// A packet at which a number mark may be due.
  struct NumberEvent {
    var point: LogPoint
    /// The length of the packet in front; zero where it is not known. In a rendition: of the packet itself.
    var before: MediaTime
    /// Whether time is missing in front of the packet.
    var isGap: Bool
    /// Whether the packet is the first one of the process.
    var beginsLife: Bool
    /// The other cells that begin; nil if none do.
    var change: CellChange?
    /// Where a rendition's packet is heard in its original; nil if the packet is none, or follows those before.
    var programme: ProgrammePlace?
  }

  /// Cells of another kind, as planned.
  struct CellChange {
    var cells: CellSettings
    /// The programme time from which on they hold.
    var border: MediaTime
    /// The media time from which on the mark for them can stand.
    var mediaMin: MediaTime
  }

  private let configuration: LogConfiguration
  private(set) var edge: LogPoint
  private var block: Block?
  private var unpublished: [Block] = []
  private(set) var batch = Batch()

  private(set) var format: AudioFormat?
  private var pendingHeaders: [UInt8]?
  private(set) var title: Title?
  /// The position of the newest title mark; nil before the first.
  private(set) var titlePosition: UInt64?
  private var pendingTitle: Title?
  private var pendingGap: (seconds: Double, cause: GapCause)?
  /// The place of the next packet, where a mark for it is due; the inner nil is an unknown place.
  private var pendingOrigin: RelayPlace??
  private var pendingProgramme: ProgrammePlace?
  /// What the newest mark of a rendition says of the packet that begins at a media time; nil without one.
  private var programme: (media: MediaTime, place: ProgrammePlace)?
  private var startsRun = true
  private var beginsLife = true
  /// The newest packet's length.
  private var newest: MediaTime
  /// Nil if cells stay as they are.
  var cellChange: CellChange? { didSet { changeAt = cellChange?.mediaMin ?? .max } }
  private var changeAt = MediaTime.max

  private var meter = LoudnessMeter()
  var clock = AirClock()
  var rate = RateMeter()

  /// - Parameters:
  ///   - lists: what the log goes on from.
  ///   - lastPacket: the length of its last packet; zero where that is not known.
  init(_ lists: LogLists, lastPacket: MediaTime, _ configuration: LogConfiguration) {
    edge = lists.edge
    format = lists.formats.last?.format
    title = lists.titles.last?.title
    titlePosition = lists.titles.last?.position
    newest = lastPacket
    self.configuration = configuration
  }

  func append(_ packet: Span<UInt8>, samples: Int, format: AudioFormat) {
    precondition(
      packet.count > 0 && packet.count <= LogConfiguration.packetBytesMax,
      "a packet has 1 to 131,072 bytes")
    let duration = MediaTime(samples: samples, rate: format.sampleRate)
    precondition(
      duration.stored > 0 && duration.stored <= Int64(UInt32.max), "a packet lasts less than 6 s")
    placeMarks(format, lasting: duration)
    let block = room(for: packet.count)
    block.append(packet, at: edge.media, lasting: duration)
    if let second = meter.add(packet, format.codec, at: edge.media) {
      batch.loudness.append(second)
    }
    edge.position += UInt64(packet.count)
    edge.media += duration
    newest = duration
  }

  func markHeaders(_ headers: [UInt8]) { pendingHeaders = headers }

  func markTitle(_ new: Title) {
    pendingTitle = new == title ? nil : new
  }

  func markTitle(_ new: Title, at point: LogPoint) {
    precondition(
      point.position < edge.position && titlePosition.map { $0 < point.position } ?? true,
      "a late title stands behind the newest one and before the edge")
    pendingTitle = nil
    if new != title { add(new, at: point) }
  }

  private func add(_ new: Title, at point: LogPoint) {
    title = new
    titlePosition = point.position
    batch.titles.append(
      TitleMark(
        position: point.position, media: point.media, title: new, air: .epoch,
        known: edge.media))
  }

  func markGap(seconds: Double, cause: GapCause) {
    let before = pendingGap?.seconds ?? 0
    pendingGap = (before + max(0, seconds), cause)
    startsRun = true
  }

  func markOrigin(_ place: RelayPlace?) { pendingOrigin = .some(place) }

  /// Two places follow each other if they are no further apart: they were calculated in seconds.
  private static let programmeSlack = MediaTime(seconds: 0.001)

  func markProgramme(_ place: ProgrammePlace?) {
    pendingProgramme = nil
    guard let place, place.isPlausible else { return endProgramme() }
    guard let known = programme else {
      pendingProgramme = place
      return
    }
    let next = known.place.time + (edge.media - known.media)
    let isNext = max(next, place.time) - min(next, place.time) <= Self.programmeSlack
    if isNext, known.place.life == place.life { return }
    pendingProgramme = isNext ? ProgrammePlace(time: next, life: place.life) : place
  }

  /// What comes next is no rendition, or it is not known of what.
  func endProgramme() {
    pendingProgramme = nil
    guard programme != nil else { return }
    programme = nil
    beginsLife = true
  }

  /// Hands over what the lists need of the draft.
  func popBatch() -> Batch {
    defer { batch = Batch() }
    return batch
  }

  func publishBlocks() {
    for block in unpublished { block.publish() }
    unpublished.removeAll(keepingCapacity: true)
    if let block { unpublished.append(block) }
  }

  private func placeMarks(_ format: AudioFormat, lasting duration: MediaTime) {
    let isStream = format != self.format || pendingHeaders != nil
    placeNumber(isStream, duration)
    if isStream {
      self.format = format
      batch.formats.append(
        FormatMark(position: edge.position, format: format, headers: pendingHeaders ?? []))
      pendingHeaders = nil
    }
    if let gap = pendingGap {
      pendingGap = nil
      batch.gaps.append(
        GapMark(position: edge.position, seconds: gap.seconds, cause: gap.cause))
    }
    if let place = pendingOrigin {
      pendingOrigin = nil
      batch.origins.append(OriginMark(position: edge.position, place: place))
    }
    if let new = pendingTitle {
      pendingTitle = nil
      add(new, at: edge)
    }
    if startsRun {
      startsRun = false
      batch.runStart = edge
    }
  }

  private func placeNumber(_ isStream: Bool, _ duration: MediaTime) {
    let isGap = startsRun && (pendingGap?.seconds ?? 0) > 0
    let isChange = edge.media >= changeAt
    let place = pendingProgramme
    guard beginsLife || isGap || isChange || isStream || place != nil else { return }
    batch.numbers.append(
      NumberEvent(
        point: edge, before: place == nil ? newest : duration, isGap: isGap,
        beginsLife: beginsLife, change: isChange ? cellChange : nil, programme: place))
    beginsLife = false
    // The border of other cells was planned in the programme time before.
    if isChange || place != nil { cellChange = nil }
    if let place { programme = (edge.media, place) }
    pendingProgramme = nil
  }

  private func room(for bytes: Int) -> Block {
    if let block, block.fits(bytes) { return block }
    let capacity = configuration.blockBytes(for: bytes)
    let new = Block(start: edge, capacity: capacity, packetBytes: bytes)
    block = new
    unpublished.append(new)
    batch.blocks.append(new)
    return new
  }
}
