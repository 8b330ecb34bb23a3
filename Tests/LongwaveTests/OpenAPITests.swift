import Testing

@testable import Longwave

@Suite struct OpenAPITests {
  private func members(_ json: JSON?) -> [JSON.Member] {
    if case .object(let members)? = json { members } else { [] }
  }

  @Test func `each operation of the table is described once, and nothing else`() {
    let described = members(OpenAPI.document["paths"]).flatMap { path in
      members(path.value).map { "\($0.key.uppercased()) \(path.key)" }
    }
    let table = Operation.all.map { "\($0.method) \($0.path.text)" }
    #expect(described.sorted() == table.sorted())
    #expect(Set(table).count == table.count)
    #expect(Set(Operation.all.map(\.name)).count == table.count)
  }

  private static let values = [
    "station": "jazz", "listener": "7", "ban": "7", "recording": "7", "token": "a-token-of-mine",
  ]

  private func examplePath(of operation: Operation) -> String {
    Self.values.reduce(operation.path.text) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  @Test func `each operation of the table is where the router goes`() throws {
    for operation in Operation.all {
      guard let route = operation.route else { continue }
      let path = examplePath(of: operation)
      let match = try Route.match(method: operation.method, path: path)
      let parts = try operation.path.names.map { try #require(Self.values[$0]) }
      #expect(match.route == route(parts), "\(path)")
      #expect(match.audience == operation.audience)
    }
  }

  @Test(arguments: [
    ("POST", "/api/v1/stations", 64 << 10), ("PATCH", "/api/v1/stations/jazz", 64 << 10),
    ("PUT", "/api/v1/stations/jazz/metadata", 64 << 10),
    ("POST", "/api/v1/sessions/a-token-of-mine", 1024),
    ("POST", "/admin/metadata", 16 << 10), ("POST", "/admin.cgi", 16 << 10),
    ("POST", "/stats", 16 << 10), ("GET", "/api/v1/stations", 1024), ("POST", "/nothing", 1024),
    ("DELETE", "/api/v1/stations/jazz", 1024), ("POST", "/api/v1/config/reload", 1024),
    ("POST", "/jazz", 1024),
    ("POST", "/api/v1/stations" + String(repeating: "/x", count: 4000), 1024),
  ])
  func `what may be sent is as long as the table says`(method: String, path: String, bytes: Int) {
    #expect(Operation.bodyBytesMax(method: method, path: path) == bytes)
  }

  @Test func `every shape that is named is there, and every shape is named`() {
    var named: Set<String> = []
    func collect(_ json: JSON) {
      switch json {
      case .object(let members):
        for member in members {
          if member.key == "$ref", case .string(let name) = member.value { named.insert(name) }
          collect(member.value)
        }
      case .array(let items): for item in items { collect(item) }
      default: break
      }
    }
    collect(OpenAPI.document)
    let components = members(OpenAPI.document["components"]).flatMap { part in
      members(part.value).map { "#/components/\(part.key)/\($0.key)" }
    }
    let shapes = components.filter { !$0.contains("securitySchemes") }
    // The stream of events has no schema of its own in OpenAPI: its text says that each is an Event.
    #expect(named.union(["#/components/schemas/Event"]) == Set(shapes))
  }

  @Test func `a station's body has the keys of the configuration, and each is taken`() throws {
    let schemas = OpenAPI.document["components"]?["schemas"]
    let described = members(schemas?["StationPatch"]?["properties"]).map(\.key)
    #expect(described.sorted() == ConfigurationKeys.station.map(SettingKey.json).sorted())
    let own = StationDefinition(id: "jazz", upstream: ["http://x/"])
    for key in described where key != "id" && key != "upstream" {
      let patch = JSON.object([.init(key: key, value: nil)])
      #expect(try StationBody.patched(own, with: patch).id == "jazz", "\(key)")
    }
  }

  @Test func `whoever asks for a head changes nothing`() throws {
    for operation in Operation.all where operation.method == "GET" && operation.route != nil {
      let path = examplePath(of: operation)
      let (route, _) = try Route.match(method: "GET", path: path)
      let isTaken = (try? Route.match(method: "HEAD", path: path)) != nil
      #expect(isTaken != route.hasEffect, "\(path)")
    }
    #expect(throws: APIError.self) { try Route.match(method: "HEAD", path: "/admin/killsource") }
  }
}
