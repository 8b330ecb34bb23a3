import Testing

@testable import Longwave
@testable import LongwaveAPI
@testable import LongwaveAdmin
@testable import Settings

@Suite struct OpenAPITests {
  private func members(_ json: JSON?) -> [JSON.Member] {
    if case .object(let members)? = json { members } else { [] }
  }

  @Test func `every operation of the table is described once, and nothing else`() {
    let described = members(OpenAPI.document["paths"]).flatMap { path in
      members(path.value).map { "\($0.key.uppercased()) \(path.key)" }
    }
    let table = Operation.all.map { "\($0.method) \($0.path.text)" }
    #expect(described.sorted() == table.sorted())
    #expect(Set(table).count == table.count)
    #expect(Set(Operation.all.map(\.name)).count == table.count)
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
    // The stream of events has no schema of its own in OpenAPI: its text says what they are.
    let told = ["Event", "Missed"].map { "#/components/schemas/\($0)" }
    #expect(named.union(told) == Set(shapes))
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
}
