import Server
import Testing

@testable import Longwave

@Suite struct ReloadPlanTests {
  private static func station(_ id: String, _ source: StationSource) -> RelayStation {
    RelayStation(
      definition: StationDefinition(id: id, source: source), origin: .start,
      counters: MountCounters(total: 0), sid: 1, isStopped: false)
  }

  private static func wanted(_ id: String, _ source: StationSource) -> StationLoader.Wanted {
    (StationDefinition(id: id, source: source), .start)
  }

  private static func ids(_ stations: [StationLoader.Wanted]) -> [String] {
    stations.map(\.definition.id)
  }

  @Test func `a reload opens new stations and removes those that are gone`() {
    let plan = ReloadPlan(
      [Self.wanted("new", .upstream(["http://a"])), Self.wanted("old", .upstream(["http://b"]))],
      for: [
        Self.station("gone", .upstream(["http://c"])), Self.station("old", .upstream(["http://b"])),
      ])
    #expect(Self.ids(plan.opened) == ["new"])
    #expect(Self.ids(plan.staying) == ["old"])
    #expect(plan.removed == ["gone"])
    #expect(plan.replaced.isEmpty)
    #expect(plan.order == ["new", "old"])
  }

  @Test func `a new upstream keeps the station's log, a new kind of station does not`() {
    let plan = ReloadPlan(
      [
        Self.wanted("moved", .upstream(["http://b"])),
        Self.wanted("later", .copy(of: "moved", delay: 60)),
      ],
      for: [
        Self.station("moved", .upstream(["http://a"])),
        Self.station("later", .upstream(["http://c"])),
      ])
    #expect(Self.ids(plan.staying) == ["moved"])
    #expect(Self.ids(plan.opened) == ["later"])
    #expect(plan.replaced == ["later"])
    #expect(plan.removed.isEmpty)
  }
}
