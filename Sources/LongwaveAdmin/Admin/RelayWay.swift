import Glibc
import Ingest
import Longwave
import Reactor
import Store

/// How to reach a relay.
public enum RelayPlace: Hashable, Sendable {
  /// The data folder of a relay on this machine.
  case data(String)
  /// A URL such as `https://radio.example.org`, and the admin token.
  case server(String, token: String)
}

/// The way to a relay, and what is wrong with it when there is none.
struct RelayWay {
  let place: RelayPlace
  /// The seconds that an answer may take.
  let timeout: Double
  /// Whether nobody has said which relay is meant.
  let isDefault: Bool

  /// Finds the way to the relay. `ask` gets the URL, the socket to use instead of the URL's host, and the header lines.
  func reach<Reply>(
    _ path: String, _ headers: [String], _ isChange: Bool,
    _ ask: (String, String?, [String]) throws(FetchError) -> Reply
  ) throws(AdminError) -> Reply {
    switch place {
    case .server(let url, let token):
      let base = url.hasSuffix("/") ? String(url.dropLast()) : url
      do throws(FetchError) {
        return try ask(
          base + path, nil, headers + (token.isEmpty ? [] : ["Authorization: Bearer \(token)"]))
      } catch {
        if error.kind == .timedOut { throw late(base, isChange) }
        throw AdminError(
          "cannot reach \(base): \(error)\(Self.advice(error.kind, base))",
          isAbsent: error.kind == .unreachable)
      }
    case .data(let folder): return try reachSocket(path, headers, isChange, folder, ask)
    }
  }

  private static func advice(_ kind: FetchError.Kind, _ server: String) -> String {
    switch kind {
    case .untrusted:
      "; if the certificate is right, name it with --server-ca-file FILE (LONGWAVE_CA_FILE), or accept "
        + "any with --insecure"
    case .withoutTLS: "; write http:\(server.drop { $0 != ":" }.dropFirst())"
    case .unreachable: "; check the port, and that longwave runs there"
    case .timedOut, .tooLong, .other: ""
    }
  }

  /// Makes the error for a missing answer; whether the request was carried out is unknown.
  private func late(_ place: String, _ isChange: Bool) -> AdminError {
    AdminError(
      "\(place) did not answer within \(HumanText.duration(timeout))"
        + (isChange ? ", and may still carry out the request" : "")
        + "; look at its log and at its disk (dmesg), and at longwave doctor")
  }

  /// Returns the `errno` value that tells why a socket cannot be used; nil if it can, or if only the request will tell.
  private static func refusal(of socket: String) -> Int32? {
    // The check uses the effective user of the process, not the real one.
    faccessat(AT_FDCWD, socket, W_OK, AT_EACCESS) == 0 ? nil : errno
  }

  private func reachSocket<Reply>(
    _ path: String, _ headers: [String], _ isChange: Bool, _ folder: String,
    _ ask: (String, String?, [String]) throws(FetchError) -> Reply
  ) throws(AdminError) -> Reply {
    let socket = DataDirectory.socketPath(in: folder)
    if let code = Self.refusal(of: socket) {
      throw code == EACCES ? Self.foreign(folder) : (Self.unreachable(folder) ?? absent(folder))
    }
    do {
      // A socket's path may have 107 bytes, so a longer one is reached through its folder.
      return try UnixPath.withShortPath(socket) { short throws(SystemError) in
        Result { () throws(FetchError) in try ask("http://localhost" + path, short, headers) }
      }.get()
    } catch let error as FetchError {
      if error.kind == .timedOut { throw late("the longwave on \(folder)", isChange) }
      throw AdminError("\(absent(folder)) (\(error))", isAbsent: true)
    } catch {
      throw AdminError("\(error)")
    }
  }

  /// Makes the error for a relay whose socket is not in its folder; nil where no relay runs on the folder.
  private static func unreachable(_ folder: String) -> AdminError? {
    guard let process = DataDirectory.process(on: folder) else { return nil }
    return AdminError(
      "longwave runs on \(folder) (process \(process)), but its socket longwave.sock is missing; try "
        + "again in some seconds, or read the log of the relay",
      isAbsent: true)
  }

  /// Makes the error for a folder without a relay. Who named no folder may mean the relay of the system.
  private func absent(_ folder: String) -> AdminError {
    let system = DataDirectory.systemPath
    if isDefault, folder != system,
      Self.refusal(of: DataDirectory.socketPath(in: system)) == EACCES
    {
      return Self.foreign(system)
    }
    return AdminError(
      "no longwave runs on \(folder); start one (longwave serve), or name another "
        + "(--data or --server)", isAbsent: true)
  }

  private static func foreign(_ folder: String) -> AdminError {
    let socket = DataDirectory.socketPath(in: folder)
    return AdminError(
      "the longwave on \(folder), if it runs, runs as another user (\(DiskAdvice.owned(socket))): "
        + "use sudo, or LONGWAVE_DATA or --data for one of your own")
  }
}

extension RelayWay {
  /// Returns what an answer that is no success means to somebody at a terminal.
  func refusal(_ reply: FetchReply, _ body: JSON?) -> AdminError {
    switch (reply.status, place) {
    case (401, .server(let url, let token)):
      return AdminError(
        (token.isEmpty
          ? "\(url) wants its admin token: "
          : "the admin token is wrong: \(url) has another one under admin: {token: …}; ")
          + "set LONGWAVE_TOKEN, or give --token-file FILE")
    case (300..<400, .server(let url, _)):
      let place = reply["Location"] ?? ""
      let isEncrypted = url.lowercased().hasPrefix("https:")
      let advice =
        !isEncrypted && place.lowercased().hasPrefix("https:")
        ? "write https:\(url.contains("://") ? String(url.drop { $0 != ":" }.dropFirst()) : "//\(url)")"
        : "write the URL of the server itself"
      return AdminError("\(url) leads elsewhere (\(reply.status)); \(advice)")
    default: return AdminError(status: reply.status, body: body)
    }
  }
}
