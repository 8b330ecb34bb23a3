import CLinux
import Glibc
import Synchronization

/// An open segment: its audio file and its packets, as they were when it was loaded.
///
/// The loader makes it and readers share it; the file is closed when the last of them lets go. For the active segment
/// it is a snapshot, and a newer one is loaded when a reader gets beyond its end.
final class SegmentIndex: Sendable {
  let audio: LogFile?
  let start: LogPoint
  /// Bytes of stream headers in front of the audio.
  private let headerBytes: UInt64
  /// The end of what the index covers.
  let end: LogPoint
  /// Whether the segment was sealed when the index was read: nothing is added to it.
  let isFinal: Bool
  private let spans: [IndexedSpan]
  /// The packets as `SpanRecord` packs them. Unpacked, they would take as much memory as all the rest of a relay with a
  /// day of past.
  private let packets: [UInt8]
  private let usesReadNow: Atomic<Bool>
  /// The audio file's descriptor, kept here so that a listener's read touches no other object.
  private let descriptor: Int32
  private let injectedReadNow: (@Sendable (Int32, UnsafeMutableRawBufferPointer, UInt64) -> Int)?

  /// When a reader last read here, on the loader's clock.
  let used = Atomic<UInt64>(0)
  /// Set when other segments need the handle more: readers then let go.
  let isEvicted = Atomic<Bool>(false)
  let isReadingAhead = Atomic<Bool>(false)

  let states: SpanStates

  init(_ scan: SegmentScan, audio: LogFile, isFinal: Bool) {
    self.audio = audio
    states = SpanStates(count: scan.spans.count)
    retryAt = .max
    start = scan.header.start
    headerBytes = UInt64(scan.header.headerBytes)
    end = scan.end
    // Copies, without the room that growing has left.
    spans = scan.spans.withUnsafeBufferPointer { Array($0) }
    packets = scan.packets.withUnsafeBufferPointer { Array($0) }
    self.isFinal = isFinal
    descriptor = audio.descriptor
    injectedReadNow = audio.files.readNow
    usesReadNow = Atomic(true)
  }

  /// When an unreadable segment is tried again, in monotonic nanoseconds; `.max` for never.
  let retryAt: Int64

  /// Makes the index of a segment that cannot be read; it covers nothing.
  init(unreadable start: LogPoint, retryAt: Int64) {
    self.retryAt = retryAt
    states = SpanStates(count: 0)
    audio = nil
    self.start = start
    headerBytes = 0
    end = start
    spans = []
    packets = []
    isFinal = true
    descriptor = -1
    injectedReadNow = nil
    usesReadNow = Atomic(false)
  }

  enum ReadResult {
    case bytes(Int)
    case loading
    /// The file is shorter than its index says, or the disk is broken here.
    case damaged
  }

  /// The offset in the audio file of the byte at `position`.
  func offset(of position: UInt64) -> UInt64 { position - start.position + headerBytes }

  /// Reads what is in the page cache. If the file system cannot tell, reads from the disk and may block.
  func read(_ scratch: UnsafeMutableRawBufferPointer, at position: UInt64) -> ReadResult {
    let offset = offset(of: position)
    if usesReadNow.load(ordering: .relaxed) {
      let count = readNow(scratch, at: offset)
      if count > 0 { return .bytes(count) }
      if count == -Int(EAGAIN) { return .loading }
      guard count == -Int(EOPNOTSUPP) || count == -Int(ENOSYS) else { return .damaged }
      usesReadNow.store(false, ordering: .relaxed)
    }
    guard let audio else { return .damaged }
    let count = audio.files.read(audio.descriptor, scratch, offset)
    return count > 0 ? .bytes(count) : .damaged
  }

  private func readNow(_ scratch: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
    if let injectedReadNow { return injectedReadNow(descriptor, scratch, offset) }
    return checked {
      linux_pread_nowait(descriptor, scratch.baseAddress, scratch.count, Int64(offset))
    }
  }

  /// How far the audio at a position is whole.
  enum Extent {
    /// All audio up to `upTo` is whole. `isEnd`: the next span has been checked, or there is none.
    case whole(upTo: UInt64, isEnd: Bool)
    case unchecked
    /// The span is damaged; audio goes on at `next`, the next span not known to be damaged. Nil: there is none.
    case damaged(next: LogPoint?)
  }

  /// Returns what is known at a position that the index covers.
  func extent(at position: UInt64) -> Extent {
    let first = place(holding: position)
    switch states[first] {
    case .whole: break
    case .unchecked: return .unchecked
    case .unread where isTriedAgain: return .unchecked
    case .damaged, .unread: return .damaged(next: goesOn(after: first))
    }
    let next = (first + 1..<spans.count).first { states[$0] != .whole } ?? spans.count
    guard next < spans.count else { return .whole(upTo: end.position, isEnd: true) }
    return .whole(upTo: spanStart(next), isEnd: states[next] != .unchecked)
  }

  private var isTriedAgain: Bool {
    guard let audio else { return false }
    return states.isTriedAgain(at: audio.files.now().nanoseconds)
  }

  /// The spans to skip from one that the disk did not give, until they are tried again.
  ///
  /// Each time twice as many are skipped, or a minute of such spans would cost a read each.
  func passedOver(from place: Int) -> Range<Int> {
    var before = 0
    while before < place, states[place - 1 - before] == .unread { before += 1 }
    return place..<min(place + max(1, before), spans.count)
  }

  private func goesOn(after place: Int) -> LogPoint? {
    var next = place + 1
    while next < spans.count {
      switch states[next] {
      case .whole, .unchecked: return spanPoint(next)
      case .damaged, .unread: next += 1
      }
    }
    return nil
  }

  /// Adopts what another snapshot of this segment knows of its spans.
  func adopt(statesOf other: SegmentIndex) {
    guard other.start == start else { return }
    for place in 0..<min(spans.count, other.spans.count)
    where other.spans[place].crc == spans[place].crc && other.spanRange(place) == spanRange(place) {
      states.adopt(place, from: other.states)
    }
  }

  var spanCount: Int { spans.count }
  var audioBytes: UInt64 { end.position - start.position }
  func crc(_ place: Int) -> UInt32 { spans[place].crc }

  private func spanStart(_ place: Int) -> UInt64 { start.position + UInt64(spans[place].offset) }

  func spanRange(_ place: Int) -> Range<UInt64> {
    spanStart(place)..<(place + 1 < spans.count ? spanStart(place + 1) : end.position)
  }

  func spanPoint(_ place: Int) -> LogPoint {
    LogPoint(position: spanStart(place), media: MediaTime(stored: spans[place].media))
  }

  /// The span that holds the byte at `position`, which the index covers.
  func place(holding position: UInt64) -> Int {
    let offset = UInt32(clamping: position - start.position)
    return spanIndex { $0.offset <= offset }
  }

  /// The start of the last span at or before `media`, which the index covers.
  func span(atOrBefore media: Int64) -> LogPoint {
    spanPoint(spanIndex { $0.media <= media })
  }

  func packet(atOrBefore media: Int64) -> LogPoint {
    packet(in: spans[spanIndex { $0.media <= media }]) { $0.media.stored <= media }.start
  }

  /// The packet that holds the byte at `position`, which the index covers.
  func bounds(at position: UInt64) -> (start: LogPoint, end: UInt64) {
    let packet = packet(in: spans[place(holding: position)]) { $0.position <= position }
    return (packet.start, packet.end)
  }

  func length(ofPacketAt position: UInt64) -> MediaTime {
    packet(in: spans[place(holding: position)]) { $0.position <= position }.length
  }

  /// Finds the last packet of a span that satisfies the condition, or the first packet.
  private func packet(
    in span: IndexedSpan, _ isAtOrBefore: (LogPoint) -> Bool
  ) -> (start: LogPoint, end: UInt64, length: MediaTime) {
    var point = LogPoint(
      position: start.position + UInt64(span.offset), media: MediaTime(stored: span.media))
    return packets.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes, at: Int(span.packets))
      guard var packets = SpanRecord.PackedPackets(&reader), var last = packets.next() else {
        preconditionFailure("what is packed was read before")
      }
      while let packet = packets.next() {
        let next = LogPoint(
          position: point.position + UInt64(last.bytes),
          media: point.media + MediaTime(stored: Int64(last.duration)))
        guard isAtOrBefore(next) else { break }
        point = next
        last = packet
      }
      let length = MediaTime(stored: Int64(last.duration))
      return (point, point.position + UInt64(last.bytes), length)
    }
  }

  private func spanIndex(_ isAtOrBefore: (IndexedSpan) -> Bool) -> Int {
    precondition(!spans.isEmpty, "an index that is asked covers at least one packet")
    var low = 0
    var high = spans.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if isAtOrBefore(spans[middle]) { low = middle } else { high = middle - 1 }
    }
    return low
  }
}

extension SegmentIndex {
  func position(of place: SegmentPlace) -> UInt64 {
    switch place {
    case .position(let position): position
    case .media(let media): spanCount > 0 ? span(atOrBefore: media.stored).position : end.position
    }
  }
}

/// The place in a segment that a reader wants to read.
enum SegmentPlace {
  case position(UInt64)
  case media(MediaTime)
}
