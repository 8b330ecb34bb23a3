import Ingest
import Longwave
import Synchronization
import Threads
import Wire

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
final class EventFollower: Sendable {
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
          guard state.withLock(\.wasConnected) else { throw await client.explained(error) }
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
