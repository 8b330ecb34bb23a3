import Demo
import Glibc
import Reactor
import Server
import Threads
import Timeshift

/// The upstream of `longwave demo`: generated music, served as an ICY stream on a loopback port.
package final class DemoStudio: Sendable {
  private let studio: Studio
  private let log: PacketLog
  private let server: RelayServer

  /// Number of files that the studio itself has open.
  private static let openFiles = 32

  package init() throws(RelayError) {
    try OpenFiles.require(Configuration(), beside: Self.openFiles)
    let writer = LogWriter(memoryOnly: LogConfiguration(), at: .now())
    log = writer.log
    studio = Studio(writer: writer, seed: UInt64.random(in: 0...UInt64.max))
    var settings = ServerConfiguration(
      listen: [.ipv4(INADDR_LOOPBACK, port: 0)], name: "Longwave-Studio/\(RelayVersion.number)")
    settings.threads = 1
    settings.listenersMax = 16
    let events = EventRing(firstID: 1)
    do throws(ServerError) {
      server = try RelayServer(configuration: settings, api: NoInterface(), events: events)
    } catch {
      throw RelayError.cannotStart("\(error)")
    }
  }

  /// Begins to play and returns the URL to pull.
  package func start() async throws(RelayError) -> String {
    guard studio.start() else {
      throw RelayError.cannotStart(
        "the system gives this process too few threads; raise the limit (ulimit -u)")
    }
    do throws(ServerError) {
      try await server.start()
    } catch {
      studio.stop()
      throw RelayError.cannotStart("\(error)")
    }
    var mount = Mount(station: "studio", log: log)
    mount.description.name = "Longwave Studio"
    mount.description.genre = "Generative"
    mount.description.text = "Music that nobody has heard before, made as you listen"
    await server.publish(mounts: [mount])
    return ServerURL.base(server.boundAddresses, publicURL: nil) + "/studio"
  }

  package func stop() async {
    await server.drain()
    await Blocking.run { [studio] in studio.stop() }
    log.close()
  }

  /// Returns the configuration of a relay whose one station pulls the studio at `url`.
  package static func configuration(pulling url: String) -> Configuration {
    var configuration = Configuration()
    configuration.stations = [StationDefinition(id: "demo", upstream: [url])]
    return configuration
  }
}
