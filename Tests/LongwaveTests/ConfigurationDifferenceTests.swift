import Testing

@testable import Longwave

@Suite struct ConfigurationDifferenceTests {
  @Test func `another group of the socket waits for the next start`() {
    let old = Configuration()
    var new = old
    new.admin.socketGroup = "radio"
    #expect(old.sections(differingIn: new).isEmpty)
    #expect(old.keysForNextStart(new) == ["admin.socket-group"])
    new.admin.token = "another-token"
    #expect(old.sections(differingIn: new) == ["admin"])
  }

  @Test func `the event of a reload has every list of its report`() {
    let report = ReloadReport(
      added: ["a"], changed: ["b"], removed: ["c"], leftOut: ["d"], settings: ["web"],
      needRestart: ["server.listen"])
    let told = report.event.json(identified: false)
    #expect(told["kind"] == "config-reloaded")
    #expect(ReloadReport(told) == report)
  }
}
