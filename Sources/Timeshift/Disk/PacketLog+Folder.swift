import Synchronization
import Wire

// How a log that began in memory, because its folder could not be used, moves to the folder.
extension PacketLog {
  /// Goes on in `directory`, behind what is there. Blocks: folder.
  ///
  /// Readers and the writer notice nothing: positions stay as they are, and the folder's content becomes the past
  /// before them.
  ///
  /// - Throws: as `open` does; the log then stays in memory.
  ///
  /// - Returns: false if nothing has been appended yet, or the folder reaches beyond this log's beginning, as after the
  ///   clock was set back. The folder is then opened as another log.
  public func takeFolder(
    _ directory: String, configuration: LogConfiguration, at now: Moment,
    report: @escaping @Sendable (StorageEvent) -> Void
  ) throws(StorageError) -> Bool {
    guard let storage = awaited, store == nil, !isEmpty else { return false }
    let folder = try FolderMend(directory: directory, files: storage.loader.files)
    var old = folder.lists
    guard old.edge.position <= start.position else { return false }
    old.setAside = folder.scan.unbelieved.count
    old.air.boot = storage.loader.files.boot
    old.air.resume(since: old.edge.media, at: now)
    let tail = old.tailSinceGap(seconds: JointSearch.tailSeconds, storage.loader.files)
    // Asked before the change, since nothing may wait for the disk under the lists' lock.
    let disk = storage.loader.files.disk(directory)
    var shift = MediaTime.zero
    let isOverflown = change { lists in
      let isOverflown = lists.memoryOldest != start
      let joint = lists.joint(behind: old, tail, began: start, at: now)
      shift = joint.next.media - old.edge.media
      old = old.moved(by: shift)
      lists.take(old, joint: joint)
      lists.retention = configuration.retention
      lists.retentionBytes = configuration.retentionBytes
      lists.reserve = configuration.reserve
      // Set before readers find segments, and before the writer's next packet.
      set(
        LogStore(
          directory: directory, configuration: configuration, id: folder.id, found: old,
          on: disk, from: joint.next, mediaShift: shift, storage: storage, report: report))
      return isOverflown
    }
    loudness.withLock { $0.add(folder.scan.loudness, later: shift.nearestSecond) }
    if isOverflown { report(.holeOpened(position: folder.lists.edge.position)) }
    storage.add(self)
    folder.forgetSetAside(configuration, report)
    folder.tell(storage, report)
    return true
  }
}

extension LogLists {
  /// The joint at which the memory follows `old`. Media times of its `end` are this log's.
  fileprivate func joint(
    behind old: LogLists, _ tail: [TailPacket], began start: LogPoint, at now: Moment
  ) -> LogJoint {
    // Reckoned by today's wall clock: the clock may have been another one when the end was written.
    var endAir = old.air.wall(at: old.edge.media)
    if case .exactly(let seconds)? = old.air.away(since: old.edge.media, at: now) {
      endAir = now.wall.adding(seconds: -seconds)
    }
    var next: LogPoint?
    if memoryOldest == start, formats.first?.format == old.formats.last?.format {
      let search = JointSearch(
        tail: tail, arrived: arrived(atMost: JointSearch.arrivedMax), endAir: endAir, air: air,
        now: now)
      next = search.next()
    }
    let point = next ?? memoryOldest
    var gap: GapMark?
    if next == nil, !old.segments.isEmpty {
      let seconds = max(0, air.wall(at: point.media, by: now).seconds(since: endAir))
      gap = GapMark(position: point.position, seconds: seconds, cause: .restart)
    }
    return LogJoint(
      end: LogPoint(position: old.edge.position, media: point.media), next: point, gap: gap)
  }

  /// The first packets in memory, up to the first gap.
  private func arrived(atMost count: Int) -> [JointSearch.Packet] {
    let seam = gaps.first { $0.position > memoryOldest.position }?.position ?? .max
    var packets: [JointSearch.Packet] = []
    for block in blocks {
      let rate = sampleRate(at: block.start.position)
      for index in 0..<block.packets(upTo: min(edge.position, seam)) {
        if packets.count == count { return packets }
        let entry = block.entries[index]
        packets.append(
          JointSearch.Packet(
            hash: TailPacket(entry, rate: rate), start: MediaTime(stored: entry.start),
            end: LogPoint(
              position: block.start.position + UInt64(entry.offset + entry.bytes),
              media: MediaTime(stored: entry.end))))
      }
    }
    return packets
  }

  /// The newest packets of a log that has none in memory, oldest first, none from before its last gap.
  fileprivate func tailSinceGap(seconds: Double, _ files: FileCalls) -> [TailPacket] {
    var bytes = edge.position - min(edge.position, gaps.last?.position ?? 0)
    return tail(from: edge.media - MediaTime(seconds: seconds), files).reversed().prefix { packet in
      guard packet.bytes <= bytes else { return false }
      bytes -= UInt64(packet.bytes)
      return true
    }.reversed()
  }
}
