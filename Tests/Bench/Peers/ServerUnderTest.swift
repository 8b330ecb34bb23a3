import Foundation
import Reactor
import TestSupport

/// The relay that is measured.
enum ServerUnderTest: Hashable, Sendable, CustomStringConvertible {
  case longwave(path: String)
  case icecast2
  /// The bare loop with this tick in ms; nil for Longwave's own cadence.
  case limit(tickMilliseconds: Int?)

  var description: String {
    switch self {
    case .longwave: "longwave"
    case .icecast2: "icecast2"
    case .limit(nil): "limit"
    case .limit(let tick?): "limit \(tick) ms"
    }
  }

  /// The paths that listeners request from a server.
  enum Paths: String, Codable, Sendable {
    case longwave, icecast2, limit

    /// - Parameter station: The station's index from 0; a single station has no number in its path.
    func path(station: Int, of stations: Int) -> String {
      let suffix = stations > 1 ? "-\(station)" : ""
      switch self {
      case .longwave: return "/bench" + suffix
      case .icecast2: return "/live" + suffix
      // The limit has one stream at every path.
      case .limit: return "/"
      }
    }
  }

  var paths: Paths {
    switch self {
    case .longwave: .longwave
    case .icecast2: .icecast2
    case .limit: .limit
    }
  }

  /// The reason why the server cannot be measured here, with advice; nil when it can.
  var hindrance: String? {
    switch self {
    case .longwave(let path):
      FileManager.default.isExecutableFile(atPath: path)
        ? nil : "not built: swift build -c release --product longwave (or --longwave PATH)"
    case .icecast2:
      Binary.find("icecast2") == nil ? "not installed: apt-get install icecast2" : nil
    case .limit: nil
    }
  }

  /// The environment in which a server is started.
  struct Site {
    var upstreamPort: UInt16
    var stations = 1
    var withTitles = false
    /// The length of the time-shift window; nil for the default.
    var windowSeconds: Double?
    /// The most connections that watch events; nil for the default.
    var watchers: Int?
    /// The server's certificate; nil without TLS.
    var identity: ServerIdentity?
    /// Lines of further stations in longwave's configuration.
    var further: [String] = []
    /// The server's own directory for configuration, data and log.
    var directory: String

    /// The TLS context of the server's clients; nil without TLS.
    var client: TLSContext? {
      get throws { identity == nil ? nil : try TLSContext(trusting: nil) }
    }
  }

  /// Starts the server on core 0.
  func start(_ site: Site) throws -> Running {
    let log = site.directory + "/log"
    switch self {
    case .longwave(let path):
      let port = freePort()
      let configuration = site.directory + "/longwave.yml"
      let yaml = LongwaveConfiguration.yaml(
        port: port, upstreamPort: site.upstreamPort, stations: site.stations,
        windowSeconds: site.windowSeconds, watchers: site.watchers, identity: site.identity,
        further: site.further, directory: site.directory)
      try yaml.write(toFile: configuration, atomically: false, encoding: .utf8)
      let words = [path, "serve", "--config", configuration]
      let child = try PipedProcess(
        Executables.pin(to: 0) + Executables.dieWithParent() + words, log: log)
      return Running(child: child, port: port, log: log, context: try site.client)
    case .icecast2: return try startIcecast(site, log)
    case .limit(let tick):
      var words = [Executables.own, "part-limit", "--upstream-port", "\(site.upstreamPort)"]
      if let tick { words += ["--tick", "\(tick)"] }
      if site.withTitles { words += ["--icy"] }
      if let identity = site.identity { words += ["--tls", identity.folder] }
      let child = try PipedProcess(Executables.pin(to: 0) + words)
      let answer = try child.line(within: 10, of: "the limit")
      guard let port = UInt16(answer) else { throw BenchError("the limit said \"\(answer)\"") }
      return Running(child: child, port: port, log: nil, context: try site.client)
    }
  }

  private func startIcecast(_ site: Site, _ log: String) throws -> Running {
    let port = freePort()
    let xml = IcecastConfiguration.xml(
      port: port, upstreamPort: site.upstreamPort, stations: site.stations,
      withTitles: site.withTitles, identity: site.identity, directory: site.directory)
    let child = try IcecastConfiguration.start(xml, in: site.directory, log: log)
    return Running(child: child, port: port, log: log, context: try site.client)
  }

  /// A server that has been started.
  struct Running {
    let child: PipedProcess
    let port: UInt16
    /// The file of the server's standard output and error; nil where they are not kept.
    let log: String?
    /// The TLS context of the server's clients; nil without TLS.
    let context: TLSContext?

    /// Waits until the server answers a listener with audio.
    func waitUntilServing(path: String, seconds: Double = 20) throws {
      let deadline = monotonicNow() + Int64(seconds * 1e9)
      while monotonicNow() < deadline {
        guard child.isRunning else { throw BenchError("it ended at once\(logTail)") }
        if answersWithAudio(path) { return }
        usleep(20_000)
      }
      throw BenchError("no audio after \(Int(seconds)) s\(logTail)")
    }

    private func answersWithAudio(_ path: String) -> Bool {
      guard let fd = try? Socket.connect(to: Loopback.address(port: port)) else { return false }
      var listener = LoadListener(
        fd: fd, begun: monotonicNow(), comparesFiller: false, context: context)
      var figures = LoadFigures()
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
      for _ in 0..<20 where listener.isOpen && listener.frames.frames == 0 {
        listener.sendRequest(request)
        var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, 100)
        buffer.withUnsafeMutableBytes { buffer in
          switch listener.receive(into: buffer) {
          case .wouldBlock: break
          case .ended: listener.end()
          case .bytes(let count):
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            listener.take(bytes, at: monotonicNow(), figures: &figures)
          }
        }
      }
      listener.end()
      return listener.frames.frames > 0
    }

    private var logTail: String {
      guard let log, let text = Proc.text(log) else { return "" }
      return text.split(separator: "\n").suffix(5).map { "\n  \($0)" }.joined()
    }
  }
}
