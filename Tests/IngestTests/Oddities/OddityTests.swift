import Glibc
import TestSupport
import Testing

/// Every row of `Sources/UPSTREAMS.md` against a local upstream that does it.
@Suite struct OddityTests {
  @Test(arguments: Oddity.sections.flatMap(\.rows))
  func `an odd upstream gets what the table says`(_ row: Oddity) async throws {
    try await row.run()
  }

  @Test func `the table in UPSTREAMS.md is these rows`() throws {
    let path = Repository.root + "/Sources/UPSTREAMS.md"
    let wanted = OddityTable.text
    if getenv("LONGWAVE_WRITE_DOCS") != nil { try write(wanted, to: path) }
    let found = String(decoding: try readFile(path), as: UTF8.self)
    let lines = found.split(separator: "\n", omittingEmptySubsequences: false)
    let same = zip(lines, wanted.split(separator: "\n", omittingEmptySubsequences: false))
      .prefix { $0 == $1 }.count
    if found != wanted {
      Issue.record("differs from line \(same + 1) on; run this test with LONGWAVE_WRITE_DOCS=1")
    }
  }

  @Test func `rows of oddities have ids of their own`() {
    let ids = Oddity.sections.flatMap(\.rows).map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(ids.count >= 60)
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    fputs(text, file)
    fclose(file)
  }
}
