import Foundation
import TestSupport

/// nginx with one worker, which sends the files of a folder with sendfile.
final class NginxServer {
  /// Why it cannot be measured here, with advice; nil when it can.
  static var hindrance: String? {
    program == nil ? "not installed: apt-get install nginx-light" : nil
  }

  // Debian has it where only root looks.
  private static var program: String? {
    Binary.find("nginx") ?? ["/usr/sbin/nginx"].first(where: FileManager.default.isExecutableFile)
  }

  private let child: PipedProcess
  let port = freePort()

  /// - Parameter files: the folder that it serves.
  init(files: String, in folder: String) throws {
    guard let program = Self.program else { throw BenchError(Self.hindrance ?? "") }
    let own = "\(folder)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    let configuration = """
      daemon off;
      pid \(own)/pid;
      error_log \(own)/error.log;
      worker_processes 1;
      \(geteuid() == 0 ? "user root;" : "")
      events { worker_connections 4096; }
      http {
        access_log off;
        sendfile on;
        tcp_nopush on;
        keepalive_requests 100000000;
        keepalive_timeout 300s;
        server {
          listen 127.0.0.1:\(port);
          root \(files);
        }
      }
      """
    try configuration.write(toFile: own + "/nginx.conf", atomically: false, encoding: .utf8)
    child = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + [
        program, "-p", own, "-c", own + "/nginx.conf",
      ], log: own + "/log")
    let port = port
    try Wait.until("nginx answers", within: 20) { FirstByte.canConnect(to: port) }
  }

  var cpu: Double { ProcessClock.secondsOfAll(child.id) }

  func stop() { child.stop() }
}
