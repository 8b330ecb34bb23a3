import Longwave
import TestSupport
import Testing

/// A process that may have few files open.
@Suite struct FewFilesScenarioTests {
  private func serve(_ limit: Int, _ command: String = "serve") async throws -> ChildProcess.Result
  {
    let folder = TemporaryDirectory()
    return try await ChildProcess.run(
      [
        "sh", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", Binary.longwave, command,
        "--data", folder.path, "--listen", "127.0.0.1:0",
      ], within: 60)
  }

  @Test(arguments: [10, 16, 20, 24, 28, 32, 40, 48])
  func `too few are told with both numbers and what to do`(limit: Int) async throws {
    for command in ["serve", "demo"] {
      let ended = try await serve(limit, command)
      let said = try #require(ended.complaint, "\(ended.status) \(ended.log)")
      #expect(ended.status == 1 && said.contains("may have \(limit) files open, and needs "))
      #expect(said.contains("ulimit -Hn"))
    }
  }
}
