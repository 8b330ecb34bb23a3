import Foundation
import TestSupport

/// Configures icecast2, with the limits that a large relay would set.
///
/// icecast2 serves one mount with a single thread, which cannot be changed. Each station has its own relay.
enum IcecastConfiguration {
  static let sourcePassword = "unused-here"

  /// Returns the configuration of a relay of the bench's upstream.
  static func xml(
    port: UInt16, upstreamPort: UInt16, stations: Int, withTitles: Bool,
    identity: ServerIdentity?, directory: String
  ) -> String {
    let relays = (0..<stations).map { station in
      relay(
        ServerUnderTest.Paths.icecast2.path(station: station, of: stations),
        upstreamPort: upstreamPort, withTitles: withTitles)
    }
    return xml(
      port: port, sources: stations, relays: relays, identity: identity, directory: directory)
  }

  /// Starts icecast2 on core 0.
  static func start(_ xml: String, in directory: String, log: String) throws -> PipedProcess {
    guard let program = Binary.find("icecast2") else {
      throw BenchError("not installed: apt-get install icecast2")
    }
    let configuration = directory + "/icecast.xml"
    try xml.write(toFile: configuration, atomically: false, encoding: .utf8)
    // icecast2 refuses to run as root, and writes its log files as the user it runs as.
    let isRoot = geteuid() == 0
    if isRoot { chmod(directory, 0o777) }
    let identity = Executables.dieWithParent(as: isRoot ? ("nobody", "nogroup") : nil)
    return try PipedProcess(
      Executables.pin(to: 0) + identity + [program, "-c", configuration], log: log)
  }

  /// - Parameter sources: how many streams it has at most.
  static func xml(
    port: UInt16, sources: Int, relays: [String], identity: ServerIdentity?, directory: String
  ) -> String {
    let relays = relays.joined(separator: "\n")
    return """
      <icecast>
        <location>loopback</location>
        <admin>nobody@localhost</admin>
        <hostname>127.0.0.1</hostname>
        <limits>
          <clients>100000</clients>
          <sources>\(sources + 4)</sources>
          <queue-size>524288</queue-size>
          <client-timeout>30</client-timeout>
          <header-timeout>15</header-timeout>
          <source-timeout>10</source-timeout>
          <burst-on-connect>1</burst-on-connect>
          <burst-size>65536</burst-size>
        </limits>
        <authentication>
          <source-password>\(sourcePassword)</source-password>
          <admin-user>admin</admin-user>
          <admin-password>unused-here</admin-password>
        </authentication>
        <listen-socket>
          <port>\(port)</port>
          <bind-address>127.0.0.1</bind-address>
          <ssl>\(identity == nil ? 0 : 1)</ssl>
        </listen-socket>
        \(relays)
        <fileserve>1</fileserve>
        <paths>
          <basedir>/usr/share/icecast2</basedir>
          <logdir>\(directory)</logdir>
          \(identity.map { "<ssl-certificate>\($0.bundle)</ssl-certificate>" } ?? "")
          <webroot>/usr/share/icecast2/web</webroot>
          <adminroot>/usr/share/icecast2/admin</adminroot>
        </paths>
        <logging>
          <accesslog>access.log</accesslog>
          <errorlog>error.log</errorlog>
          <loglevel>2</loglevel>
        </logging>
        <security>
          <chroot>0</chroot>
        </security>
      </icecast>

      """
  }

  private static func relay(_ mount: String, upstreamPort: UInt16, withTitles: Bool) -> String {
    """
    <relay>
      <server>127.0.0.1</server>
      <port>\(upstreamPort)</port>
      <mount>/live</mount>
      <local-mount>\(mount)</local-mount>
      <on-demand>0</on-demand>
      <relay-shoutcast-metadata>\(withTitles ? 1 : 0)</relay-shoutcast-metadata>
    </relay>
    """
  }
}
