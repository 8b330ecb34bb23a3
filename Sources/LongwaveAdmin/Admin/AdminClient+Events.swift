import Ingest
import Longwave
import Synchronization
import Threads
import Wire

extension AdminClient {
  /// Follows the events from now on until the task is cancelled, over broken connections and restarts of the relay.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of events, separated by commas; nil for all kinds.
  ///   - session: The token of a session; events also report what it hears and where it is moved.
  ///   - further: Further parameters of the request.
  ///   - onTrouble: Called with each later failure, before it is tried again.
  ///   - onEvent: Called with each event's object, on a thread of its own.
  /// - Throws: `AdminError` when the first connection to the relay fails, or when the relay refuses.
  public func follow(
    station: String? = nil, kinds: String? = nil, session: String? = nil,
    further: [(String, String?)] = [],
    onTrouble: @escaping @Sendable (any Error) -> Void = { _ in },
    onEvent: @escaping @Sendable (JSON) -> Void
  ) async throws {
    let chosen = [("station", station), ("kinds", kinds), ("session", session)] + further
    let query = chosen.compactMap { key, value in value.map { "\(key)=\(Self.escaped($0))" } }
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
          onTrouble(error)
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
        if let json = event.json { onEvent(json) }
      }
      // The flag is checked at every piece, so at the latest at the server's next heartbeat.
      return !last.isCancelled
    }
  }
}

extension EventStreamReader.Event {
  /// The event's data with its kind added where the data lacks it; nil if the data is no JSON.
  var json: JSON? {
    guard let json = JSON.parse(Array(data.utf8)) else { return nil }
    guard case .object(let members) = json, json["kind"] == nil else { return json }
    return .object([.init(key: "kind", value: .string(kind))] + members)
  }
}

/// A follower's state, shared by the reading thread and the waiting task.
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
  /// Whether there has been a connection. Before it a failure is an error; after it the follower tries again.
  var wasConnected: Bool { state.withLock(\.wasConnected) }
  var isCancelled: Bool { state.withLock(\.isCancelled) }
  func connected() { state.withLock { $0.wasConnected = true } }
  func cancel() { state.withLock { $0.isCancelled = true } }
}
