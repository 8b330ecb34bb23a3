import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

private struct NoAPI: APIHandling {
  func respond(to request: APIRequest) async -> APIResponse {
    let text = "\(request.head.method) \(request.head.path) \(request.body.count)"
    return .whole(status: 200, mediaType: "text/plain", body: Array(text.utf8))
  }
}

/// - Parameter further: files of the folder besides its own, by name.
func withFileServer(
  bypass: Double = 3600, settings: ListenerSettings = .init(), further: [String: [UInt8]] = [:],
  change: (inout ServerConfiguration) -> Void = { _ in },
  _ body: (FileServer) async throws -> Void
) async throws {
  let server = try await FileServer(
    bypass: bypass, settings: settings, further: further, change: change)
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// A server with a folder of files, and one with a single file.
final class FileServer: Sendable {
  let server: RelayServer
  let address: SocketAddress
  let source: FileSource
  /// A minute, behind an ID3v2 tag.
  let hour: [UInt8]
  let frames: UInt64 = 2297
  let tagBytes: Int
  private let folder: TemporaryDirectory
  private let done: CompletedFiles

  var completed: [String] { done.paths }

  /// - Parameters:
  ///   - further: files of the folder, by name.
  ///   - streams: stations besides.
  init(
    bypass: Double, settings: ListenerSettings, tls: TLSOffer? = nil,
    further: [String: [UInt8]] = [:], streams: [Mount] = [],
    change: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws {
    let tag = ID3Tag(title: "T", album: "A", recordedAt: 0).bytes
    tagBytes = tag.count
    hour = tag + NumberedFrames.stream(0..<2297)
    folder = TemporaryDirectory()
    let root = folder.file("shows")
    try Self.fill(String(root.dropLast(6)), root, hour)
    for (name, bytes) in further { try Self.put(bytes, root + "/" + name) }
    source = FileSource(root: root, throttleBypass: MediaTime(seconds: bypass))
    let single = FileSource(root: root + "/hour.mp3", throttleBypass: MediaTime(seconds: 3600))
    let done = CompletedFiles()
    self.done = done
    var configuration = ServerConfiguration(
      listen: [SocketAddress("127.0.0.1:0")!], name: "Longwave/test")
    configuration.threads = 2
    configuration.tls = tls
    change(&configuration)
    server = try RelayServer(
      configuration: configuration, api: NoAPI(), events: EventRing(firstID: 1)
    ) { events in
      for case .fileComplete(let path) in events.map(\.change) { done.add(path) }
    }
    try await server.start(
      mounts: [
        Self.mount("shows", source, settings), Self.mount("single", single, .init()),
      ] + streams)
    address = server.boundAddresses[0]
  }

  private static func mount(
    _ station: String, _ source: FileSource, _ settings: ListenerSettings
  ) -> Mount {
    Mount(station: station, content: .files(source), settings: settings)
  }

  private static func fill(_ top: String, _ root: String, _ hour: [UInt8]) throws {
    for folder in ["", "/deep", "/deep/down", "/deep/.git"] { mkdir(root + folder, 0o755) }
    mkdir(top + "/elsewhere", 0o755)
    for path in [
      root + "/hour.mp3", root + "/a b#c.mp3", root + "/deep/down/er.ogg",
      root + "/deep/.git/x.mp3", root + "/.hidden.mp3", top + "/secret.mp3",
      top + "/elsewhere/secret.mp3",
    ] {
      try put(hour, path)
    }
    try put(Array("not audio".utf8), root + "/notes.txt")
    try put(Array(repeating: 0x5A, count: 300_000), root + "/picture.mp3")
    try put([], root + "/empty.mp3")
    symlink("../secret.mp3", root + "/out.mp3")
    symlink(top + "/secret.mp3", root + "/absolute.mp3")
    symlink("../elsewhere", root + "/outside")
    symlink("deep/down/er.ogg", root + "/inside.mp3")
    mkfifo(root + "/pipe.mp3", 0o644)
  }

  static func put(_ bytes: [UInt8], _ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    try #require(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
  }

  func fetch(
    _ path: String, _ fields: String = "", method: String = "GET"
  ) async throws -> StreamClient {
    try await StreamClient.fetch(path, fields, method: method, from: address)
  }

  func status(_ path: String, method: String = "GET") async throws -> Int {
    try await fetch(path, method: method).head().status
  }

  func stop() async { await server.drain() }
}

/// The files that were heard to their end.
private final class CompletedFiles: Sendable {
  private let list = Mutex<[String]>([])
  var paths: [String] { list.withLock { $0 } }
  func add(_ path: String) { list.withLock { $0.append(path) } }
}
