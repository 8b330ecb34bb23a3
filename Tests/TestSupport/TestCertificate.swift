/// A certificate for `localhost` and 127.0.0.1, or for other names, that is its own authority, and its key, as files of
/// their own.
public final class TestCertificate: Sendable {
  private let folder: TemporaryDirectory
  public var certificate: String { folder.path + "/certificate.pem" }
  public var key: String { folder.path + "/key.pem" }

  private let names: [String]
  private let isRSA: Bool

  /// - Parameter names: the first one is the common name, too.
  public init(names: [String] = ["localhost"], isRSA: Bool = false) async throws {
    folder = TemporaryDirectory()
    (self.names, self.isRSA) = (names, isRSA)
    try await renew()
  }

  /// Another key and certificate in the same files.
  public func renew() async throws {
    let kind = isRSA ? ["rsa:2048"] : ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    let hosts = names.map { "DNS:\($0)" } + ["IP:127.0.0.1"]
    try await run(
      ["openssl", "req", "-x509", "-newkey"] + kind + [
        "-nodes", "-keyout", key, "-out", certificate, "-days", "30", "-subj", "/CN=\(names[0])",
        "-addext", "subjectAltName=" + hosts.joined(separator: ","),
      ])
  }

  /// Another certificate for the key, which was over yesterday.
  public func expire() async throws {
    let request = folder.path + "/request.pem"
    try await openssl("req", "-new", "-key", key, "-subj", "/CN=localhost", "-out", request)
    try await openssl(
      "x509", "-req", "-in", request, "-signkey", key, "-days", "-1", "-out", certificate)
  }

  /// Another form of the key, under a password.
  public func lockKey() async throws {
    try await openssl(
      "pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", key + ".new")
    try await run("mv", key + ".new", key)
  }

  /// Puts another certificate behind it, whole or without its first bytes.
  public func append(_ other: String, isDamaged: Bool = false) async throws {
    let change = isDamaged ? "s/^MII//" : ""
    try await run("sh", "-c", "sed \"$0\" \"$1\" >> \"$2\"", change, other, certificate)
  }

  private func openssl(_ arguments: String...) async throws {
    try await run(["openssl"] + arguments)
  }

  private func run(_ command: String...) async throws { try await run(command) }

  private func run(_ command: [String]) async throws {
    let result = try await ChildProcess.run(command)
    if result.status != 0 {
      throw Tool.Failure(description: "\(command.joined(separator: " ")): \(result.log)")
    }
  }
}
