import Foundation
import TestSupport

/// A server's certificate and key for 127.0.0.1, of the kind that most servers have now (P-256).
struct ServerIdentity {
  /// The folder of the files.
  let folder: String

  var certificate: String { folder + "/certificate.pem" }
  var key: String { folder + "/key.pem" }
  /// The file with both the certificate and the key.
  var bundle: String { folder + "/bundle.pem" }

  init(folder: String) { self.folder = folder }

  /// Makes the files.
  static func make(in folder: String) throws -> ServerIdentity {
    let identity = ServerIdentity(folder: folder)
    guard let openssl = Binary.find("openssl") else {
      throw BenchError("openssl is not installed: apt-get install openssl")
    }
    let maker = try PipedProcess(
      [
        openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", identity.key, "-out", identity.certificate, "-days", "2",
        "-subj", "/CN=127.0.0.1",
      ], log: folder + "/openssl.log")
    while maker.isRunning { usleep(10_000) }
    guard FileManager.default.fileExists(atPath: identity.certificate) else {
      throw BenchError("openssl made no certificate")
    }
    let both =
      try String(contentsOfFile: identity.certificate, encoding: .utf8)
      + String(contentsOfFile: identity.key, encoding: .utf8)
    try both.write(toFile: identity.bundle, atomically: false, encoding: .utf8)
    // The server may run as another user.
    for file in [identity.key, identity.bundle] { chmod(file, 0o644) }
    return identity
  }
}
