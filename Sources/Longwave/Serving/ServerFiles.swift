import Foundation
import Logging
import Media
import Reactor
import Server

/// What the server reads from files of this machine. It is read anew with each configuration, since a file may change
/// under its name.
struct ServerFiles: Sendable {
  /// TLS for connections to come.
  var tls: TLSOffer?
  /// The relay's own folder, from which nothing is served.
  var hidden: PrivateFolder?

  /// Reads the files of TLS. Blocks.
  mutating func readTLS(
    _ settings: TLSSettings?, _ tickets: TLSTicketKeys
  ) throws(TLSFileError) {
    tls = nil
    guard let settings else { return }
    tls = TLSOffer(try settings.context(tickets: tickets), isOnly: settings.isOnly)
  }

  /// Warns when the certificate in use expires soon or is not valid.
  func warnOfCertificate(_ logger: Logger) {
    guard let concern = tls?.context.certificate?.concern(now: Date()) else { return }
    logger.warning("TLS: \(concern.text)")
  }
}
