import Logging
import Reactor

/// What a program says besides the configuration, mostly by command line.
public struct RelayOptions: Sendable {
  /// The data folder; before what the environment and the configuration say.
  public var data: String?
  /// Where to listen, in the place of `server.listen`.
  public var listen: [SocketAddress]?
  /// Whether the administration's Unix socket is opened.
  public var hasUnixSocket = true
  public var logger: Logger = LineLogHandler.logger()

  public init(data: String? = nil, listen: [SocketAddress]? = nil) {
    self.data = data
    self.listen = listen
  }
}

/// Why a relay cannot be made or started: one line that says what to do about it.
public struct RelayError: Error, Sendable, CustomStringConvertible {
  public var description: String

  init(_ cause: some CustomStringConvertible) { description = cause.description }
}

/// The program's own name and number.
public enum RelayVersion {
  public static let number = "1.0.0"
  public static let name = "Longwave/\(number)"
}
