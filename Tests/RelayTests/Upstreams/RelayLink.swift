import Longwave
import TestSupport
import Testing

/// One relay of a chain: a process with a station "jazz", which is killed and started again where it listened.
final class RelayLink {
  private let folder = TemporaryDirectory()
  private let data = TemporaryDirectory()
  private let port = freePort()
  private(set) var process: LongwaveProcess?

  /// - Parameter keys: further lines of the station.
  init(_ upstreams: [String], _ keys: String...) {
    let text = """
      timeshift: { window: 1h }
      stations:
        - id: jazz
          upstream: [\(upstreams.map { "\"\($0)\"" }.joined(separator: ", "))]
      """ + keys.map { "\n    \($0)" }.joined() + "\n"
    folder.write("longwave.yml", Array(text.utf8))
  }

  func url(_ path: String = "/jazz") -> String { "http://127.0.0.1:\(port)\(path)" }

  func start() async throws {
    process = try await LongwaveProcess(
      ["serve", "--config", folder.path + "/longwave.yml"], data: data.path, port: port)
  }

  func kill() async throws {
    try await process?.kill()
    process = nil
  }

  var server: LongwaveProcess { get throws { try #require(process) } }

  func listener(_ path: String = "/jazz") throws -> StreamClient {
    try StreamClient(to: try server.address, get: path)
  }

  /// All that the log has.
  func whole() async throws -> [UInt8] {
    let crowd = try Crowd(at: try server.address, [Crowd.Wish("/jazz?offset=1h&burst=60")])
    try await crowd.quietBurst()
    return try crowd.finish()[0].heard().audio
  }

  /// What was told of the first return to an upstream in this life.
  func firstReturn() async throws -> JSON {
    let events = try EventClient(at: try server.address, "?station=jazz", after: 0)
    let event = try await events.first("reconnected") { $0.kind == "reconnected" }
    return try #require(JSON.parse(Array(event.data.utf8)))
  }
}
