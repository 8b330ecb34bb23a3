import Glibc

/// A real Icecast that relays one stream to `/live`, titles included.
public final class Icecast {
  public let port: UInt16
  private let process: ChildProcess
  private let folder: TemporaryDirectory

  public var url: String { "http://127.0.0.1:\(port)/live" }

  /// What it wrote to its log.
  public var log: String { process.log + process.output }

  /// - Throws: where icecast2 is not installed; `deploy/setup test` does that.
  public convenience init(relaying path: String, ofPort upstream: UInt16) throws {
    let port = freePort()
    try self.init(xml: Self.xml(port: port, path: path, upstream: upstream), port: port)
  }

  /// - Parameter port: the port of its first socket.
  public init(xml: String, port: UInt16) throws {
    folder = TemporaryDirectory()
    self.port = port
    folder.write("icecast.xml", Array(xml.utf8))
    // It refuses to run as root, and reads its configuration as whom it runs.
    chmod(folder.path, 0o755)
    chmod(folder.path + "/icecast.xml", 0o644)
    let identity = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
    process = try ChildProcess(
      (geteuid() == 0 ? identity : []) + ["icecast2", "-c", folder.path + "/icecast.xml"])
  }

  private static func xml(port: UInt16, path: String, upstream: UInt16) -> String {
    """
    <icecast>
      <hostname>127.0.0.1</hostname>
      <limits><clients>100</clients><sources>4</sources><burst-size>65536</burst-size></limits>
      <authentication>
        <source-password>unused-here</source-password>
        <admin-user>admin</admin-user>
        <admin-password>unused-here</admin-password>
      </authentication>
      <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
      <relay>
        <server>127.0.0.1</server>
        <port>\(upstream)</port>
        <mount>\(path)</mount>
        <local-mount>/live</local-mount>
        <on-demand>0</on-demand>
        <relay-shoutcast-metadata>1</relay-shoutcast-metadata>
      </relay>
      <paths>
        <logdir>/tmp</logdir>
        <webroot>/usr/share/icecast2/web</webroot>
        <adminroot>/usr/share/icecast2/admin</adminroot>
      </paths>
      <logging><accesslog>-</accesslog><errorlog>-</errorlog><loglevel>3</loglevel></logging>
      <security><chroot>0</chroot></security>
    </icecast>

    """
  }
}
