import Foundation
import TestSupport

/// Varnish as a relay's cache, with the configuration and the options that the manual tells.
final class VarnishServer {
  /// Why it cannot be measured here, with advice; nil when it can.
  static var hindrance: String? {
    Binary.find("varnishd") == nil ? "not installed: apt-get install varnish" : nil
  }

  private let child: PipedProcess
  let port = freePort()

  init(cacheOf relay: ServerUnderTest.Running, manual: HLSManual, in folder: String) throws {
    guard let program = Binary.find("varnishd") else { throw BenchError(Self.hindrance ?? "") }
    // Its name is a path, and not a long one: sockets are below it.
    let own = "\(folder)/varnish"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    let file = own + "/hls.vcl"
    var vcl = try manual.block("vcl")
    try vcl.put("\"\(relay.port)\"", for: "\"8000\"", behind: ".port = ")
    try vcl.put("127.0.0.1:\(port)", for: ":80", behind: "varnishd -a ")
    try vcl.put(file, for: "/etc/varnish/hls.vcl", behind: "-f ")
    try vcl.text.write(toFile: file, atomically: false, encoding: .utf8)
    // The first line is a comment: how it is started.
    let options = vcl.text.prefix { $0 != "\n" }.split(separator: " ").dropFirst(2).map(String.init)
    let log = own + "/log"
    child = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + [program, "-F", "-n", own + "/run"]
        + options, log: log)
    let (child, port) = (child, port)
    try Wait.until("Varnish answers", within: 60) {
      guard child.isRunning else { throw BenchError("Varnish has ended: \(Proc.text(log) ?? "")") }
      return FirstByte.canConnect(to: port)
    }
  }

  var cpu: Double { ProcessClock.secondsOfAll(child.id) }

  func stop() { child.stop() }
}
