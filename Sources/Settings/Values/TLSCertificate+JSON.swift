import Foundation
import Reactor
import Timeshift
import Wire

extension TLSCertificate {
  /// From when on the certificate is good, as it is shown.
  var fromText: String { Self.text(validFrom) }

  /// When the certificate ends, as it is shown.
  package var untilText: String { Self.text(validUntil) }

  /// Returns an event of the certificate, as of now. Only administrators see where its file is.
  package func event(_ kind: RelayEvent.Kind) -> RelayEvent {
    RelayEvent(
      kind, time: Moment.now().wall,
      details: ["names": .array(names.map(JSON.string)), "validUntil": .string(untilText)],
      identity: ["file": .string(file)])
  }

  private static func text(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
  }
}

extension TLSCertificate: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("names", \.names), Shape("validFrom", Schema.time) { $0.fromText.json },
    Shape("validUntil", Schema.time) { $0.untilText.json },
  ]
}
