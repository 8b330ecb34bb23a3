import Synchronization
import Threads
import Wire

extension AdminClient {
  /// Cuts a piece out of a station's time-shift window and hands it over as it comes.
  ///
  /// - Parameters:
  ///   - from: A moment (RFC 3339 with a zone, or Unix seconds), or how long before now: `-10m`.
  ///   - to: The same, not part of it any more; nil: now.
  ///   - onData: Gets a piece, valid during the call, on a thread of its own; what it throws ends the transfer.
  /// - Throws: `AdminError`, also when less came than was announced.
  public func clip(
    of station: String, from: String, to: String?,
    onData: @escaping @Sendable (Span<UInt8>) throws -> Void
  ) async throws {
    let end = to.map { "&to=" + Self.escaped($0) } ?? ""
    let path = "/\(Self.escaped(station))/clip?from=\(Self.escaped(from))\(end)"
    let failure = Mutex<(any Error)?>(nil)
    do {
      try await Blocking.run { () throws(AdminError) in
        try stream(path, []) { piece in
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
      // The address of a clip does not tell a station that is not there from a time that is not.
      if error.status == 404 { _ = try await request("GET", Self.path("stations", station)) }
      throw error
    }
    if let error = failure.withLock(\.self) { throw error }
  }
}
