import Foundation
import Logging
import Reactor
import Server

// The certificate, at start and whenever the configuration is read again.
extension Relay {
  /// Reads the files of a configuration anew: they change where their names do not.
  func offer(
    _ settings: TLSSettings?
  ) throws(TLSFileError) -> TLSOffer? {
    guard let settings else { return nil }
    let context = try settings.context(tickets: tickets)
    if let concern = context.certificate?.concern(now: Date()) {
      logger.warning("TLS: \(concern.text)")
    }
    return TLSOffer(context, isOnly: settings.isOnly)
  }
}
