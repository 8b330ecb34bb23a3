import Glibc
import Longwave
import TestSupport
import Testing

/// Secrets that stand in no command line.
@Suite struct SecretScenarioTests {
  @Test func `a token and a password come from files, or from standard input`() async throws {
    let folder = TemporaryDirectory()
    folder.write("longwave.yml", Array("admin: {token: a-token-of-mine}\n".utf8))
    folder.write("token", Array("a-token-of-mine\nand a second line\n".utf8))
    folder.write("password", Array("a-good-secret\n".utf8))
    folder.write("empty", [])
    for name in ["token", "password", "empty"] { chmod(folder.path + "/" + name, 0o600) }
    let server = try await LongwaveProcess(
      ["serve", "--config", folder.path + "/longwave.yml"], data: folder.path + "/data")
    let url = "http://\(server.address)"
    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(arguments + ["--server", url])
    }
    let token = ["--token-file", folder.path + "/token"]
    let added = try await LongwaveProcess.command(
      ["station", "add", "live", "push:", "--source-password-file", folder.path + "/password"]
        + ["--server", url] + token)
    #expect(added.status == 0, "\(added.log)")
    let exported = try await LongwaveProcess.command(
      ["station", "export", "--server", url] + token)
    #expect(exported.output.contains("source-password: a-good-secret"))
    let both = try await longwave(
      "station", "export", "--token", "x", "--token-file", folder.path + "/token")
    #expect(both.status == 64)
    let none = try await longwave("station", "export", "--token-file", folder.path + "/none")
    #expect(none.status == 1 && none.complaint?.contains("cannot read") == true)
    let empty = try await longwave("station", "export", "--token-file", folder.path + "/empty")
    #expect(empty.status == 1 && empty.complaint?.contains("no secret") == true)
    withExtendedLifetime(server) {}
  }
}
