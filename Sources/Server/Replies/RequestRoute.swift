/// The row of the table of operations that a request belongs to, as `APIHandling` numbers them.
public struct RequestRoute: Hashable, Sendable {
  public let number: UInt8

  public init(_ number: UInt8) { self.number = number }

  /// No row is looked for: what came is no request, or was refused before.
  public static let none = RequestRoute(253)
  /// No row has the path and method.
  public static let unknown = RequestRoute(252)
  /// A browser asks what another site's page may do.
  public static let preflight = RequestRoute(251)
  /// A certificate authority asks for the answer to a challenge.
  public static let challenge = RequestRoute(250)
  /// Rows have smaller numbers.
  public static let rowsMax = 250

  /// The row is not known yet.
  static let open = RequestRoute(254)
  /// There is no request that waits for its answer.
  static let idle = RequestRoute(255)
}
