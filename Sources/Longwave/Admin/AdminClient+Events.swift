import Ingest
import Synchronization
import Threads
import Wire

extension AdminClient {
  /// Follows what happens from now on, over broken connections and restarts of the relay, until the task is cancelled.
  ///
  /// - Parameters:
  ///   - kinds: With commas between them; nil: all.
  ///   - onEvent: Gets each event's object, on a thread of its own.
  /// - Throws: `AdminError` when the relay cannot be reached in the first place, or refuses.
  public func follow(
    station: String? = nil, kinds: String? = nil, onEvent: @escaping @Sendable (JSON) -> Void
  ) async throws {
    let query = [("station", station), ("kinds", kinds)].compactMap { key, value in
      value.map { "\(key)=\(Self.escaped($0))" }
    }
    let path = "/events" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    let last = LastEvent()
    try await withTaskCancellationHandler {
      while !Task.isCancelled {
        do {
          try await Blocking.run { () throws(AdminError) in
            try followOnce(path, last, onEvent)
          }
        } catch {
          guard last.wasConnected else { throw error }
        }
        try await Task.sleep(for: .seconds(1))
      }
    } onCancel: {
      last.cancel()
    }
  }

  private func followOnce(
    _ path: String, _ last: LastEvent, _ onEvent: (JSON) -> Void
  ) throws(AdminError) {
    var reader = EventStreamReader()
    try stream(path, last.id.map { ["Last-Event-ID: \($0)"] } ?? []) { piece in
      last.connected()
      for event in reader.feed(piece) {
        if let id = event.id { last.id = id }
        if let json = JSON.parse(Array(event.data.utf8)) { onEvent(json) }
      }
      // Looked at with every piece, at the latest at the server's next heartbeat.
      return !last.isCancelled
    }
  }
}

/// Where a follower stands, for the thread that reads and the task that waits.
private final class LastEvent: Sendable {
  private struct State {
    var id: String?
    var wasConnected = false
    var isCancelled = false
  }

  private let state = Mutex(State())

  var id: String? {
    get { state.withLock(\.id) }
    set { state.withLock { $0.id = newValue } }
  }
  /// Before that a failure is an error, later it is waited over.
  var wasConnected: Bool { state.withLock(\.wasConnected) }
  var isCancelled: Bool { state.withLock(\.isCancelled) }
  func connected() { state.withLock { $0.wasConnected = true } }
  func cancel() { state.withLock { $0.isCancelled = true } }
}
