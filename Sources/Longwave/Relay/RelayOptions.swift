import Logging
import Reactor
import Timeshift

/// What a program says besides the configuration, mostly by command line.
public struct RelayOptions: Sendable {
  /// The data folder; before what the environment and the configuration say.
  public var data: String?
  /// Where to listen, in the place of `server.listen`.
  public var listen: [SocketAddress]?
  /// Whether the administration's Unix socket is opened.
  public var hasUnixSocket = true
  /// Whether stations that were stopped by command are started all the same.
  public var startsStopped = false
  /// Reads the configuration again, for a reload; nil: there is nothing to read again.
  public var reloadConfiguration: (@Sendable () throws(ConfigurationError) -> Configuration)?
  public var logger: Logger = LineLogHandler.logger()
  /// How the windows' files are opened, written and read.
  var files = FileCalls.posix
  /// What is looked at by name, and for how long.
  var paths = NamedPaths()

  public init(data: String? = nil, listen: [SocketAddress]? = nil) {
    self.data = data
    self.listen = listen
  }

  /// As a command line has them: `listen` as HOST:PORT, none for what the configuration says.
  public init(data: String?, listen: [String]) throws(RelayError) {
    self.init(data: data)
    var addresses: [SocketAddress] = []
    for text in listen {
      do throws(InvalidValue) {
        addresses.append(try ValueRule<SocketAddress>.listenAddress.parse(text))
      } catch {
        throw RelayError("--listen: \(error.message)")
      }
    }
    if let collision = addresses.collision { throw RelayError("--listen: \(collision)") }
    if !addresses.isEmpty { self.listen = addresses }
  }
}
