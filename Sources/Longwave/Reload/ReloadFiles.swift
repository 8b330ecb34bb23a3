import Media
import Reactor
import Server
import Timeshift
import Wire

/// The files of a configuration, read before it is taken over.
struct ReloadFiles: Sendable {
  var server = ServerFiles()
  /// Problems with the paths of stations added by command, by id.
  var refused: [String: PathRules.Problem] = [:]
  var fallbackFormats: [String: AudioFormat] = [:]
  /// Why the configuration cannot be taken over.
  var refusal: ConfigurationError?

  /// Reads the files. Blocks.
  ///
  /// - Parameters:
  ///   - data: the data folder.
  ///   - added: the stations added by command.
  init(of new: Configuration, data: String, added: [StationDefinition], _ tickets: TLSTicketKeys) {
    fallbackFormats = new.fallbackFormats
    let rules = PathRules(new, data: data)
    server.hidden = rules.hidden
    refused = rules.problems(of: added)
    do throws(ConfigurationError) {
      try new.requireOwnPaths(data: data)
    } catch {
      refusal = error
      return
    }
    do throws(TLSFileError) {
      try server.readTLS(new.server.tls, tickets)
    } catch {
      refusal = ConfigurationError("", key: "server.tls", error.shown)
    }
  }
}
