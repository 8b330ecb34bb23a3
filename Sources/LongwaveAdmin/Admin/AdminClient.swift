import Foundation
import Glibc
import Ingest
import Longwave
import Reactor
import Threads
import Wire

/// Sends requests to a running relay: over its Unix socket, or over TCP with a token.
///
/// The commands use this client, and any program that manages a relay can use it.
public struct AdminClient: Sendable {
  /// How to reach the relay.
  public enum Place: Hashable, Sendable {
    /// The data folder of a relay on this machine.
    case data(String)
    /// A URL such as `https://radio.example.org`, and the admin token.
    case server(String, token: String)
  }

  public var place: Place
  /// A PEM file of the authorities that may sign a server's certificate, instead of the system's.
  public var caFile: String?
  /// The seconds that an answer may take; for an answer that lasts longer, the seconds that its beginning may take.
  public var timeout = 30.0

  public init(_ place: Place) { self.place = place }

  /// Makes a client for the relay that a command means: `--server`, `LONGWAVE_SERVER`, else the one on the data folder.
  public init(
    data: String? = nil, server: String? = nil, token: String? = nil, caFile: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    if data == nil, let server = server ?? environment["LONGWAVE_SERVER"], !server.isEmpty {
      let secret = token ?? environment["LONGWAVE_TOKEN"] ?? ""
      self.init(.server(server, token: secret))
    } else {
      self.init(.data(DataDirectory.resolve(option: data, environment: environment)))
    }
    let named = caFile ?? environment["LONGWAVE_CA_FILE"] ?? ""
    self.caFile = named.isEmpty ? nil : named
  }

  public static let serverWanted = "the URL of a server such as https://radio.example.org"

  /// Whether a text can be the URL of a server; a URL without a scheme counts as http.
  public static func isServer(_ text: String) -> Bool {
    WebURL.isValid(text.contains("://") ? text : "http://" + text)
  }

  /// Returns an address or a range of addresses in the form that bans have; nil for other texts.
  public static func bannedAddress(_ text: String) -> String? { AddressRange(text)?.text }

  /// Sends a request, and returns the answer's body; nil for an answer without one.
  public func request(
    _ method: String, _ path: String, body: JSON? = nil
  ) async throws(AdminError) -> JSON? {
    let reply = try await Blocking.run { () throws(AdminError) in
      try send(method, path, body)
    }
    if reply.status == 401 {
      throw AdminError(
        "the server wants its admin token, and got none or another; set LONGWAVE_TOKEN, or give "
          + "--token-file FILE")
    }
    let json = JSON.parse(reply.body)
    guard (200..<300).contains(reply.status) else {
      throw AdminError(status: reply.status, body: json)
    }
    return json
  }

  /// Sends a request, and waits for the answer. The call blocks.
  func send(
    _ method: String, _ path: String, _ body: JSON?
  ) throws(AdminError) -> FetchReply {
    var headers = ["Accept: application/json"]
    if body != nil { headers.append("Content-Type: application/json") }
    let isChange = method != "GET"
    return try reach(path, headers, isChange) { (url, socket, headers) throws(FetchError) in
      try Fetch.request(
        url: url, unixSocket: socket, caFile: caFile, method: method, headers: headers,
        body: body?.bytes, timeout: timeout)
    }
  }

  /// Reads a body as it arrives, until it ends or `onData` returns false. The call blocks.
  func stream(
    _ path: String, _ headers: [String], onData: (Span<UInt8>) -> Bool
  ) throws(AdminError) {
    var refusal: [UInt8] = []
    // The closure is used during this call only.
    let reply = try withoutActuallyEscaping(onData) { (onData) throws(AdminError) in
      try reach(path, headers, false) { (url, socket, headers) throws(FetchError) in
        var isGood = false
        return try Fetch.stream(
          url: url, unixSocket: socket, caFile: caFile, headers: headers, timeout: timeout,
          onHead: {
            isGood = $0.status == 200
            return true
          },
          onData: { piece in
            if isGood { return onData(piece) }
            refusal += piece.withUnsafeBufferPointer { Array($0) }
            return refusal.count < 64 * 1024
          })
      }
    }
    guard reply.status == 200 else {
      throw AdminError(status: reply.status, body: JSON.parse(refusal))
    }
  }

  /// Finds the way to the relay. `ask` gets the URL, the socket to use instead of the URL's host, and the header lines.
  private func reach<Reply>(
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
        let advice =
          error.kind == .untrusted
          ? "; if it is the right one, name it with --server-ca-file FILE (LONGWAVE_CA_FILE)" : ""
        throw AdminError("cannot reach \(base): \(error)\(advice)")
      }
    case .data(let folder): return try reachSocket(path, headers, isChange, folder, ask)
    }
  }

  /// Makes the error for a missing answer; whether the request was carried out is unknown.
  private func late(_ place: String, _ isChange: Bool) -> AdminError {
    AdminError(
      "\(place) did not answer within \(HumanText.duration(timeout))"
        + (isChange ? ", and may still do what it was asked to" : "")
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
    let absent = AdminError(
      "no longwave runs on \(folder); start one (longwave serve), or say where it is "
        + "(--data or --server)")
    if let code = Self.refusal(of: socket) {
      guard code == EACCES else { throw absent }
      throw AdminError(
        "the longwave on \(folder), if it runs, runs as another user: \(DiskAdvice.owned(socket)); "
          + "ask as that user (sudo -u)")
    }
    do {
      // A socket's path may have 107 bytes, so a longer one is reached through its folder.
      return try UnixPath.withShortPath(socket) { short throws(SystemError) in
        Result { () throws(FetchError) in try ask("http://localhost" + path, short, headers) }
      }.get()
    } catch let error as FetchError {
      if error.kind == .timedOut { throw late("the longwave on \(folder)", isChange) }
      throw AdminError("\(absent) (\(error))")
    } catch {
      throw AdminError("\(error)")
    }
  }
}

extension AdminClient {
  /// Returns a path of the API with its parts escaped for a URL.
  public static func path(_ parts: String...) -> String {
    "/api/v1/" + parts.map { URLText.percentEncoded($0) }.joined(separator: "/")
  }
}

extension AdminClient {
  /// Returns a text escaped for any part of a URL.
  public static func escaped(_ text: String) -> String { URLText.percentEncoded(text) }
}
