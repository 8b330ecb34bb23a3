import Reactor
import Synchronization
import Threads
import Timeshift
import Wire

/// Segments that were put together lately, for all who come: fragments of Opus and FLAC, of which all bytes are needed
/// before the first, and the newest segments of MP3 and AAC, which many ask for.
final class PieceShelf: Sendable {
  struct Kept: Sendable {
    let bytes: [UInt8]
    let tag: EntityTag
    /// In the log's media time.
    let span: Range<MediaTime>
    let shared = MemoryRoom.SharedPage()
  }

  struct Key: Hashable, Sendable {
    let log: UInt64
    /// Mounts of one log that play later list its pieces later.
    let delay: MediaTime
    let name: PieceName

    init(_ name: PieceName, of source: HLSSource) {
      (log, delay, self.name) = (source.log.serial, source.delay, name)
    }
  }

  private struct State {
    var pieces: [Key: (kept: Kept, use: UInt64)] = [:]
    var bytes = 0
    var uses: UInt64 = 0
  }

  private static let bytesMax = 64 << 20

  private let state = Mutex(State())
  /// Orders pieces.
  private let handover = Handover()

  func piece(_ key: Key) -> Kept? {
    let found = state.withLock { state -> Kept? in
      guard let place = state.pieces.index(forKey: key) else { return nil }
      state.uses += 1
      state.pieces.values[place].use = state.uses
      return state.pieces.values[place].kept
    }
    handover.receive()
    return found
  }

  func keep(_ piece: Kept, as key: Key) {
    handover.give()
    state.withLock { state in
      guard state.pieces[key] == nil, piece.bytes.count <= Self.bytesMax / 4 else { return }
      state.uses += 1
      state.pieces[key] = (piece, state.uses)
      state.bytes += piece.bytes.count
      if state.bytes <= Self.bytesMax { return }
      // Many at once, so that the search is rare.
      for (key, value) in state.pieces.sorted(by: { $0.value.use < $1.value.use }) {
        if state.bytes <= Self.bytesMax / 4 * 3 { break }
        state.pieces[key] = nil
        state.bytes -= value.kept.bytes.count
      }
    }
  }
}

/// Reads the packets of one fragment, off the loops.
struct FragmentReading: Sendable {
  let log: PacketLog
  let delay: MediaTime
  let clip: Clip
  let piece: Piece
  let headers: OggHeaders
  let title: TitleMark?

  /// Seconds that the disk has.
  private static let patience = 5.0
  private static let pause = Duration.milliseconds(20)

  /// Returns the fragment's bytes; nil where its packets are gone, or the disk is slow.
  func bytes() async -> [UInt8]? {
    guard let writer = FragmentWriter(headers) else { return nil }
    let end = MonotonicTime.now().adding(Self.patience)
    // The reader goes with the task: it is used by one thread at a time.
    nonisolated(unsafe) let reader = LogReader(log, delay: delay)
    while !Task.isCancelled {
      if let (packets, programme) = reader.packets(of: clip, headers, in: piece) {
        return writer.fragment(
          packets, media: programme.lowerBound.stored..<programme.upperBound.stored,
          number: UInt64(clamping: piece.cell),
          event: title.map { .init(title: HLSTitle($0.title), position: $0.position) })
      }
      if MonotonicTime.now() >= end { return nil }
      try? await Task.sleep(for: Self.pause)
      reader.refresh()
    }
    return nil
  }
}
