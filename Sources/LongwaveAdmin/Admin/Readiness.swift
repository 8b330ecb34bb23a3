import Ingest
import Longwave
import Store
import Threads

/// Whether the relay that runs on this machine has something to hear.
public enum Readiness {
  /// Asks the relay; the text has its reasons where it has nothing.
  ///
  /// - Parameters:
  ///   - file: The configuration; nil for the one that `serve` would use.
  ///   - data: The data folder that the user named; nil for the default.
  public static func ask(
    file: String?, data: String?
  ) async throws(AdminError) -> (isReady: Bool, text: String) {
    try await Blocking.run { () throws(AdminError) in
      // A relay goes on with a configuration that has been spoiled since its start.
      let configured = try? Configuration.loadNamed(file).server.data
      let folder = DataDirectory.resolve(option: data, configured: configured)
      let reply = try AdminClient(.data(folder)).send("GET", "/readyz", nil)
      return (reply.status == 200, String(decoding: reply.body, as: UTF8.self))
    }
  }
}
