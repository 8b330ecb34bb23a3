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

  @Test func `the link leads to the dashboard, with the token behind the number sign`() async throws
  {
    let token = "a/token+with&%in#it"
    try await withServer("admin:\n  token: \"\(token)\"\n") { server, data in
      let here = "http://\(server.address)"
      let told = try await LongwaveProcess.command(["dashboard"], data: data.path)
      let fragment = "/admin/#token=a%2Ftoken%2Bwith%26%25in%23it\n"
      #expect(told.status == 0 && told.output == here + fragment, "\(told.log)")
      // Into a pipe it is the link and nothing else.
      #expect(told.log.isEmpty)
      #expect(try await HTTPExchange("GET", "/admin/", at: server.address).status == 200)
      data.write("token", Array(token.utf8))
      let elsewhere = try await LongwaveProcess.command(
        ["dashboard", "--server", here + "/", "--token-file", data.path + "/token"])
      #expect(elsewhere.output == told.output, "\(elsewhere.log)")
      let wrong = try await LongwaveProcess.command(
        ["dashboard", "--server", here, "--token", "another-token"])
      #expect(wrong.status == 1 && wrong.output.isEmpty)
    }
  }

  @Test(arguments: [
    ("server:\n  max-listeners: 5\n", "admin: {token: …}"),
    ("admin:\n  token: scenario-token\nweb:\n  admin: false\n", "web:"),
  ])
  func `without a token or a dashboard it says what is missing`(
    yaml: String, missing: String
  ) async throws {
    try await withServer(yaml) { _, data in
      let told = try await LongwaveProcess.command(["dashboard"], data: data.path)
      #expect(told.status == 1 && told.output.isEmpty)
      #expect(told.complaint?.contains(missing) == true, "\(told.log)")
    }
  }
}
