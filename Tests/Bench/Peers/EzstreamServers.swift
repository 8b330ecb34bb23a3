import Foundation
import TestSupport

/// icecast2, and an ezstream for each of its mounts, which passes the files of a folder through.
struct EzstreamServers {
  /// Why they cannot be measured here, with advice; nil when they can.
  static var hindrance: String? {
    for program in ["ezstream", "icecast2"] where Binary.find(program) == nil {
      return "not installed: apt-get install \(program)"
    }
    return nil
  }

  private let icecast: PipedProcess
  private let sources: [PipedProcess]
  let port: UInt16

  init(music: String, mounts: Int, in folder: String) throws {
    guard let program = Binary.find("ezstream") else { throw BenchError(Self.hindrance ?? "") }
    let own = "\(folder)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    let port = freePort()
    self.port = port
    let xml = IcecastConfiguration.xml(
      port: port, sources: mounts, relays: [], identity: nil, directory: own)
    icecast = try IcecastConfiguration.start(xml, in: own, log: own + "/icecast.log")
    try Wait.until("icecast2 answers", within: 20) { FirstByte.canConnect(to: port) }
    let files = try FileManager.default.contentsOfDirectory(atPath: music).sorted()
    try files.map { "\(music)/\($0)\n" }.joined().write(
      toFile: own + "/list.m3u", atomically: false, encoding: .utf8)
    sources = try (0..<mounts).map { mount in
      let configuration = "\(own)/\(mount).xml"
      try Self.xml(mount: mount, port: port, list: own + "/list.m3u").write(
        toFile: configuration, atomically: false, encoding: .utf8)
      chmod(configuration, 0o600)
      return try PipedProcess(
        Executables.pin(to: 0) + Executables.dieWithParent() + [program, "-c", configuration],
        log: "\(own)/\(mount).log")
    }
  }

  /// Waits until each mount has audio.
  func waitUntilPlaying() throws {
    for mount in sources.indices {
      _ = try FirstByte.wait(port: port, path: Self.path(mount: mount), within: 30)
    }
  }

  static func path(mount: Int) -> String { "/live-\(mount)" }

  var cpu: Double {
    sources.reduce(ProcessClock.secondsOfAll(icecast.id)) { $0 + ProcessClock.secondsOfAll($1.id) }
  }

  /// How many of the sources still run.
  var running: Int { sources.filter(\.isRunning).count }

  func stop() { for child in sources + [icecast] { child.stop() } }

  private static func xml(mount: Int, port: UInt16, list: String) -> String {
    """
    <ezstream>
      <servers>
        <server>
          <hostname>127.0.0.1</hostname>
          <port>\(port)</port>
          <password>\(IcecastConfiguration.sourcePassword)</password>
        </server>
      </servers>
      <streams>
        <stream>
          <mountpoint>\(path(mount: mount))</mountpoint>
          <format>MP3</format>
        </stream>
      </streams>
      <intakes>
        <intake>
          <type>playlist</type>
          <filename>\(list)</filename>
        </intake>
      </intakes>
    </ezstream>

    """
  }
}
