import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

@Suite struct StationListScenarioTests {
  private func longwave(
    _ arguments: [String], data: String? = nil
  ) async throws -> ChildProcess.Result {
    try await LongwaveProcess.command(arguments, data: data)
  }

  @Test func `stations are imported by command, exported, and the same on another relay`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let data = TemporaryDirectory()
    let list = """
      <opml version="1"><body><outline text="Jazz">
      <outline type="audio" text="Jazz één" URL="\(upstream.url("/live"))" image="http://p/i.png"/>
      <outline type="audio" text="Away" URL="http://127.0.0.1:1/x"/></outline>
      <outline type="audio" text="Old" URL="mms://127.0.0.1/x"/></body></opml>
      """
    data.write("stations.opml", Array(list.utf8))
    let file = data.path + "/stations.opml"
    let server = try await LongwaveProcess(["serve"], data: data.path)

    let dry = try await longwave(["station", "import", file, "--dry-run"], data: data.path)
    #expect(dry.status == 1 && dry.output.hasSuffix("(dry run: nothing was changed)\n"))
    let imported = try await longwave(["station", "import", file], data: data.path)
    #expect(imported.status == 1)
    #expect(
      imported.output
        == "added jazz-een (Jazz één)\nadded away (Away)\n2 added, 1 failed\n")
    #expect(imported.complaint?.hasPrefix("longwave: failed Old: \"mms://127.0.0.1/x\"") == true)
    try await server.api.untilPublic("jazz-een", is: "playing")
    let again = try await longwave(["station", "import", file, "--json"], data: data.path)
    #expect(
      again.json["entries"]?.items.map { $0["outcome"]?.string } == ["kept", "kept", "failed"])

    let yaml = data.path + "/out.yml"
    let exported = try await longwave(["station", "export", "-o", yaml], data: data.path)
    #expect(exported.status == 0 && exported.output.isEmpty)
    let text = try #require(
      String(data: FileManager.default.contents(atPath: yaml) ?? Data(), encoding: .utf8))
    #expect(text.contains("    artwork: http://p/i.png\n") && text.contains("    genre: Jazz\n"))

    // The other one is reached as from another machine.
    let other = TemporaryDirectory()
    other.write("longwave.yml", Array("admin:\n  token: \"a-good-token\"\n".utf8))
    let second = try await LongwaveProcess(
      ["serve", "--config", other.path + "/longwave.yml"], data: other.path)
    let remote = ["--server", "http://\(second.address)", "--token", "a-good-token"]
    let taken = try await longwave(["station", "import", yaml] + remote)
    #expect(taken.status == 0 && taken.output.hasSuffix("2 added\n"), "\(taken.log)")
    let back = try await longwave(["station", "export"] + remote)
    #expect(back.output == text)
    let locked = try await longwave(["station", "export", "--server", "http://\(second.address)"])
    #expect(locked.status == 1 && locked.output.isEmpty && locked.complaint != nil)
    withExtendedLifetime((server, second)) {}
  }

  @Test func `stations that a list cannot hold are told with why`() async throws {
    let data = TemporaryDirectory()
    let server = try await LongwaveProcess(["serve"], data: data.path)
    for arguments in [
      ["live", "push:", "--source-password", "a-good-secret"], ["shows", "--files", "/usr"],
      ["jazz", "http://127.0.0.1:1/x"], ["later", "--of", "jazz", "--delay", "1h"],
    ] {
      let added = try await longwave(["station", "add"] + arguments, data: data.path)
      #expect(added.status == 0, "\(added.log)")
    }
    let exported = try await longwave(["station", "export", "--format", "m3u"], data: data.path)
    #expect(exported.status == 0 && exported.output.contains("http://127.0.0.1:1/x"))
    #expect(
      exported.complaint
        == "longwave: left out, since they are pulled from no URL: live (push:), "
        + "shows (files:), later (of:)")
    withExtendedLifetime(server) {}
  }
}
