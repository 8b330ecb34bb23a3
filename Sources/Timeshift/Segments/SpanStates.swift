import Synchronization

/// The state of one span of a segment's audio, as far as is known.
enum SpanState: UInt8 {
  /// Not compared with its checksum since the segment was opened.
  case unchecked
  case whole
  /// Not what was written.
  case damaged
  /// Not given by the disk; tried again later.
  case unread
}

/// Damage found in a segment.
struct SpanDamage: Hashable, Sendable {
  /// The beginning of the first lost span.
  var start: LogPoint
  var reason: String
  /// Whether the content is wrong. Otherwise the disk did not give it, and may give it later.
  var isContent = true
}

// Hot: `isWhole` and `generation` are asked once per placed listener and turn.

/// The states of an open segment's spans. Readers get only whole spans.
///
/// Threads that check audio set the states; readers ask for them.
struct SpanStates: ~Copyable, Sendable {
  let count: Int
  // Atomics from `init` to `deinit`, at an address that never changes.
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
    // Only `set` writes here, and it writes only states.
    SpanState(rawValue: states[place].load(ordering: .acquiring)) ?? .damaged
  }

  /// Whether all spans are whole.
  var isWhole: Bool { wholeCount.load(ordering: .acquiring) == count }

  /// Moves with every change of a state.
  var generation: UInt64 { changes.load(ordering: .acquiring) }

  func isTriedAgain(at now: Int64) -> Bool { now >= retryAt.load(ordering: .relaxed) }

  /// Sets a span's state. One thread at a time checks a span; if two do, both have checked it.
  func set(_ place: Int, _ state: SpanState, retryAt: Int64 = 0) {
    if state == .unread { self.retryAt.store(retryAt, ordering: .relaxed) }
    let before = states[place].exchange(state.rawValue, ordering: .acquiringAndReleasing)
    let change = (state == .whole ? 1 : 0) - (before == SpanState.whole.rawValue ? 1 : 0)
    wholeCount.wrappingAdd(change, ordering: .acquiringAndReleasing)
    changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }

  /// Adopts one span's state from another snapshot of the same spans.
  func adopt(_ place: Int, from other: borrowing SpanStates) {
    let state = other[place]
    if state != .unchecked, state != self[place] {
      set(place, state, retryAt: other.retryAt.load(ordering: .relaxed))
    }
  }
}
