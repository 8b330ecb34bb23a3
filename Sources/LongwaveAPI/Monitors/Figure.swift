import Longwave
import Server
import Threads
import Wire

/// What is said of a family of figures on the manual's page of metrics and before its samples.
struct FigureFamily: Sendable {
  /// With its unit, and `_total` for a counter, as Prometheus names figures.
  let name: String
  let help: String
  let isDistribution: Bool
  var labels: [String] = []

  var type: String {
    isDistribution ? "histogram" : name.hasSuffix("_total") ? "counter" : "gauge"
  }
}

/// A family of figures in one row, with where its samples come from.
struct Figure<Source>: Sendable {
  typealias Reader<Value> = @Sendable (Source) -> Value
  /// Adds the samples' lines to a text. Labels that all of them have are there already.
  typealias Writer = @Sendable (Source, FigureLabels, inout String) -> Void

  private(set) var family: FigureFamily
  let write: Writer

  private init(_ family: FigureFamily, _ write: @escaping Writer) {
    (self.family, self.write) = (family, write)
  }

  /// Makes the row of a figure that a source has once.
  init<Value: FigureValue>(_ name: String, _ help: String, _ value: @escaping Reader<Value>) {
    self.init(FigureFamily(name: name, help: help, isDistribution: Value.isDistribution)) {
      $2 += $1.lines(name, value($0).sample)
    }
  }

  /// Makes the row of a figure that a source has for each of several words.
  init<Value: FigureValue>(
    _ name: String, _ help: String, by label: String,
    _ values: @escaping Reader<[(word: String, value: Value)]>
  ) {
    self = Figure<(word: String, value: Value)>(name, help, \.value).by(label, \.word).each(values)
  }

  /// Returns the row with a label in front, by which sources are told apart.
  func by(_ label: String, _ word: @escaping Reader<String>) -> Figure {
    var row = Figure(family) { [write] in write($0, $1.and(label, word($0)), &$2) }
    row.family.labels.insert(label, at: 0)
    return row
  }

  /// Returns the row for an owner that has one source.
  func of<Owner>(_ part: @escaping @Sendable (Owner) -> Source) -> Figure<Owner> {
    Figure<Owner>(family) { [write] in write(part($0), $1, &$2) }
  }

  /// Returns the row for an owner that has several sources.
  func each<Owner>(_ parts: @escaping @Sendable (Owner) -> [Source]) -> Figure<Owner> {
    Figure<Owner>(family) { [write] owner, labels, text in
      for part in parts(owner) { write(part, labels, &text) }
    }
  }
}

/// A sample's labels, as they are written.
struct FigureLabels: Sendable {
  private var text = ""

  func and(_ label: String, _ word: String) -> FigureLabels {
    var all = self
    all.text += "\(text.isEmpty ? "" : ",")\(label)=\"\(Self.escaped(word))\""
    return all
  }

  fileprivate func lines(_ name: String, _ sample: FigureSample?) -> String {
    switch sample {
    case nil: return ""
    case .number(let number): return line(name, JSON.decimal(number))
    case .distribution(let upTo, let sum):
      let buckets = upTo.map { bound, count in
        and("le", bound.isFinite ? Self.exact(bound) : "+Inf").line(name + "_bucket", "\(count)")
      }
      return buckets.joined() + line(name + "_sum", Self.exact(sum))
        + line(name + "_count", "\(upTo.last?.count ?? 0)")
    }
  }

  private func line(_ name: String, _ value: String) -> String {
    text.isEmpty ? "\(name) \(value)\n" : "\(name){\(text)} \(value)\n"
  }

  /// Returns all digits of a number: bounds of microseconds differ by less than a thousandth.
  private static func exact(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
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

enum FigureSample: Sendable {
  case number(Double)
  /// Cumulative counts by upper bound, the last of which is infinite, and the sum of all values.
  case distribution([(bound: Double, count: UInt64)], sum: Double)
}

/// What a figure may be; what is not known has no sample.
protocol FigureValue: Sendable {
  static var isDistribution: Bool { get }
  var sample: FigureSample? { get }
}

extension FigureValue {
  static var isDistribution: Bool { false }
}

extension FigureValue where Self: BinaryInteger {
  var sample: FigureSample? { .number(Double(self)) }
}

extension Int: FigureValue {}
extension Int64: FigureValue {}
extension UInt64: FigureValue {}

extension Double: FigureValue {
  var sample: FigureSample? { .number(self) }
}

extension Bool: FigureValue {
  var sample: FigureSample? { .number(self ? 1 : 0) }
}

extension Optional: FigureValue where Wrapped: FigureValue {
  var sample: FigureSample? { flatMap(\.sample) }
}

extension Histogram: FigureValue {
  static var isDistribution: Bool { true }
  var sample: FigureSample? {
    var below: UInt64 = 0
    let upTo = zip(bounds + [.infinity], counts).map { bound, count in
      below += count
      return (bound: bound, count: below)
    }
    return .distribution(upTo, sum: sum)
  }
}

extension DurationCounts: FigureValue {
  static var isDistribution: Bool { true }
  var sample: FigureSample? { .distribution(upTo(), sum: seconds) }
}

/// Durations of which every so many-th bound is told.
struct FewerBounds: FigureValue {
  static var isDistribution: Bool { true }
  let step: Int
  let counts: DurationCounts

  var sample: FigureSample? { .distribution(counts.upTo(each: step), sum: counts.seconds) }
}
