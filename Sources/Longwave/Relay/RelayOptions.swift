import Logging
import Reactor
import Server
import Timeshift

/// Settings that a program gives besides the configuration, mostly by command line.
public struct RelayOptions: Sendable {
  /// The data folder; it takes precedence over the environment and the configuration.
  public var data: String?
  /// Listen addresses that replace `server.listen`.
  public var listen: [SocketAddress]?
  /// Addresses that replace `server.shoutcast-listen`.
  var shoutcastListen: [SocketAddress]?
  /// Sockets that are open already.
  var opened: [OpenedSocket] = []
  /// The account that the relay runs as when root starts it; nil for the one that starts it.
  public var user: String?
  /// Whether the administration's Unix socket is opened.
  public var hasUnixSocket = true
  /// Whether stations that were stopped by command are started too.
  public var startsStopped = false
  /// Reads the configuration again for a reload; nil when there is nothing to read again.
  public var reloadConfiguration: (@Sendable () throws(ConfigurationError) -> Configuration)?
  /// Answers requests that are not for audio or a playlist.
  public var interface: RelayInterface
  /// The program that reads tags of music files, and its arguments; nil: names of files say what they are.
  public var tagProgram: [String]?
  public var logger: Logger = LineLogHandler.logger()
  /// Opens, writes and reads the files of the windows.
  var files = FileCalls.posix
  /// Looks at paths that are named in settings, each for a limited time.
  var paths = NamedPaths()
  /// Makes the decoder of a codec.
  var makeDecoder = PacketDecoder.make
  /// The clock of the limits on wrong guesses.
  var guessClock = GuessLimit.clock

  public init(
    data: String? = nil, listen: [SocketAddress]? = nil, interface: RelayInterface = .none
  ) {
    self.data = data
    self.listen = listen
    self.interface = interface
  }

  /// Makes options from a command line: `listen` as HOST:PORT; empty for the addresses of the configuration.
  public init(
    data: String?, listen: [String], interface: RelayInterface = .none
  ) throws(RelayError) {
    self.init(data: data, interface: interface)
    var addresses: [SocketAddress] = []
    for text in listen {
      do throws(InvalidValue) {
        addresses.append(try ValueRule<SocketAddress>.listenAddress.parse(text))
      } catch {
        throw RelayError.cannotStart("--listen: \(error.message)")
      }
    }
    if let collision = addresses.collision {
      throw RelayError.cannotStart("--listen: \(collision)")
    }
    if !addresses.isEmpty { self.listen = addresses }
  }
}
