import Foundation
import Ingest
import Longwave
import Reactor
import Store
import Threads
import Wire

/// Sends requests to a running relay: over its Unix socket, or over TCP with a token.
///
/// The commands use this client, and any program that manages a relay can use it.
public struct AdminClient: Sendable {
  public typealias Place = RelayPlace

  public var place: Place
  /// A PEM file of the authorities that may sign a server's certificate, instead of the system's.
  public var caFile: String?
  /// Whether any certificate of a server is believed, which hides nothing from who is in between.
  public var isInsecure = false
  /// The seconds that an answer may take; for an answer that lasts longer, the seconds that its beginning may take.
  public var timeout = 30.0

  /// Whether nobody has said which relay is meant.
  private var isDefault = false

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
    isDefault = data == nil && environment["LONGWAVE_DATA"]?.isEmpty != false
    let named = caFile ?? environment["LONGWAVE_CA_FILE"] ?? ""
    self.caFile = named.isEmpty ? nil : named
  }

  private var way: RelayWay {
    RelayWay(place: place, timeout: timeout, isDefault: isDefault)
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
    let json = JSON.parse(reply.body)
    guard (200..<300).contains(reply.status) else {
      throw await explained(way.refusal(reply, json))
    }
    return json
  }

  /// Sends bytes that are no JSON, and returns the answer's body.
  func request(
    _ method: String, _ path: String, bytes: [UInt8], type: String
  ) async throws(AdminError) -> JSON? {
    JSON.parse(try await reply(method, path, bytes: bytes, type: type).body)
  }

  /// Returns the body of an answer that is no JSON.
  func body(of path: String) async throws(AdminError) -> [UInt8] {
    try await reply("GET", path, bytes: nil, type: nil).body
  }

  private func reply(
    _ method: String, _ path: String, bytes: [UInt8]?, type: String?
  ) async throws(AdminError) -> FetchReply {
    let reply = try await Blocking.run { () throws(AdminError) in
      try send(method, path, bytes: bytes, type: type)
    }
    guard (200..<300).contains(reply.status) else {
      throw await explained(way.refusal(reply, JSON.parse(reply.body)))
    }
    return reply
  }

  /// Sends a request, and waits for the answer. The call blocks.
  func send(
    _ method: String, _ path: String, _ body: JSON?
  ) throws(AdminError) -> FetchReply {
    try send(method, path, bytes: body?.bytes, type: body.map { _ in "application/json" })
  }

  private func send(
    _ method: String, _ path: String, bytes: [UInt8]?, type: String?
  ) throws(AdminError) -> FetchReply {
    var headers = ["Accept: application/json"]
    if let type { headers.append("Content-Type: \(type)") }
    let isChange = method != "GET"
    return try way.reach(path, headers, isChange) { (url, socket, headers) throws(FetchError) in
      try Fetch.request(
        url: url, unixSocket: socket, caFile: caFile, isInsecure: isInsecure, method: method,
        headers: headers, body: bytes, timeout: timeout)
    }
  }

  /// Reads a body as it arrives, until it ends or `onData` returns false. The call blocks.
  ///
  /// - Parameter onHead: Called with the length of a body that was announced.
  func stream(
    _ path: String, _ headers: [String], onHead: (Int?) -> Void = { _ in },
    onData: (Span<UInt8>) -> Bool
  ) throws(AdminError) {
    var refusal: [UInt8] = []
    // The closure is used during this call only.
    let reply = try withoutActuallyEscaping(onHead) { (onHead) throws(AdminError) in
      try withoutActuallyEscaping(onData) { (onData) throws(AdminError) in
        try way.reach(path, headers, false) { (url, socket, headers) throws(FetchError) in
          var isGood = false
          return try Fetch.stream(
            url: url, unixSocket: socket, caFile: caFile, isInsecure: isInsecure,
            headers: headers, timeout: timeout,
            onHead: {
              isGood = $0.status == 200
              if isGood { onHead($0["Content-Length"].flatMap { Int($0) }) }
              return true
            },
            onData: { piece in
              if isGood { return onData(piece) }
              refusal += piece.withUnsafeBufferPointer { Array($0) }
              return refusal.count < 64 * 1024
            })
        }
      }
    }
    guard reply.status == 200 else { throw way.refusal(reply, JSON.parse(refusal)) }
  }
}

extension AdminClient {
  /// Returns a path of the API with its parts escaped for a URL.
  public static func path(_ parts: String...) -> String {
    "/api/v1/" + parts.map { URLText.percentEncoded($0) }.joined(separator: "/")
  }
}

extension AdminClient {
  /// Returns a query with its question mark, of the fields that have a value; nothing without any.
  public static func query(_ fields: [(String, String?)]) -> String {
    let texts = fields.compactMap { name, value in value.map { "\(name)=\(escaped($0))" } }
    return texts.isEmpty ? "" : "?" + texts.joined(separator: "&")
  }

  /// Returns a text escaped for any part of a URL.
  public static func escaped(_ text: String) -> String { URLText.percentEncoded(text) }
}
