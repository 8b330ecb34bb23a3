import Reactor
import Wire

// Waiting without blocking a thread, and whole answers.
extension StreamClient {
  /// Reads until `condition` holds.
  public func until(
    _ what: String = "an answer", within seconds: Double = 60,
    _ condition: (StreamClient) throws -> Bool
  ) async throws {
    try await eventually("\(what); so far \(received.count) bytes", within: seconds) {
      drain()
      if try condition(self) { return true }
      guard !isEnded else {
        let start = String(decoding: received.prefix(600), as: UTF8.self)
        throw TimeIsUp(description: "closed while waiting for \(what): \(start)")
      }
      return false
    }
  }

  /// Asks, and returns when the server has closed.
  public static func fetch(
    _ path: String, _ fields: String = "", method: String = "GET", from address: SocketAddress
  ) async throws -> StreamClient {
    let client = try StreamClient(
      to: address,
      sending: "\(method) \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
    try await client.until { $0.isEnded }
    return client
  }

  /// The answer's head, once it is here.
  public func answer(within seconds: Double = 60) async throws -> Head {
    try await until("a head", within: seconds) { $0.hasHead }
    return try head()
  }

  private var hasHead: Bool {
    received.indices.dropLast(3).contains { received[$0...].starts(with: [13, 10, 13, 10]) }
  }

  /// The body's numbered packets so far; a packet that is still coming does not count.
  public func numbers() throws -> [UInt64] {
    drain()
    return try NumberedFrames.numbers(in: body, mayEndInFrame: true)
  }
}

/// One request and its whole answer.
public struct HTTPExchange: Sendable {
  public var head: StreamClient.Head
  public var body: [UInt8]
  public var status: Int { head.status }
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Asks and reads until the server closes.
  public init(
    _ method: String = "GET", _ path: String, at address: SocketAddress, fields: [String] = [],
    body: String = "", within seconds: Double = 60
  ) async throws {
    // What the API wants of whoever sends it something.
    let isJSON =
      path.hasPrefix("/api/") && !body.isEmpty && !fields.contains { $0.hasPrefix("Content-Type:") }
    let lines =
      ["\(method) \(path) HTTP/1.1", "Host: relay.test", "Connection: close"] + fields
      + (isJSON ? ["Content-Type: application/json"] : [])
      + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
    let client = try StreamClient(
      to: address, sending: lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    head = try await client.answer(within: seconds)
    try await eventually("the end of the answer to \(path)", within: seconds) {
      client.drain()
      return client.isEnded
    }
    self.body = client.body
  }
}

/// A reader of `/events`.
public final class EventClient {
  public struct Event: Sendable {
    /// 0 where it has none.
    public var id: UInt64
    public var kind: String
    /// One line of JSON.
    public var data: String
  }

  private let client: StreamClient

  public init(at address: SocketAddress, _ query: String = "", after: UInt64? = nil) throws {
    let last = after.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    client = try StreamClient(
      to: address, sending: "GET /events\(query) HTTP/1.1\r\nHost: relay.test\r\n\(last)\r\n")
  }

  public func answer() async throws -> StreamClient.Head { try await client.answer() }

  /// Everything told so far.
  public var events: [Event] {
    client.drain()
    var text = String(decoding: client.body, as: UTF8.self)[...]
    var events: [Event] = []
    while let end = text.firstRange(of: "\n\n") {
      if let event = Self.event(text[..<end.lowerBound]) { events.append(event) }
      text = text[end.upperBound...]
    }
    return events
  }

  /// Waits for an event.
  @discardableResult
  public func first(
    _ what: String, within seconds: Double = 60, where matches: (Event) -> Bool
  ) async throws -> Event {
    do {
      return try await eventually("the event \(what)", within: seconds) {
        events.first(where: matches)
      }
    } catch let late as TimeIsUp {
      let told = events.map { "\($0.kind) \($0.data)" }.joined(separator: "\n")
      throw TimeIsUp(description: late.description + ", told:\n" + told)
    }
  }

  /// nil for a comment.
  private static func event(_ text: Substring) -> Event? {
    var fields: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      guard let colon = line.firstRange(of: ": "), colon.lowerBound > line.startIndex else {
        continue
      }
      fields[line[..<colon.lowerBound]] = String(line[colon.upperBound...])
    }
    guard let kind = fields["event"], let data = fields["data"] else { return nil }
    return Event(id: fields["id"].flatMap(UInt64.init) ?? 0, kind: kind, data: data)
  }
}
