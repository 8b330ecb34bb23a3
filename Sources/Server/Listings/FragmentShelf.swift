import Reactor
import Synchronization
import Threads
import Timeshift
import Wire

/// Fragments of Opus and FLAC that were made lately: all bytes of one are needed before its first.
final class FragmentShelf: Sendable {
  struct Fragment: Sendable {
    let bytes: [UInt8]
    let shared = MemoryRoom.SharedPage()
  }

  struct Key: Hashable, Sendable {
    var log: UInt64
    var name: PieceName
  }

  private struct State {
    var fragments: [Key: (fragment: Fragment, use: UInt64)] = [:]
    var bytes = 0
    var uses: UInt64 = 0
  }

  private static let bytesMax = 64 << 20

  private let state = Mutex(State())
  /// Orders fragments.
  private let handover = Handover()

  func fragment(_ key: Key) -> Fragment? {
    let found = state.withLock { state -> Fragment? in
      guard let found = state.fragments[key] else { return nil }
      state.uses += 1
      state.fragments[key]?.use = state.uses
      return found.fragment
    }
    handover.receive()
    return found
  }

  func keep(_ fragment: Fragment, as key: Key) {
    handover.give()
    state.withLock { state in
      guard state.fragments[key] == nil, fragment.bytes.count <= Self.bytesMax / 4 else { return }
      state.uses += 1
      state.fragments[key] = (fragment, state.uses)
      state.bytes += fragment.bytes.count
      if state.bytes <= Self.bytesMax { return }
      // Many at once, so that the search is rare.
      for (key, value) in state.fragments.sorted(by: { $0.value.use < $1.value.use }) {
        if state.bytes <= Self.bytesMax / 4 * 3 { break }
        state.fragments[key] = nil
        state.bytes -= value.fragment.bytes.count
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
