import Glibc
import Reactor
import TestSupport

/// An upstream behind TLS: `openssl s_server` with a certificate of its own, which serves one finite answer.
final class TLSUpstream {
  let url: String
  let certificate: String
  private let scratch = TemporaryDirectory()
  private var server: pid_t = 0

  /// - Parameter ciphers: of TLS 1.2, which is all it then speaks; nil: whatever there is.
  init(packets: UInt64, ciphers: String? = nil) throws {
    certificate = scratch.file("certificate.pem")
    let key = scratch.file("key.pem")
    try Tool.must(
      [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext",
        "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
      ], in: scratch)
    let head = "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Secret\r\n\r\n"
    let answer = scratch.write("stream", Array(head.utf8) + NumberedFrames.stream(0..<packets))
    let port = freePort()
    url = "https://127.0.0.1:\(port)/stream"
    let folder = answer.split(separator: "/").dropLast().joined(separator: "/")
    let options = ciphers.map { "-tls1_2 -cipher \($0)" } ?? ""
    let command =
      "cd /\(folder) && exec openssl s_server -quiet -HTTP -port \(port) -cert \(certificate) "
      + "-key \(key) \(options)"
    let words: [String] = ["sh", "-c", command]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { arguments.forEach { free($0) } }
    let code = posix_spawnp(&server, "sh", nil, nil, arguments, environ)
    guard code == 0 else { throw SystemError(call: "posix_spawnp", on: "sh", code: code) }
  }

  deinit {
    kill(server, SIGKILL)
    waitpid(server, nil, 0)
  }
}
