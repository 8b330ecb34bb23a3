import Reactor

/// How clients may come over TLS.
public struct TLSOffer: Sendable {
  public var context: TLSContext
  /// Whether a client that comes in clear is sent to HTTPS, or away.
  public var isOnly: Bool

  public init(_ context: TLSContext, isOnly: Bool = false) {
    self.context = context
    self.isOnly = isOnly
  }
}
