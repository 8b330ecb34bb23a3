import Wire

/// Which of the items that were played are wanted.
public struct PlaysQuery: Hashable, Sendable {
  public var station: String?
  /// A moment (RFC 3339 with a zone, Unix seconds or a time of day), or a duration before now: `-24h`.
  public var from: String?
  public var to: String?

  public init(station: String? = nil, from: String? = nil, to: String? = nil) {
    (self.station, self.from, self.to) = (station, from, to)
  }

  public func path(limit: Int? = nil, format: String? = nil) -> String {
    let fields = [
      ("station", station), ("from", from), ("to", to), ("limit", limit.map(String.init)),
      ("format", format),
    ]
    return AdminClient.path("plays") + AdminClient.query(fields)
  }
}

extension AdminClient {
  /// Passes a table of what was played on as it arrives.
  ///
  /// - Parameter onData: Called with each piece of bytes, valid during the call, on a thread of its own. An error that
  ///   it throws ends the transfer.
  /// - Throws: `AdminError`, also when the table breaks off.
  public func csv(
    of query: PlaysQuery, onData: @escaping @Sendable (Span<UInt8>) throws -> Void
  ) async throws {
    try await copy(query.path(format: "csv"), onData: onData)
  }
}
