import Timeshift
import Wire

// Copies the log into files, clip by clip.
extension RecordingWork {
  /// Begins a clip. False while something is being fetched from the disk, or when there is no room for the clip.
  func beginClip(at place: LogPoint) throws(RecordingError) -> Bool {
    let reader = tap.reader
    switch reader.read(
      at: place.position, upTo: place.position + 1, limit: 1, scratch: tap.scratch)
    {
    case .hole(let next):
      try skip(to: next, .hole)
      return true
    case .overrun(let next):
      try skip(to: next, .overrun)
      return true
    case .bytes(let byte) where !byte.isEmpty: break
    case .bytes, .loading, .liveEdge: return false
    }
    title = reader.titleMark(at: max(place.position, cut.title))?.title
    let air = reader.air(at: place.media)
    let end = LogPoint(position: .max, media: .max)
    switch reader.clip(
      from: place, to: end, comments: entry.comments(title, of: station, at: air))
    {
    case .clip(let clip): return try begin(clip, at: place, air)
    case .loading: return false
    case .nothing: throw RecordingError("the window of \(entry.options.station) cannot be read")
    }
  }

  private func begin(
    _ clip: Clip, at place: LogPoint, _ air: WallTime
  ) throws(RecordingError) -> Bool {
    // The least that a clip begins with: more than that may go elsewhere, less is no recording.
    guard let packetEnd = tap.reader.packetEnd(after: place.position + 1) else { return false }
    let bytes = Int64(clip.head.count) + Int64(packetEnd - place.position)
    if open == nil { try openFile(air, clip.format.codec, for: bytes) }
    if open == nil || room.map({ $0 < bytes }) ?? false {
      try fill()
      return false
    }
    copying = Copying(clip: clip)
    return true
  }

  /// Opens a file, unless there is no room for `bytes`.
  private func openFile(
    _ air: WallTime, _ codec: Codec, for bytes: Int64
  ) throws(RecordingError) {
    try space.check()
    let named = RecordingName(
      pattern: entry.options.name, station: entry.options.station, show: entry.schedule?.show)
    let file = try RecordingFile(
      named.text(
        at: air, title: title, number: entry.fileCount + 1,
        local: { [zone] in zone?.local($0) ?? RecordingName.local($0) }),
      ending: codec.fileExtension, in: space.folder, appends: entry.options.appends,
      calls: space.calls)
    let tag =
      codec.isOgg || file.bytes > 0
      ? [] : entry.tag(title, of: station, at: air).bytes
    var before = file.isContinued ? nil : entry
    if let place = tap.place { before?.place = tap.bookmark(at: place) }
    entry.count(before: file)
    if let room, room < bytes + Int64(tag.count) { return file.discard() }
    if entry.firstAir == nil { entry.firstAir = air.stored }
    open = OpenFile(file: file, before: before)
    // Errors from here on cut the file back to its length so far.
    if file.isContinued {
      keepPlace()
      synced = entry
    }
    try write(tag)
  }

  /// Copies up to `end`, a packet's boundary. False while something is being fetched. The clip ends when its rest is
  /// gone.
  func copy(to end: LogPoint) throws(RecordingError) -> Bool {
    guard var clip = copying?.clip else { return true }
    clip.end = end
    while let offset = copying?.offset, offset < clip.byteCount {
      switch tap.reader.read(clip, at: offset, limit: tap.scratch.count, scratch: tap.scratch) {
      case .bytes(let piece) where !piece.isEmpty:
        try space.check()
        try open?.file.write(piece)
        space.count(piece.count)
        bytesAhead += Int64(piece.count)
        copying?.offset += piece.count
      case .bytes, .loading, .liveEdge: return false
      case .hole(let next):
        try skip(to: next, .hole)
        return true
      case .overrun(let next):
        try skip(to: next, .overrun)
        return true
      }
    }
    reach(end)
    return true
  }

  private func write(_ bytes: [UInt8]) throws(RecordingError) {
    guard let file = open?.file else { return }
    let result = bytes.withUnsafeBytes { piece in
      Result { () throws(RecordingError) in try file.write(piece) }
    }
    try result.get()
    space.count(bytes.count)
    entry.bytes += Int64(bytes.count)
  }

  private func reach(_ point: LogPoint) {
    count()
    guard let place = tap.place, point.media > place.media else { return }
    noteTitles(from: place, to: point)
    let seconds = (point.media - place.media).seconds
    entry.seconds += seconds
    open?.seconds += seconds
    tap.advance(to: point)
    keepPlace()
  }

  /// Notes the titles of a show's audio that is about to be counted.
  private func noteTitles(from place: LogPoint, to point: LogPoint) {
    guard entry.schedule?.show != nil else { return }
    var (position, media) = (place.position, place.media)
    while position < point.position {
      if let title = tap.reader.titleMark(at: position)?.title {
        entry.note(title, at: entry.seconds + (media - place.media).seconds)
      }
      position = tap.reader.nextTitlePosition(after: position)
      guard position < point.position else { return }
      // What was copied just now is in memory: the title begins where the log says.
      media = tap.reader.media(ofBoundary: position) ?? tap.reader.media(at: position) ?? media
    }
  }

  private func count() {
    entry.bytes += bytesAhead
    bytesAhead = 0
  }

  /// Goes on at `found`; everything before it is gone.
  private func skip(to found: LogPoint, _ cause: TapLoss.Cause) throws(RecordingError) {
    count()
    // The audio that follows may be of another format, and then belongs in a file of its own.
    if let place = tap.place, open != nil,
      tap.reader.format(at: place.position)
        != tap.reader.format(at: tap.landing(at: found).position)
    {
      keepPlace()
      try finish()
    }
    let loss = tap.skip(to: found, cause)
    entry.missedSeconds += loss.seconds
    cut.skip(to: loss.next.position)
    copying = nil
  }

  // MARK: Files

  func fill() throws(RecordingError) {
    isFull = true
    entry.reason = entry.options.bytesMax.map {
      "the recording has the \(SizeText.format(UInt64($0))) that max-size allows"
    }
    try finish()
  }

  func finish() throws(RecordingError) {
    guard let open else { return copying = nil }
    let modified = try open.file.finish()
    (copying, self.open) = (nil, nil)
    note(
      RecordingEntry.File(
        name: open.file.name, bytes: open.file.bytes, seconds: open.seconds,
        title: entry.options.splits ? shownTitle : nil, modified: modified))
  }

  /// Bytes of a title, in a list of up to a thousand files that is stored with each file.
  private static let titleBytesMax = 512

  var shownTitle: String? {
    title.map { title in
      String(decoding: UTF8Text.prefix(title.text, bytes: Self.titleBytesMax), as: UTF8.self)
    }
  }

  func note(_ file: RecordingEntry.File) {
    entry.current = nil
    entry.fileCount += 1
    entry.files.append(file)
    if entry.files.count > RecordingEntry.filesMax { entry.files.removeFirst() }
  }
}
