import Foundation

/// The tables of the manual's page on metrics, and the same of what is told at `/metrics`.
public struct MetricTable {
  public struct Row {
    public var name: String
    public var type: String
    public var labels: Set<String>
    public var help: String
  }

  public static var rows: [Row] {
    get throws {
      try Repository.text("Sources/Manual/metrics.md").split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 4, let name = cells[0].wholeMatch(of: /`([a-z_0-9]+)`/)?.1 else {
          return nil
        }
        let labels = cells[2].split(separator: ", ").map(String.init)
        return Row(name: String(name), type: cells[1], labels: Set(labels), help: cells[3])
      }
    }
  }

  public private(set) var families: [String: (type: String, help: String)] = [:]
  public private(set) var labels: [String: Set<String>] = [:]

  public init(of text: String) {
    var (family, help) = ("", "")
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if line.hasPrefix("# HELP") {
        help = words[3]
      } else if line.hasPrefix("# TYPE") {
        family = words[2]
        families[family] = (words[3], help)
      } else {
        let names = line.matches(of: /[{,]([a-z]+)="/).map { String($0.1) }
        labels[family, default: []].formUnion(names.filter { $0 != "le" })
      }
    }
  }
}
