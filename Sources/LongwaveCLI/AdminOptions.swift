import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

/// Which server a command speaks to, and as whom.
struct PlaceOptions: ParsableArguments {
  @Option(help: "The data folder of the server, if it runs on this machine.")
  var data: String?

  @Option(help: "The URL of a server elsewhere (LONGWAVE_SERVER).")
  var server: String?

  @Option(
    help: ArgumentHelp(
      "The server's admin token. Every user of this machine sees it in ps: prefer LONGWAVE_TOKEN or "
        + "--token-file."))
  var token: String?

  @Option(
    help: ArgumentHelp(
      "File with the server's admin token; - reads standard input or asks on a terminal.",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Flag(help: "Accept any certificate; an attacker in between can then read the token.")
  var insecure = false

  func validate() throws {
    if token != nil, tokenFile != nil {
      throw ValidationError("Give --token or --token-file, not both")
    }
    if let server, !server.isEmpty, !AdminClient.isServer(server) {
      throw ValidationError("--server: \"\(server)\" is not \(AdminClient.serverWanted)")
    }
  }

  fileprivate static let authorities = ArgumentHelp(
    "A PEM file with the server's certificate or its signer, used instead of the system's "
      + "(LONGWAVE_CA_FILE).", valueName: "file")

  fileprivate static func check(_ caFile: String?) throws {
    guard let caFile else { return }
    let isThere = FileManager.default.fileExists(atPath: caFile)
    guard isThere, !NamedFile.isFolder(caFile) else {
      let problem = isThere ? "is a folder" : "is not there"
      throw ValidationError(
        "--server-ca-file: \(caFile) \(problem); name a file of certificates in PEM format")
    }
  }
}

/// The options of a command that asks a server.
protocol ServerOptions: ParsableArguments {
  var place: PlaceOptions { get }
  var serverCaFile: String? { get }
}

extension ServerOptions {
  func validate() throws { try PlaceOptions.check(serverCaFile) }

  var client: AdminClient {
    get throws {
      let read = try place.tokenFile.map { try Secret.read(from: $0, asking: "Admin token") }
      var client = AdminClient(
        data: place.data, server: place.server, token: read ?? place.token, caFile: serverCaFile)
      client.isInsecure = place.insecure
      return client
    }
  }

  /// Sends a request; an answer without a body becomes an empty object.
  ///
  /// - Parameter names: the command line's words for keys that are not `--key`, or that stand in the query.
  func request(
    _ method: String, _ path: String, body: JSON? = nil, names: [String: String] = [:]
  ) async throws -> JSON {
    let client = try self.client
    do throws(AdminError) {
      return try await client.request(method, path, body: body) ?? [:]
    } catch {
      throw error.named(by: body, names)
    }
  }
}

struct AdminOptions: ServerOptions {
  @OptionGroup var place: PlaceOptions
  @Option(
    name: [.customLong("server-ca-file"), .customLong("ca-file")], help: PlaceOptions.authorities,
    completion: .file())
  var serverCaFile: String?
}

/// The same beside a station's keys, of which `ca-file` is one: the authorities of its upstream.
struct StationAdminOptions: ServerOptions {
  @OptionGroup var place: PlaceOptions
  @Option(help: PlaceOptions.authorities, completion: .file())
  var serverCaFile: String?
}

/// Output for listings: a table for people, or the server's JSON for programs.
struct OutputOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  var isJSON = false

  @Flag(name: .customLong("utc"), help: "Show times in UTC instead of this machine's time zone.")
  var isUTC = false

  /// How people are shown times.
  var times: ShownTimes { ShownTimes(isUTC: isUTC) }

  func show(_ json: JSON, as text: (JSON) -> String) {
    if isJSON {
      Terminal.print(json.text + "\n")
    } else {
      Terminal.write(text(json))
    }
  }
}
