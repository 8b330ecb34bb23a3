import Synchronization

/// What is known of one span of a segment's audio.
enum SpanState: UInt8 {
  /// Nobody has held it against its checksum since the segment was opened.
  case unchecked
  case whole
  /// It is not what was written.
  case damaged
  /// The disk did not give it; it is tried again.
  case unread
}

// Hot: `isWhole` and `generation` are asked once per placed listener and turn.

/// What is known of each span of an open segment: what is not whole is not given to readers.
///
/// The threads that look at audio say it, readers ask.
struct SpanStates: ~Copyable, Sendable {
  let count: Int
  // Atomics from `init` to `deinit`, at a place that never changes.
  nonisolated(unsafe) private let states: UnsafeMutablePointer<Atomic<UInt8>>
  private let wholeCount = Atomic<Int>(0)
  private let changes = Atomic<UInt64>(0)
  /// When spans that the disk did not give are tried again, monotonic nanoseconds.
  private let retryAt = Atomic<Int64>(0)

  init(count: Int) {
    self.count = count
    states = .allocate(capacity: max(1, count))
    for place in 0..<count { (states + place).initialize(to: Atomic(SpanState.unchecked.rawValue)) }
  }

  deinit { states.deallocate() }

  subscript(place: Int) -> SpanState {
    // What stands there was put by `set`, and that puts nothing else but states.
    SpanState(rawValue: states[place].load(ordering: .acquiring)) ?? .damaged
  }

  /// No span is anything else.
  var isWhole: Bool { wholeCount.load(ordering: .acquiring) == count }

  /// Moves with every change.
  var generation: UInt64 { changes.load(ordering: .acquiring) }

  func isTriedAgain(at now: Int64) -> Bool { now >= retryAt.load(ordering: .relaxed) }

  /// One thread at a time says it of a span; where two do, both have looked.
  func set(_ place: Int, _ state: SpanState, retryAt: Int64 = 0) {
    if state == .unread { self.retryAt.store(retryAt, ordering: .relaxed) }
    let before = states[place].exchange(state.rawValue, ordering: .acquiringAndReleasing)
    let change = (state == .whole ? 1 : 0) - (before == SpanState.whole.rawValue ? 1 : 0)
    wholeCount.wrappingAdd(change, ordering: .acquiringAndReleasing)
    changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }

  /// What others, of the same spans, know of one.
  func take(_ place: Int, from other: borrowing SpanStates) {
    let state = other[place]
    if state != .unchecked, state != self[place] {
      set(place, state, retryAt: other.retryAt.load(ordering: .relaxed))
    }
  }
}
