import ArgumentParser
import Longwave
import LongwaveAdmin

/// The server that a command speaks to.
struct AdminOptions: ParsableArguments {
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
      "A file with the server's admin token; - reads standard input, and a terminal asks.",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  // The name `--ca-file` is already the key of a station, for the authorities of its upstream.
  @Option(
    help: ArgumentHelp(
      "A PEM file with the server's certificate or its signer, used instead of the system's "
        + "(LONGWAVE_CA_FILE).", valueName: "file"),
    completion: .file())
  var serverCaFile: String?

  func validate() throws {
    if token != nil, tokenFile != nil {
      throw ValidationError("Give --token or --token-file, not both")
    }
    if let server, !server.isEmpty, !AdminClient.isServer(server) {
      throw ValidationError("--server: \"\(server)\" is not \(AdminClient.serverWanted)")
    }
  }

  var client: AdminClient {
    get throws {
      let read = try tokenFile.map { try Secret.read(from: $0, asking: "Admin token") }
      return AdminClient(data: data, server: server, token: read ?? token, caFile: serverCaFile)
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

/// Output for listings: a table for people, or the server's JSON for programs.
struct OutputOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  var isJSON = false

  func show(_ json: JSON, as text: (JSON) -> String) {
    if isJSON {
      Terminal.print(json.text + "\n")
    } else {
      Terminal.write(text(json))
    }
  }
}
