import ArgumentParser
import Longwave

/// Which server a command speaks to.
struct AdminOptions: ParsableArguments {
  @Option(help: "The data folder of the server, if it runs on this machine.")
  var data: String?

  @Option(help: "The URL of a server elsewhere (LONGWAVE_SERVER).")
  var server: String?

  @Option(
    help: ArgumentHelp(
      "Its admin token. Every user of this machine sees it in ps: better LONGWAVE_TOKEN, or "
        + "--token-file."))
  var token: String?

  @Option(
    help: ArgumentHelp(
      "A file with its admin token; - is standard input, where a terminal asks.",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  // A station's --ca-file is its upstream's.
  @Option(
    help: ArgumentHelp(
      "A PEM file with its certificate or who vouches for it, in place of the system's "
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

  /// Asks the server; an answer without a body is an empty object.
  ///
  /// - Parameter names: of keys that the command line has another word for than `--key`, or that stand in the query.
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

/// For listings: a table for people, or the server's JSON for programs.
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
