import TestSupport
import Testing

@testable import Longwave
@testable import LongwaveAPI

@Suite struct MetricRowTests {
  private struct Part: Sendable {
    var name: String
    var count: Int?
  }

  private func text<Source>(_ figure: Figure<Source>, _ source: Source) -> String {
    var text = ""
    figure.write(source, FigureLabels(), &text)
    return text
  }

  @Test func `a figure has a line for each source and word, and its labels from the outside in`() {
    let parts = [Part(name: "a", count: 1), Part(name: "b"), Part(name: "c\"", count: 3)]
    let one = Figure<Part>("x", "X.", \.count)
    #expect(text(one, parts[0]) == "x 1\n" && text(one, parts[1]) == "")
    let each = one.by("part", \.name).each { (all: [Part]) in all }
    #expect(each.family.labels == ["part"])
    #expect(text(each, parts) == "x{part=\"a\"} 1\nx{part=\"c\\\"\"} 3\n")
    let split = Figure<Part>("x", "X.", by: "is") {
      [("known", $0.count != nil), ("named", !$0.name.isEmpty)]
    }.by("part", \.name).of { (all: [Part]) in all[1] }
    #expect(split.family.labels == ["part", "is"])
    #expect(text(split, parts) == "x{part=\"b\",is=\"known\"} 0\nx{part=\"b\",is=\"named\"} 1\n")
  }

  @Test func `the page of metrics has each figure as it is told, and no other`() throws {
    let rows = try MetricTable.rows
    let told = MetricTable(
      of: MetricsText(Sample.stations, Sample.metrics, rows: ["GET /{station}"]).text)
    let families = Figures.all.map(\.family)
    #expect(families.map(\.name).sorted() == rows.map(\.name).sorted())
    for family in families {
      let row = rows.first { $0.name == family.name }
      #expect(row?.type == family.type && row?.help == family.help, "\(family.name)")
      #expect(row?.labels == Set(family.labels), "\(family.name)")
      #expect(told.labels[family.name] == Set(family.labels), "\(family.name) has no sample")
    }
  }

  /// Figures of each station, or of each loop, add up to them.
  private static let sums: Set = [
    ["listeners", "now"], ["listeners", "peak"], ["listeners", "total"], ["loops"],
  ]

  @Test func `a number among the relay's figures is a metric, too`() {
    let text = MetricsText(Sample.stations, Sample.metrics, rows: []).text
    func look(_ value: JSON, _ path: [String]) {
      switch value {
      case .object(let members): for member in members { look(member.value, path + [member.key]) }
      case .array(let items): for item in items { look(item, path) }
      case .integer, .number:
        if Self.sums.contains(path) { break }
        #expect(text.contains(" \(value.text)\n"), "\(path.joined(separator: "."))")
      default: break
      }
    }
    look(Sample.metrics.figures.json, [])
  }
}
