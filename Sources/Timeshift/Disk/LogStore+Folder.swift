import Glibc
import Synchronization

// How a log handles a folder that has changed behind its back. The folder may have been deleted, mounted over, restored
// from a copy, or renamed, and each of these may be undone again.
extension LogStore {
  /// Makes sure that the folder is this log's. Called before each segment, once a minute; each sync checks the active
  /// files.
  func claimFolder() throws(StorageError) {
    let found: [UInt8]?
    do throws(StorageError) {
      found = try LogFolder.id(directory, files)
    } catch {
      // A disk that fails for now proves nothing, and no existing file is ever written over.
      return
    }
    guard let found else { return try claim() }
    if found != id { throw StorageError(call: "open", path: directory, code: ESTALE) }
  }

  private func claim() throws(StorageError) {
    storage.syncSoon([try LogFolder.claim(directory, for: id, files)])
  }

  /// Looks at a folder that lost files, or is another one.
  ///
  /// The files that are there now count, and audio still in memory is written behind them.
  func lookAgain(_ log: PacketLog) throws(StorageError) {
    // Until a look is complete, nothing else asks what became of the sealed segments.
    let wasSure = !isUnsure
    isUnsure = true
    try LogFolder.make(directory, files)
    disk.store(files.disk(directory), ordering: .relaxed)
    removeDoomed(log)
    let names = try LogFolder.names(directory, files)
    let lists = log.lists.withLock { $0 }
    let known = lists.segments + [lists.active].compactMap(\.self)
    let starts = LogFolder.segments(among: names)
    // If a folder lacks the newest segment, its other segments may be an older copy's.
    let isKnown =
      writer.map { !$0.isMissing } ?? false && starts.isSubset(of: known.map(\.start.position))
    if starts.isEmpty { try claim() }
    if wasSure, isKnown || starts.isEmpty, try !isAnothers(names) {
      try forgetLost(log, among: names)
      isUnsure = false
      return
    }
    // The active segment cannot be found where it stands now, unless that is where it comes back from.
    do throws(StorageError) { try seal(log) } catch { abandon(log) }
    if try isAnothers(names) { try displace(log) }
    try readAgain(log)
    isUnsure = false
    displaced.store(false, ordering: .relaxed)
  }

  /// Whether the folder holds segments of another log. A folder without segments may be anyone's.
  private func isAnothers(_ names: [String]) throws(StorageError) -> Bool {
    guard let newest = LogFolder.segments(among: names).max() else { return false }
    let found = try LogFolder.id(directory, files)
    if found == id { return false }
    // The id file has no checksum; a header has one.
    let path = "\(directory)/\(SegmentFormat.name(newest)).\(SegmentFormat.indexExtension)"
    guard let bytes = try LogFolder.head(path, SegmentFormat.headerBytes, files),
      case .header(let header, _) = bytes.withUnsafeBytes({ SegmentHeader.read($0) })
    else { return found != nil }
    return header.id != id
  }

  /// Gives up another log's folder: touches none of its files, reads none as this log's, and always throws.
  private func displace(_ log: PacketLog) throws(StorageError) {
    displaced.store(true, ordering: .relaxed)
    forget(log.lists.withLock { $0.segments }, of: log)
    throw StorageError(
      "the folder has another log now, as after a mount, a move or a restore",
      path: directory)
  }

  private func readAgain(_ log: PacketLog) throws(StorageError) {
    let folder = try FolderMend(directory: directory, files: files)
    if folder.id != id { try claim() }
    folder.forgetSetAside(configuration)
    let found = folder.lists.moved(by: mediaShift)
    let known = log.lists.withLock { $0.segments }
    let since = log.lists.withLock { $0.air.wall(at: $0.oldest.media) }
    let (isHeld, written) = (retryAt == nil, diskEdge)
    let (others, lost, edge) = log.change {
      $0.setAside += folder.scan.unbelieved.count
      return $0.adoptAgain(found, written: written, isHeld: isHeld)
    }
    log.loudness.withLock { $0.add(folder.scan.loudness, later: mediaShift.nearestSecond) }
    for segment in known { loader.close(segment.file) }
    for segment in others { segment.file.putAside(files) }
    writeAgain(from: edge)
    tell(lost, upTo: edge, since: since)
    let setAside = folder.scan.unbelieved.count + others.count
    if setAside > 0 { events.append(.setAside(setAside)) }
    if let first = folder.scan.leftOut.first {
      events.append(.leftOut(folder.scan.leftOut.count, reason: first.description))
    }
    storage.syncSoon(folder.unsynced)
  }

  /// Forgets files that were removed, where nothing else has changed. Audio of them still in memory is written again.
  private func forgetLost(_ log: PacketLog, among names: [String]) throws(StorageError) {
    let paths = Set(names.map { "\(directory)/\($0)" })
    let isLost = { (file: SegmentFile) in
      !paths.contains(file.audioPath) || !paths.contains(file.indexPath)
    }
    if let file = writer?.file, isLost(file) {
      // The file may come back from wherever it is now.
      try? writer?.seal()
      writer = nil
    }
    let known = log.lists.withLock { $0 }
    let lost = (known.segments + [known.active].compactMap(\.self)).filter { isLost($0.file) }
    if lost.isEmpty { return }
    let since = known.air.wall(at: lost[0].start.media)
    let edge = forget(lost, of: log)
    // One of a segment's two files may still be there.
    for segment in lost { segment.file.remove(files) }
    if edge.position < diskEdge.position { writeAgain(from: edge) }
    tell(lost, upTo: edge, since: since)
  }

  /// Forgets lost segments. Returns the point from which on the log must be written.
  @discardableResult private func forget(_ lost: [SegmentInfo], of log: PacketLog) -> LogPoint {
    let gone = Set(lost.map { ObjectIdentifier($0.file) })
    let (isHeld, written) = (retryAt == nil, diskEdge)
    let edge = log.change { $0.forgetLost(gone, written: written, isHeld: isHeld) }
    for segment in lost { loader.close(segment.file) }
    return edge
  }

  private func tell(_ lost: [SegmentInfo], upTo edge: LogPoint, since: WallTime) {
    if lost.isEmpty { return }
    let media = lost.map { max(.zero, min($0.end.media, edge.media) - $0.start.media) }
    events.append(
      .lost(
        LostAudio(
          directory: directory, segments: lost.count, media: media.reduce(.zero, +), since: since)))
  }

  private func writeAgain(from edge: LogPoint) {
    diskEdge = edge
    titlesWritten = min(titlesWritten, edge.position)
    anchorsWritten = 0
    isInHole = false
    if retryAt == nil { committed.store(edge.position, ordering: .relaxed) }
  }

  /// Removes the files of segments that the log gave up. Needs no lock of this store.
  func removeDoomed(_ log: PacketLog) {
    let doomed = log.lists.withLock { lists in
      defer { lists.doomed = [] }
      return lists.doomed
    }
    for file in doomed {
      loader.close(file)
      file.remove(files)
    }
  }
}
