import Wire

extension AdminClient {
  /// Cuts a piece out of a station's time-shift window and hands it over as it comes.
  ///
  /// - Parameters:
  ///   - from: A moment (RFC 3339 with a zone, or Unix seconds), or how long before now: `-10m`.
  ///   - to: The same, not part of it any more; nil: now.
  ///   - onData: Gets a piece, valid during the call, on a thread of its own; false: that is enough.
  /// - Throws: `AdminError`, also when less came than was announced.
  public func clip(
    of station: String, from: String, to: String?,
    onData: @escaping @Sendable (Span<UInt8>) -> Bool
  ) async throws(AdminError) {
    let end = to.map { "&to=" + Self.escaped($0) } ?? ""
    let path = "/\(Self.escaped(station))/clip?from=\(Self.escaped(from))\(end)"
    try await Blocking.run { () throws(AdminError) in try stream(path, [], onData: onData) }
  }
}
