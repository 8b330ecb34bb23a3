import Foundation
import Reactor
import Server
import Wire

/// `tls:` of the server: encryption for listeners, sources and administrators.
public struct TLSSettings: Hashable, Sendable {
  /// The files of the certificates, the first for clients that name no host; empty without encryption.
  public var pairs: [TLSPair] = []
  /// Whether requests without TLS are redirected to TLS, or refused.
  public var isOnly = false
  /// Whether the kernel should encrypt, if it can.
  public var asksKernel = false
  /// Folder in which an ACME client leaves its answers to challenges; nil for none.
  public var challenges: String?

  static let keys = ["certificate", "key", "certificates", "acme-webroot", "only", "kernel"]
  static let pairKeys = ["certificate", "key"]

  private static let pemFile = ValueRule<String>.pathOfSecret("the path of a PEM file")
  private static let folder = ValueRule<String>.text(max: 4096, wanted: "the path of a folder")

  /// The keys as they may be shown.
  static var trees: [String: KeyTree] {
    let file = KeyTree(shown: pemFile.shown)
    let pair = Dictionary(pairKeys.map { ($0, file) }) { $1 }
    // A password in place of a flag is none of those.
    let flag = KeyTree(
      shown: Showing { ["true", "false"].contains($0) ? $0 : Secrecy.mask })
    return pair.merging([
      "certificates": KeyTree(keys: pair), "acme-webroot": KeyTree(shown: folder.shown),
      "only": flag, "kernel": flag,
    ]) { $1 }
  }

  /// Every certificate is one more to look at, and to choose from in a handshake.
  private static let pairsMax = 100

  public init() {}

  public init(certificate: String, key: String) {
    pairs = [TLSPair(certificate: certificate, key: key)]
  }

  /// Reads all files and returns their context; nil without certificates.
  package func context(tickets: TLSTicketKeys) throws(TLSFileError) -> TLSContext? {
    if pairs.isEmpty { return nil }
    return try TLSContext(
      pairs, tickets: tickets, asksKernel: asksKernel, reading: PathLook.at)
  }

  /// Reads `tls:` of the server; nil when nothing is given, or too little. The files are read too, so that a check of
  /// the configuration checks them.
  static func read(_ server: SettingReader) -> TLSSettings? {
    guard let field = server.field("tls") else { return nil }
    if case .nothing = field.node.content { return nil }
    let reader = SettingReader(
      field.node, path: server.full("tls"), known: keys, problems: server.problems)
    guard case .fields = field.node.content else { return nil }
    var settings = TLSSettings()
    reader.read("acme-webroot", into: &settings.challenges, folder)
    reader.read("only", into: &settings.isOnly, .flag)
    reader.read("kernel", into: &settings.asksKernel, .flag)
    let isOne = reader.node("certificate") != nil || reader.node("key") != nil
    var readers: [SettingReader] = []
    // Nothing at all would be a section that does nothing.
    if isOne || (reader.node("certificates") == nil && settings.challenges == nil) {
      readers.append(reader)
    }
    readers += reader.entries("certificates", max: pairsMax, known: pairKeys)
    for entry in readers {
      guard let pair = pair(entry) else { return nil }
      settings.pairs.append(pair)
      settings.check(pair, entry)
    }
    if settings.isOnly, settings.pairs.isEmpty {
      reader.report("needs a certificate; write certificate: and key:", key: "only")
    }
    return settings
  }

  private static func pair(_ reader: SettingReader) -> TLSPair? {
    var files: [String: String] = [:]
    for key in pairKeys {
      var file: String?
      reader.read(key, into: &file, pemFile)
      if reader.node(key) == nil {
        reader.report("is missing; write the path of a PEM file", key: key)
      }
      files[key] = file
    }
    guard let certificate = files["certificate"], let key = files["key"] else { return nil }
    return TLSPair(certificate: certificate, key: key)
  }

  private func check(_ pair: TLSPair, _ reader: SettingReader) {
    do throws(TLSFileError) {
      _ = try TLSContext(
        [pair], tickets: TLSTicketKeys(), asksKernel: asksKernel, reading: PathLook.at)
    } catch {
      reader.report(error.shown, key: error.isOfKey(pair.key) ? "key" : "certificate")
    }
  }
}

extension TLSFileError {
  /// The reason, which names no file whose path may be a key in the wrong place.
  package var shown: String { "\(naming(Secrecy.pathOfSecret))" }

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
    switch validity(at: Int64(bounded: now.timeIntervalSince1970)) {
    case .notYet: return ("\(file) is good from \(fromText) on only", true)
    case .expired: return ("\(file) expired at \(untilText)", true)
    case .valid(let left) where left < Int64(days) * 86400:
      return ("\(file) expires at \(untilText)", false)
    case .valid: return nil
    }
  }
}
