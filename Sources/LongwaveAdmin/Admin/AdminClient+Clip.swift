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
    let failure = Mutex<(any Error)?>(nil)
    do {
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
    } catch {
      // The answer for a clip does not tell a missing station from a missing time, so the station is looked up.
      if error.status == 404 { _ = try await request("GET", Self.path("stations", station)) }
      throw error
    }
    if let error = failure.withLock(\.self) { throw error }
  }
}
