import Foundation
import TestSupport

/// nginx with one worker: it sends the files of a folder with sendfile, or keeps what a relay gives.
final class NginxServer {
  /// Why it cannot be measured here, with advice; nil when it can.
  static var hindrance: String? {
    Binary.find("nginx") == nil ? "not installed: apt-get install nginx-light" : nil
  }

  private let child: PipedProcess
  let port: UInt16

  /// - Parameter files: the folder that it serves.
  convenience init(files: String, in folder: String) throws {
    let port = freePort()
    let http = """
      sendfile on;
      tcp_nopush on;
      keepalive_requests 100000000;
      keepalive_timeout 300s;
      server {
        listen 127.0.0.1:\(port);
        root \(files);
      }
      """
    try self.init(http, port: port, connections: 4096, in: folder)
  }

  /// The cache that the manual tells, in front of a relay.
  convenience init(cacheOf relay: ServerUnderTest.Running, manual: HLSManual, in folder: String)
    throws
  {
    let port = freePort()
    var http = try manual.block("nginx")
    try http.put("127.0.0.1:\(port)", for: "80", behind: "listen ")
    try http.put("127.0.0.1:\(relay.port)", for: "127.0.0.1:8000", behind: "server ")
    for cache in ["hls", "lists"] {
      try http.put(
        "\(folder)/nginx-\(cache)", for: "/var/cache/nginx/\(cache)", behind: "proxy_cache_path ")
    }
    try self.init(http.text, port: port, connections: 32_768, in: folder)
  }

  private init(_ http: String, port: UInt16, connections: Int, in folder: String) throws {
    guard let program = Binary.find("nginx") else { throw BenchError(Self.hindrance ?? "") }
    self.port = port
    let own = "\(folder)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    let configuration = """
      daemon off;
      pid \(own)/pid;
      error_log \(own)/error.log;
      worker_processes 1;
      \(geteuid() == 0 ? "user root;" : "")
      events { worker_connections \(connections); }
      http {
      access_log off;
      \(http)
      }
      """
    try configuration.write(toFile: own + "/nginx.conf", atomically: false, encoding: .utf8)
    child = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + [
        program, "-p", own, "-c", own + "/nginx.conf",
      ], log: own + "/log")
    try Wait.until("nginx answers", within: 20) { FirstByte.canConnect(to: port) }
  }

  var cpu: Double { ProcessClock.secondsOfAll(child.id) }

  func stop() { child.stop() }
}
