import Foundation
import Longwave
import TestSupport
import Testing

/// `longwave dashboard` against a server.
@Suite struct DashboardCommandTests {
  private func withServer(
    _ yaml: String, _ body: (LongwaveProcess, TemporaryDirectory) async throws -> Void
  ) async throws {
    let data = TemporaryDirectory()
    data.write("longwave.yml", Array(yaml.utf8))
    let server = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path)
    try await body(server, data)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  /// Returns what a relay answers a page that has opened a link.
  private func exchange(_ link: String, at server: LongwaveProcess) async throws -> (Int, JSON?) {
    let code = link.firstRange(of: "#code=").map { link[$0.upperBound...] } ?? ""
    let answer = try await HTTPExchange(
      "POST", "/api/v1/dashboard/token", at: server.address,
      body: "{\"code\":\"\(code.prefix { $0 != "\n" })\"}")
    return (answer.status, JSON.parse(answer.body))
  }

  @Test func `the dashboard's link signs in once, and does not have the token in it`()
    async throws
  {
    let token = "a/token+with&%in#it"
    try await withServer("admin:\n  token: \"\(token)\"\n") { server, data in
      let here = "http://\(server.address)"
      let told = try await LongwaveProcess.command(["dashboard"], data: data.path)
      #expect(told.status == 0 && told.output.hasPrefix(here + "/admin/#code="), "\(told.log)")
      #expect(!told.output.contains("token"))
      // Into a pipe it is the link and nothing else.
      #expect(told.log.isEmpty && told.output.split(separator: "\n").count == 1)
      let (status, answer) = try await exchange(told.output, at: server)
      #expect(status == 200 && answer?["token"]?.string == token)
      let (again, refusal) = try await exchange(told.output, at: server)
      #expect(again == 403 && refusal?["error"]?["code"]?.string == "code-over")
      #expect(try await exchange(here + "/admin/#code=", at: server).0 == 403)
      #expect(try await HTTPExchange("GET", "/admin/", at: server.address).status == 200)
      data.write("token", Array(token.utf8))
      let elsewhere = try await LongwaveProcess.command(
        ["dashboard", "--server", here + "/", "--token-file", data.path + "/token"])
      #expect(elsewhere.output.hasPrefix(here + "/admin/#code="), "\(elsewhere.log)")
      #expect(elsewhere.output != told.output)
      #expect(try await exchange(elsewhere.output, at: server).0 == 200)
      let wrong = try await LongwaveProcess.command(
        ["dashboard", "--server", here, "--token", "another-token"])
      #expect(wrong.status == 1 && wrong.output.isEmpty)
    }
  }

  @Test(arguments: [
    ("server:\n  max-listeners: 5\n", "admin: {token: …}"),
    ("admin:\n  token: scenario-token\nweb:\n  admin: false\n", "web:"),
  ])
  func `the command dashboard without a token or a dashboard says what is missing`(
    yaml: String, missing: String
  ) async throws {
    try await withServer(yaml) { _, data in
      let told = try await LongwaveProcess.command(["dashboard"], data: data.path)
      #expect(told.status == 1 && told.output.isEmpty)
      #expect(told.complaint?.contains(missing) == true, "\(told.log)")
    }
  }
}
