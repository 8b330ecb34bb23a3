import Foundation
import Reactor
import Server
import Wire

/// `tls:` of the server: encryption for listeners, sources and administrators.
public struct TLSSettings: Hashable, Sendable {
  /// Path of a PEM file: the server's certificate, then those that lead to the root.
  public var certificate: String
  /// Path of a PEM file with the private key.
  public var key: String
  /// Whether requests without TLS are redirected to TLS, or refused.
  public var isOnly = false
  /// Whether the kernel should encrypt, if it can.
  public var asksKernel = false

  static let keys = ["certificate", "key", "only", "kernel"]

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// Reads both files and returns their context.
  package func context(tickets: TLSTicketKeys) throws(TLSFileError) -> TLSContext {
    try TLSContext(
      certificate: certificate, key: key, tickets: tickets, asksKernel: asksKernel,
      reading: PathLook.at)
  }

  /// Reads `tls:` of the server; nil when nothing is given, or too little. The files are read too, so that a check of
  /// the configuration checks them.
  static func read(_ server: SettingReader) -> TLSSettings? {
    guard let field = server.field("tls") else { return nil }
    if case .nothing = field.node.content { return nil }
    let reader = SettingReader(
      field.node, path: server.full("tls"), known: keys, problems: server.problems)
    guard case .fields = field.node.content else { return nil }
    var files: [String: String] = [:]
    for key in ["certificate", "key"] {
      var file: String?
      reader.read(key, into: &file, .text(max: 4096, wanted: "the path of a PEM file"))
      if reader.node(key) == nil {
        reader.report("is missing; write the path of a PEM file", key: key)
      }
      files[key] = file
    }
    guard let certificate = files["certificate"], let key = files["key"] else { return nil }
    var settings = TLSSettings(certificate: certificate, key: key)
    reader.read("only", into: &settings.isOnly, .flag)
    reader.read("kernel", into: &settings.asksKernel, .flag)
    do throws(TLSFileError) {
      _ = try settings.context(tickets: TLSTicketKeys())
    } catch {
      reader.report("\(error)", key: error.isOfKey(key) ? "key" : "certificate")
    }
    return settings
  }
}

extension TLSFileError {
  fileprivate func isOfKey(_ file: String) -> Bool {
    switch self {
    case .noKey, .keyHasPassword, .keyDoesNotMatch: true
    case .noCertificate: false
    case .missing(let name), .unreadable(let name, _), .refused(let name, _): name == file
    }
  }
}

extension TLSCertificate {
  /// Returns what to say about the certificate's validity, and whether it is invalid now; nil when there is nothing to
  /// say. An end within `days` counts as soon.
  package func concern(now: Date, days: Int = 14) -> (text: String, isOver: Bool)? {
    func day(_ seconds: Int64) -> String {
      Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
    switch validity(at: Int64(bounded: now.timeIntervalSince1970)) {
    case .notYet: return ("\(file) is good from \(day(validFrom)) on only", true)
    case .expired: return ("\(file) expired at \(day(validUntil))", true)
    case .valid(let left) where left < Int64(days) * 86400:
      return ("\(file) expires at \(day(validUntil))", false)
    case .valid: return nil
    }
  }
}
