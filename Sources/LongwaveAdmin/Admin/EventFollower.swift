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
    try await EventFollower(self, path, onEvent).follow(onTrouble: onTrouble)
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

/// Reads the events of one path until its task is cancelled, and continues behind the last one it has read.
///
/// The reading thread and the waiting task share the state.
private final class EventFollower: Sendable {
  private struct State {
    var lastID: String?
    /// Whether there has been a connection. Before it a failure is an error; after it the follower tries again.
    var wasConnected = false
    var isCancelled = false
  }

  private let client: AdminClient
  private let path: String
  private let onEvent: @Sendable (JSON) -> Void
  private let state = Mutex(State())

  init(_ client: AdminClient, _ path: String, _ onEvent: @escaping @Sendable (JSON) -> Void) {
    self.client = client
    self.path = path
    self.onEvent = onEvent
  }

  func follow(onTrouble: @escaping @Sendable (any Error) -> Void) async throws {
    try await withTaskCancellationHandler {
      while !Task.isCancelled {
        do throws(AdminError) {
          try await Blocking.run { () throws(AdminError) in try self.read() }
        } catch {
          guard state.withLock(\.wasConnected) else { throw await client.explained(error, path) }
          onTrouble(error)
        }
        try await Task.sleep(for: .seconds(1))
      }
    } onCancel: {
      state.withLock { $0.isCancelled = true }
    }
  }

  /// Reads one connection to its end.
  private func read() throws(AdminError) {
    var reader = EventStreamReader()
    let last = state.withLock(\.lastID)
    try client.stream(path, last.map { ["Last-Event-ID: \($0)"] } ?? []) { piece in
      state.withLock { $0.wasConnected = true }
      for event in reader.feed(piece) {
        if let id = event.id { state.withLock { $0.lastID = id } }
        if let json = event.json { onEvent(json) }
      }
      // The flag is checked at every piece, so at the latest at the server's next heartbeat.
      return !state.withLock(\.isCancelled)
    }
  }
}
