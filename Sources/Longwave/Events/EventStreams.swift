import Synchronization

/// Streams of events for programs. Each stream keeps the newest events that its reader has not come to yet.
final class EventStreams: Sendable {
  private struct Reader: Sendable {
    var kinds: Set<RelayEvent.Kind>
    var continuation: AsyncStream<RelayEvent>.Continuation
  }

  private struct State {
    var readers: [UInt64: Reader] = [:]
    var nextID: UInt64 = 0
    var hasEnded = false
  }

  /// Events that a stream keeps, as many as the ring has.
  private static let eventsMax = 2048

  private let state = Mutex(State())

  /// Returns a stream of events from now on.
  ///
  /// - Parameter kinds: the kinds to receive; empty for all.
  func stream(of kinds: Set<RelayEvent.Kind>) -> AsyncStream<RelayEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: RelayEvent.self, bufferingPolicy: .bufferingNewest(Self.eventsMax))
    let id = state.withLock { state -> UInt64? in
      if state.hasEnded { return nil }
      defer { state.nextID += 1 }
      state.readers[state.nextID] = Reader(kinds: kinds, continuation: continuation)
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  func post(_ event: RelayEvent) {
    let readers = state.withLock { Array($0.readers.values) }
    for reader in readers where reader.kinds.isEmpty || reader.kinds.contains(event.kind) {
      reader.continuation.yield(event)
    }
  }

  /// Ends all streams.
  func end() {
    let readers = state.withLock { state in
      state.hasEnded = true
      return Array(state.readers.values)
    }
    for reader in readers { reader.continuation.finish() }
  }
}
