import Foundation
import Reactor
import Timeshift
import Wire

// Events of certificates. Only administrators see where the files are.
extension RelayEvent {
  static func certificateExpires(_ certificate: TLSCertificate) -> RelayEvent {
    event(.certificateExpires, certificate)
  }

  static func certificateTaken(_ certificate: TLSCertificate) -> RelayEvent {
    event(.certificateTaken, certificate)
  }

  private static func event(_ kind: Kind, _ certificate: TLSCertificate) -> RelayEvent {
    RelayEvent(
      kind, time: Moment.now().wall,
      details: [
        "names": .array(certificate.names.map(JSON.string)),
        "validUntil": .string(certificate.untilText),
      ], identity: ["file": .string(certificate.file)])
  }
}

extension TLSCertificate {
  /// When the certificate ends, as it is shown.
  package var untilText: String { Self.text(validUntil) }

  /// The certificate for programs.
  var json: JSON {
    [
      "names": .array(names.map(JSON.string)), "validFrom": .string(Self.text(validFrom)),
      "validUntil": .string(untilText),
    ]
  }

  private static func text(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
  }
}
