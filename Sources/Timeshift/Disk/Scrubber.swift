import Synchronization

/// Reads all sealed segments once a day and compares them with their checksums. So damage is known and reported before
/// a listener reaches it.
///
/// One thread reads at most `bytesPerSecond` for all logs together. Pages that it brings into the page cache leave it
/// again.
final class Scrubber: Sendable {
  static let bytesPerSecond = 1_000_000
  static let interval: Int64 = 86_400_000_000_000
  /// The age of a segment at its first check: newer audio would come from the page cache, not from the disk.
  static let firstAfter: Int64 = 3_600_000_000_000

  private let loader: SegmentLoader
  /// The calls that the scrubber reads with.
  private let files: FileCalls

  /// - Parameter files: calls that may take long, since other reads come first.
  init(_ loader: SegmentLoader, _ files: FileCalls) {
    self.loader = loader
    var files = files
    files.read = files.readBeside
    self.files = files
  }

  /// Reads the segments that are due in `log`.
  ///
  /// - Parameter rest: receives the number of bytes read, and returns when more may be read; false: stop reading.
  func run(_ log: PacketLog, at now: Int64, rest: (Int) -> Bool) {
    for segment in log.lists.withLock({ $0.segments })
    where segment.file.scrubAt.load(ordering: .relaxed) <= now {
      guard check(segment, in: log, rest: rest) else { return }
      // What the disk did not give is asked for again soon, before it is told as damage.
      let isAsked = segment.file.hasUnread && !segment.file.isTold.load(ordering: .acquiring)
      let next = now.addingReportingOverflow(isAsked ? loader.retryInterval : Self.interval)
      segment.file.scrubAt.store(next.overflow ? .max : next.partialValue, ordering: .relaxed)
    }
  }

  private func check(_ segment: SegmentInfo, in log: PacketLog, rest: (Int) -> Bool) -> Bool {
    let file = segment.file
    let index: SegmentIndex
    do {
      index = try file.load(files)
    } catch {
      // Tried again in the next round, unless the segment was given up meanwhile.
      if error.isShortage || !log.holds(file) { return true }
      loader.found(
        SpanDamage(start: file.start, reason: error.reason, isContent: error.code == 0), in: file)
      return rest(0)
    }
    guard rest(Int(clamping: segment.bytes - min(segment.bytes, index.audioBytes))) else {
      return false
    }
    loader.noteShort(file, index)
    guard let audio = index.audio else { return true }
    var (place, goesOn) = (0, true)
    withUnsafeTemporaryAllocation(byteCount: SegmentCheck.bufferBytes, alignment: 16) { buffer in
      while place < index.spanCount, goesOn, log.holds(file) {
        let places = index.places(
          from: index.spanPoint(place).position, bytes: SegmentCheck.bufferBytes)
        let check = SegmentCheck(
          index: index, audio: audio, read: files.read,
          retryAt: files.now().nanoseconds + loader.retryInterval)
        let damage = check.run(places, buffer)
        file.note(damage, in: places, of: index)
        // Readers with the segment open need not check again, and never reach damaged spans.
        if let open = file.index.withLock({ $0 }) { open.adopt(statesOf: index) }
        if let first = damage.first { loader.found(first.damage, in: file) }
        place = damage.last.map { max($0.place + 1, places.upperBound) } ?? places.upperBound
        let last = index.spanRange(places.upperBound - 1).upperBound
        goesOn = rest(Int(clamping: last - index.spanRange(places.lowerBound).lowerBound))
      }
    }
    return goesOn
  }
}

extension PacketLog {
  /// Whether a sealed segment is still part of the log.
  func holds(_ file: SegmentFile) -> Bool {
    lists.withLock { lists in lists.segments.contains { $0.file === file } }
  }
}
