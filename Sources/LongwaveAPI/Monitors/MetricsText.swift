import Longwave
import Threads
import Wire

/// Figures in the text format of Prometheus, version 0.0.4. The manual's page on metrics lists them.
struct MetricsText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
  private(set) var text = ""

  /// - Parameters:
  ///   - rows: names of the rows that requests are counted by.
  ///   - station: the only station that is told of; nil for all, and the server itself.
  init(
    _ stations: [StationSnapshot], _ metrics: RelayMetrics, rows: [String],
    of station: String? = nil
  ) {
    if station == nil {
      addServer(metrics)
      addRequests(metrics.server, rows)
      addLoops(metrics)
      addWebhooks(metrics.figures.webhooks)
    }
    addStations(stations.filter { station == nil || $0.id == station }, metrics)
  }

  enum Kind: String {
    case counter
    case gauge
  }

  typealias Labels = KeyValuePairs<String, String>
  typealias Sample = (labels: Labels, value: Double)

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    addPlain("longwave_" + name, kind, help, samples)
  }

  /// Adds figures under a name of their own: those that dashboards of any program ask for.
  mutating func addPlain(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    begin(name, kind.rawValue, help)
    for sample in samples { addLine(name, sample.labels, JSON.decimal(sample.value)) }
  }

  mutating func addOne(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [([:], value)])
  }

  /// One distribution: cumulative counts by upper bound, the last of which is infinite, and the sum of all values.
  struct Distribution {
    var labels: Labels = [:]
    var upTo: [(bound: Double, count: UInt64)]
    var sum: Double
  }

  mutating func addHistogram(_ name: String, _ help: String, _ distributions: [Distribution]) {
    let name = "longwave_" + name
    begin(name, "histogram", help)
    for each in distributions {
      for (bound, count) in each.upTo {
        let le = bound.isFinite ? Self.exact(bound) : "+Inf"
        addLine(name + "_bucket", each.labels, "\(count)", le: le)
      }
      addLine(name + "_sum", each.labels, Self.exact(each.sum))
      addLine(name + "_count", each.labels, "\(each.upTo.last?.count ?? 0)")
    }
  }

  /// Returns all digits of a number: bounds of microseconds differ by less than a thousandth.
  private static func exact(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private mutating func begin(_ name: String, _ kind: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
  }

  private mutating func addLine(
    _ name: String, _ labels: Labels, _ value: String, le: String? = nil
  ) {
    var all = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
    if let le { all.append("le=\"\(le)\"") }
    let list = all.isEmpty ? "" : "{" + all.joined(separator: ",") + "}"
    text += "\(name)\(list) \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    runs.text(value) { left, bytes in
      bytes +=
        left[0] == UInt8(ascii: "\n")
        ? "\\n".utf8 : left[0] == UInt8(ascii: "\"") ? "\\\"".utf8 : "\\\\".utf8
      return 1
    }
  }

  private static let runs = TextRuns { "\\\"\n".utf8.contains($0) }
}

extension MetricsText.Distribution {
  /// - Parameter step: every how many-th bound is told.
  init(_ labels: MetricsText.Labels, _ counts: DurationCounts, each step: Int = 1) {
    self.init(labels: labels, upTo: counts.upTo(each: step), sum: counts.seconds)
  }
}
