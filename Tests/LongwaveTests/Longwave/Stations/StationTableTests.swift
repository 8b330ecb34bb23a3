import Server
import Testing
import Wire

@testable import Ingest
@testable import Longwave
@testable import Settings

@Suite struct StationTableTests {
  private func station(_ definition: StationDefinition) -> RelayStation {
    RelayStation(
      definition: definition, origin: .start, counters: MountCounters(total: 0), sid: 1,
      isStopped: false)
  }

  private let jazz = {
    var jazz = StationDefinition(id: "jazz", name: "Jazz", upstream: ["http://h/"])
    (jazz.genre, jazz.description) = ("Bebop", "All night")
    (jazz.homepage, jazz.artwork) = ("http://j/", "http://j/logo.png")
    return jazz
  }()
  private let west = StationDefinition(id: "west", source: .copy(of: "jazz", delay: 3600))
  private let small = {
    var small = StationDefinition(id: "small", source: .rendition(of: "jazz"))
    small.encode = try? PCMEncoding(bitrate: 64)
    return small
  }()

  @Test func `a copy and a rendition are called as their original, whatever its upstream says`()
    throws
  {
    let table = StationTable(Configuration())
    table.append([small, west, jazz].map(station))
    var headers = UpstreamHeaders([]) { String(decoding: $0, as: UTF8.self) }
    (headers.name, headers.genre, headers.description) = ("Upstream", "Talk", "Of the upstream")
    headers.url = "http://upstream/"
    for id in table.order { table.set(\.headers, of: id, to: headers) }
    for (id, name) in [("west", "Jazz"), ("small", "Jazz (64 kbit/s)")] {
      let shown = try #require(table[id]).snapshot(nil)
      #expect(shown.name == name && shown.genre == "Bebop" && shown.description == "All night")
      #expect(shown.homepage == "http://j/" && shown.artwork == "http://j/logo.png")
      let mount = try #require(table[id]).mount(ListenerSettings())
      #expect(mount.description.name == name && mount.description.genre == "Bebop")
      #expect(mount.description.text == "All night" && mount.description.homepage == "http://j/")
      #expect(mount.description.further.contains { $0.value == "http://j/logo.png" })
    }
  }

  @Test func `a rendition is not listed where its original is not, a copy decides for itself`()
    throws
  {
    let unlisted = UnlistedStations()
    let table = StationTable(Configuration(), unlisted: unlisted)
    table.append([small, west, jazz].map(station))
    #expect(try ["jazz", "small", "west"].allSatisfy { try table.station($0).isListed })
    var hidden = jazz
    hidden.isListed = false
    table.set(\.definition, of: "jazz", to: hidden)
    #expect(["jazz", "small"].allSatisfy(unlisted.contains) && !unlisted.contains("west"))
    let shown = try table.station("small").snapshot(nil)
    let original = try table.station("jazz").snapshot(nil)
    #expect(!shown.isListed && !original.isListed)
    table.set(\.definition, of: "jazz", to: jazz)
    #expect(!["jazz", "small", "west"].contains(where: unlisted.contains))
  }

  @Test func `what encoders bring is off air while it connects`() throws {
    let table = StationTable(Configuration())
    let push = StationDefinition(id: "studio", upstream: [PushSource.url])
    let both = StationDefinition(id: "both", upstream: ["http://h/", PushSource.url])
    table.append([push, both, jazz].map(station))
    #expect(try table.station("studio").snapshot(nil).isPushed)
    #expect(try !table.station("both").snapshot(nil).isPushed)
  }

  @Test func `a copy's own fields go before its original's, which may change`() throws {
    let table = StationTable(Configuration())
    var named = west
    named.name = "The West"
    table.append([station(jazz)])
    table.append([station(named)])
    #expect(table["west"]?.name == "The West" && table.copies(of: "jazz") == ["west"])
    var rock = jazz
    (rock.name, rock.genre) = ("Rock", nil)
    table.set(\.definition, of: "jazz", to: rock)
    table.set(\.definition, of: "west", to: west)
    #expect(table["west"]?.name == "Rock")
    #expect(table["west"]?.snapshot(nil).genre == nil)
    table.set(\.definition, of: "west", to: StationDefinition(id: "west", upstream: ["http://w/"]))
    #expect(table["west"]?.name == "west" && table.copies(of: "jazz").isEmpty)
    table.set(\.definition, of: "west", to: small.named("west"))
    #expect(table.renditions(of: "jazz").map(\.name) == ["Rock (64 kbit/s)"])
  }
}

extension StationDefinition {
  fileprivate func named(_ id: String) -> StationDefinition {
    var other = self
    other.id = id
    return other
  }
}
