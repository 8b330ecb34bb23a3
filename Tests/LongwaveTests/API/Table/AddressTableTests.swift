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
    for line in try section().split(separator: "\n") where line.hasPrefix("| ") {
      let address = line.dropFirst(2).prefix { $0 != "|" }
      for match in address.matches(of: /`([A-Z]+(?:, [A-Z]+)*) (\/[^`]*)`/) {
        found.formUnion(match.1.split(separator: ", ").map { "\($0) \(match.2)" })
      }
    }
    return found
  }

  private static func section() throws -> Substring {
    let text = try Repository.text("Sources/MANUAL.md")
    let rest = text[try #require(text.firstRange(of: "\n## Addresses\n")).upperBound...]
    return rest[..<(rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex)]
  }

  @Test func `the manual has every address, and no other`() throws {
    let written = try Self.written()
    #expect(Self.operations.subtracting(written).sorted() == [], "not in the manual")
    #expect(written.subtracting(Self.operations).sorted() == [], "only in the manual")
  }

  @Test func `the manual names every parameter of an address`() throws {
    let section = try Self.section()
    // What a range is, HTTP says.
    let names = Set(Operation.all.flatMap { $0.parameters.map(\.name) }).subtracting(["Range"])
    #expect(names.filter { !section.contains("`\($0)") }.sorted() == [])
  }

  @Test func `the manual says where a token is needed`() throws {
    let rows = try Self.section().split(separator: "\n").filter { $0.hasPrefix("| `") }
    for operation in Operation.all where operation.terms.audience.needsPassword {
      let address = " \(operation.path.text)`"
      let row = rows.first { $0.contains(address) && $0.contains(operation.method) }
      #expect(row?.contains("*token*") == true, "\(operation.method) \(operation.path.text)")
    }
  }
}
