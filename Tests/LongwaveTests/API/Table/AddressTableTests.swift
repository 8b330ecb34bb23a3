import TestSupport
import Testing

@testable import Longwave
@testable import LongwaveAPI

@Suite struct AddressTableTests {
  /// `GET /metrics` of each operation.
  private static let operations = Set(Operation.all.map { "\($0.method) \($0.path.text)" })

  /// Those of the manual's tables: a row may name several, each in backquotes, with several methods of one path.
  private static func written() throws -> Set<String> {
    var found: Set<String> = []
    for line in try pages().split(separator: "\n") where line.hasPrefix("| ") {
      let address = line.dropFirst(2).prefix { $0 != "|" }
      for match in address.matches(of: /`([A-Z]+(?:, [A-Z]+)*) (\/[^`]*)`/) {
        found.formUnion(match.1.split(separator: ", ").map { "\($0) \(match.2)" })
      }
    }
    return found
  }

  /// The manual's pages that have addresses and their parameters.
  private static func pages() throws -> String {
    try ["listening", "addresses"].map { try Repository.text("Sources/Manual/\($0).md") }.joined()
  }

  @Test func `the manual has every address, and no other`() throws {
    let written = try Self.written()
    #expect(Self.operations.subtracting(written).sorted() == [], "not in the manual")
    #expect(written.subtracting(Self.operations).sorted() == [], "only in the manual")
  }

  @Test func `the manual names every parameter of an address`() throws {
    let pages = try Self.pages()
    // What a range is, HTTP says.
    let names = Set(Operation.all.flatMap { $0.parameters.map(\.name) }).subtracting(["Range"])
    #expect(names.filter { !pages.contains("`\($0)") }.sorted() == [])
  }

  @Test func `the manual says where a token is needed`() throws {
    let rows = try Self.pages().split(separator: "\n").filter { $0.hasPrefix("| `") }
    for operation in Operation.all where operation.terms.audience.needsPassword {
      let address = " \(operation.path.text)`"
      let row = rows.first { $0.contains(address) && $0.contains(operation.method) }
      #expect(row?.contains("*token*") == true, "\(operation.method) \(operation.path.text)")
    }
  }
}
