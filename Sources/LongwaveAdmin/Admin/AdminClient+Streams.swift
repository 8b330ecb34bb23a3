import Longwave
import Synchronization
import Threads
import Wire

extension AdminClient {
  /// Cuts a piece out of a station's time-shift window, and passes its bytes on as they arrive.
  ///
  /// - Parameters:
  ///   - from: A moment (RFC 3339 with a zone, or Unix seconds), or a duration before now: `-10m`.
  ///   - to: The end in the same form, not part of the piece; nil for now.
  ///   - isReversed: Whether the piece is played backwards. Then no length is announced.
  ///   - onHead: Called with the clip's length, where it was announced.
  ///   - onData: Called with each piece of bytes, valid during the call, on a thread of its own. An error that it
  ///     throws ends the transfer.
  /// - Throws: `AdminError`, also when less arrived than was announced.
  public func clip(
    of station: String, from: String, to: String?, isReversed: Bool = false,
    onHead: @escaping @Sendable (Int?) -> Void = { _ in },
    onData: @escaping @Sendable (Span<UInt8>) throws -> Void
  ) async throws {
    let end = to.map { "&to=" + Self.escaped($0) } ?? ""
    let way = isReversed ? "&reverse=1" : ""
    let path = "/\(Self.escaped(station))/clip?from=\(Self.escaped(from))\(end)\(way)"
    do {
      try await copy(path, onHead: onHead, onData: onData)
    } catch let error as AdminError where error.status == 404 {
      // The answer for a clip does not tell a missing station from a missing time, so the station is looked up.
      _ = try await request("GET", Self.path("stations", station))
      throw error
    }
  }

  /// Passes a long body on as it arrives. An error that `onData` throws ends the transfer.
  func copy(
    _ path: String, onHead: @escaping @Sendable (Int?) -> Void = { _ in },
    onData: @escaping @Sendable (Span<UInt8>) throws -> Void
  ) async throws {
    let failure = Mutex<(any Error)?>(nil)
    try await Blocking.run { () throws(AdminError) in
      try stream(path, [], onHead: onHead) { piece in
        do {
          try onData(piece)
          return true
        } catch {
          failure.withLock { $0 = error }
          return false
        }
      }
    }
    if let error = failure.withLock(\.self) { throw error }
  }

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
    try await EventFollower(self, "/events" + Self.query(chosen), onEvent).follow(
      onTrouble: onTrouble)
  }
}
