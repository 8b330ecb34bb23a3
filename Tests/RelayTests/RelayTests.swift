import Glibc
import LongwaveAPI
import Logging
import Reactor
import TestSupport
import Testing
import Timeshift

@testable import Longwave

/// Scenarios against the whole relay, over loopback.
///
/// The relay under test runs on Swift's pool, whose threads are few: what takes one long is done by `offPool`.
enum Scenario {
  static let token = "scenario-token"

  static var isLong: Bool { environment("LONGWAVE_LONG") != nil }

  /// A relay in this process, on a port of the system's choice, with data of its own; stopped whatever happens.
  static func withRelay(
    _ stations: [StationDefinition], data: TemporaryDirectory = TemporaryDirectory(),
    guessClock: ManualClock? = nil, change: (inout Configuration) -> Void = { _ in },
    _ body: (TestRelay) async throws -> Void
  ) async throws {
    var configuration = Configuration()
    configuration.admin.token = token
    configuration.stations = stations
    change(&configuration)
    try await withRelay(configuration, data: data, guessClock: guessClock, body)
  }

  /// - Parameter guessClock: that of the limits on wrong guesses; nil for the system's.
  static func withRelay(
    _ configuration: Configuration, data: TemporaryDirectory, guessClock: ManualClock? = nil,
    _ body: (TestRelay) async throws -> Void
  ) async throws {
    var options = RelayOptions(
      data: data.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = LineLogHandler.logger(level: .critical)
    if let guessClock { options.guessClock = { guessClock.now.monotonic.nanoseconds } }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    do {
      let test = TestRelay(relay: relay, address: try #require(await relay.addresses.first))
      try await body(test)
    } catch {
      await relay.stop()
      throw error
    }
    await relay.stop()
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

/// A running relay and its address.
struct TestRelay {
  let relay: Relay
  let address: SocketAddress

  func get(_ path: String, fields: [String] = []) async throws -> HTTPExchange {
    try await HTTPExchange("GET", path, at: address, fields: fields)
  }

  func station(_ id: String) async throws -> JSON {
    try await RelayAPI(address: address).station(id)
  }

  /// Waits until eight listeners in a row are told a name, and returns the last. Each loop learns by itself what an
  /// upstream says of itself, a little after its audio and after the API.
  @discardableResult
  func listener(of id: String, called name: String) async throws -> StreamClient {
    try await eventually("\(id) is called \(name)") {
      var last: StreamClient?
      for _ in 0..<8 {
        let client = try StreamClient(to: address, get: "/\(id)")
        guard try await client.answer()["icy-name"] == name else { return nil }
        last = client
      }
      return last
    }
  }

  /// Waits until a station is in a state.
  func until(_ id: String, is state: String, within seconds: Double = 60) async throws {
    try await RelayAPI(address: address).until(id, is: state, within: seconds)
  }

  /// Waits until a station has so much.
  func until(_ id: String, has seconds: Double, within limit: Double = 60) async throws {
    try await eventually("\(seconds) s of \(id)", within: limit) {
      try await station(id)["window"]?["seconds"]?.double ?? 0 >= seconds
    }
  }

  /// Media seconds of a station's live edge, as it was not long ago.
  func edge(of id: String) async throws -> Double {
    let answer = try await get("/api/v1/stations/\(id)/timeline")
    return try #require(
      JSON.parse(answer.body)?["live"]?["media"]?.double, "\(answer.text)")
  }

  /// The next that is told of: behind it is all that was on air before the call.
  func nextEdge(of id: String) async throws -> Double {
    let known = try await edge(of: id)
    return try await eventually("a later edge of \(id)") {
      let edge = try await edge(of: id)
      return edge > known ? edge : nil
    }
  }

  func events(_ query: String = "") throws -> EventClient {
    try EventClient(at: address, query, after: 0)
  }
}

/// A relay as its API shows it, wherever it runs.
struct RelayAPI {
  let address: SocketAddress

  func json(_ path: String) async throws -> JSON {
    let answer = try await HTTPExchange(
      "GET", path, at: address, fields: ["Authorization: Bearer \(Scenario.token)"])
    guard answer.status == 200, let json = JSON.parse(answer.body) else {
      throw TimeIsUp(description: "\(path): \(answer.head.statusLine): \(answer.text)")
    }
    return json
  }

  func station(_ id: String) async throws -> JSON { try await json("/api/v1/stations/\(id)") }

  func until(_ id: String, is state: String, within seconds: Double = 60) async throws {
    try await eventually("the state \(state) of \(id)", within: seconds) {
      // A station that a page adds may not be there yet.
      let stations = try await json("/api/v1/stations")["stations"]?.items ?? []
      return stations.first { $0["id"]?.string == id }?["state"]?.string == state
    }
  }

  /// The titles played, by position.
  func history(_ id: String) async throws -> [UInt64: String] {
    let items = try await json("/api/v1/stations/\(id)/history?limit=1000")["history"]?.items ?? []
    var titles: [UInt64: String] = [:]
    for item in items {
      titles[UInt64(item["position"]?.integer ?? -1)] = item["title"]?.string ?? "?"
    }
    return titles
  }
}

extension JSON {
  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var integer: Int? {
    if case .integer(let number) = self { Int(number) } else { nil }
  }

  var items: [JSON] {
    if case .array(let items) = self { items } else { [] }
  }

  var keys: Set<String> {
    if case .object(let members) = self { Set(members.map(\.key)) } else { [] }
  }

  var isNull: Bool { self == .null }
}

extension EventClient.Event {
  var json: JSON { JSON.parse(Array(data.utf8)) ?? .null }
}
