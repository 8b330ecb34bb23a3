import Foundation
import Logging
import Reactor
import Server

// The certificate, at start and whenever the configuration is read again.
extension Relay {
  /// Reads the files of a configuration anew: they change where their names do not. Blocks.
  static func offer(
    _ settings: TLSSettings?, _ tickets: TLSTicketKeys
  ) throws(TLSFileError) -> TLSOffer? {
    guard let settings else { return nil }
    return TLSOffer(try settings.context(tickets: tickets), isOnly: settings.isOnly)
  }

  /// Says when the one that is used will not be good for long.
  func warnOfCertificate() {
    guard let concern = tls?.context.certificate?.concern(now: Date()) else { return }
    logger.warning("TLS: \(concern.text)")
  }
}
