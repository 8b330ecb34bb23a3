import Demo
import Glibc
import Reactor
import Server
import Threads
import Timeshift

/// An upstream of our own, for `longwave demo`: music made here, served as an ICY stream on a loopback port.
public final class DemoStudio: Sendable {
  private let studio: Studio
  private let log: PacketLog
  private let server: RelayServer

  /// Files it has open itself.
  private static let openFiles = 32

  public init() throws(RelayError) {
    try RelayService.requireOpenFiles(
      Configuration(), RelayOptions(), beside: Self.openFiles)
    let writer = LogWriter(memoryOnly: LogConfiguration(), at: .now())
    log = writer.log
    studio = Studio(writer: writer, seed: UInt64.random(in: 0...UInt64.max))
    var settings = ServerConfiguration(
      listen: [.ipv4(INADDR_LOOPBACK, port: 0)], name: "Longwave-Studio/\(RelayVersion.number)")
    settings.threads = 1
    settings.listenersMax = 16
    let events = EventRing(firstID: 1)
    do throws(ServerError) {
      server = try RelayServer(configuration: settings, api: NoAPI(), events: events)
    } catch {
      throw RelayError(error)
    }
  }

  /// Begins to play; the result is the URL to pull.
  public func start() async throws(RelayError) -> String {
    guard studio.start() else {
      throw RelayError(
        "the system gives this process too few threads; raise the limit (ulimit -u)")
    }
    do throws(ServerError) {
      try await server.start()
    } catch {
      studio.stop()
      throw RelayError(error)
    }
    var mount = Mount(station: "studio", log: log)
    mount.description.name = "Longwave Studio"
    mount.description.genre = "Generative"
    mount.description.text = "Music that nobody has heard before, made as you listen"
    await server.publish(mounts: [mount])
    return ServerURL.base(server.boundAddresses, publicURL: nil) + "/studio"
  }

  public func stop() async {
    await server.drain()
    await Blocking.run { [studio] in studio.stop() }
    log.close()
  }

  /// The configuration of a relay whose one station pulls the studio.
  public static func configuration(pulling url: String) -> Configuration {
    var configuration = Configuration()
    configuration.stations = [StationDefinition(id: "demo", upstream: [url])]
    return configuration
  }
}

/// The studio has nothing but its stream.
private struct NoAPI: APIHandling {
  func respond(to request: APIRequest) async -> APIResponse {
    .whole(
      status: 404, mediaType: ErrorBody.mediaType,
      body: ErrorBody.json(code: "not-found", message: "There is only /studio here."))
  }
}
