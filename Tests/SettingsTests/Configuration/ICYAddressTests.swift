import Testing

@testable import Settings

@Suite struct ICYAddressTests {
  @Test(arguments: [
    "icy://h.example:8000/live", "ICY://h.example:8000/live", "icyx://h.example:8000/live",
  ])
  func `an address that players write as icy is read as http`(_ url: String) throws {
    let wanted = ["http://h.example:8000/live"]
    #expect(try StationBody.station(["id": "a", "upstream": .string(url)]).upstream == wanted)
    #expect(try Configuration.relaying(url).stations.map(\.upstream) == [wanted])
  }

  @Test func `an address of icy without a host is refused`() {
    #expect(throws: RelayError.self) {
      try StationBody.station(["id": "a", "upstream": "icy://"])
    }
  }
}
