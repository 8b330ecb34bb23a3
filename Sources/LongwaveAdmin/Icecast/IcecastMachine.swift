import Longwave
import Reactor

/// What the conversion asks of the machine that it runs on: whether files that Icecast's configuration names are there.
struct IcecastMachine: Sendable {
  /// Returns the lines of a file; nil where it cannot be read.
  var lines: @Sendable (_ path: String) -> [String]?
  /// Whether a file holds a certificate and its key.
  var isCertificate: @Sendable (_ path: String) -> Bool
  /// Makes a password where Longwave would refuse Icecast's.
  var newPassword: @Sendable () -> String

  /// Lines of a file of addresses that are read: many times what `deny:` is good for.
  private static let linesMax = 10_000

  static let own = IcecastMachine(
    lines: { path in
      guard let bytes = try? NamedFile.contents(ofFile: path),
        let text = String(validating: bytes, as: UTF8.self)
      else { return nil }
      let lines = text.split(whereSeparator: \.isNewline)
      return lines.count > linesMax ? nil : lines.map(String.init)
    },
    isCertificate: { path in
      let files = TLSSettings(certificate: path, key: path)
      return (try? files.context(tickets: TLSTicketKeys())) != nil
    },
    newPassword: {
      let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
      var random = SystemRandomNumberGenerator()
      return String(
        (0..<20).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    })
}
