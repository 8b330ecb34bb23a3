import Timeshift
import Wire

extension CollectionRule {
  /// The rule as JSON on one line, which reads as the same rule.
  public var text: String {
    var members = [Self.text(condition)]
    if !orders.isEmpty {
      members.append("\"sort\":" + Self.quoted(orders.map(\.text).joined(separator: ",")))
    }
    if let limit { members.append("\"limit\":\(limit)") }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// A condition as the member of an object.
  private static func text(_ condition: Condition) -> String {
    switch condition {
    case .all(let all): "\"all\":[" + all.map { "{\(text($0))}" }.joined(separator: ",") + "]"
    case .any(let all): "\"any\":[" + all.map { "{\(text($0))}" }.joined(separator: ",") + "]"
    case .member(let name, true): "\"inCollection\":" + quoted(name)
    case .member(let name, false): "\"notInCollection\":" + quoted(name)
    case .test(let test):
      "\"\(test.comparison.rawValue)\":{\"\(test.field.rawValue)\":\(test.valueText)}"
    }
  }

  fileprivate static func quoted(_ text: String) -> String {
    var line = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": line += "\\\(scalar)"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line + "\""
  }
}

extension CollectionRule.Order {
  fileprivate var text: String {
    switch self {
    case .random: "random"
    case .field(let field, let isDescending): (isDescending ? "-" : "") + field.rawValue
    }
  }
}

extension CollectionRule.Test {
  fileprivate var valueText: String {
    switch value {
    case .text(let text): CollectionRule.quoted(text)
    case .flag(let flag): "\(flag)"
    case .number(let number): text(number)
    case .range(let low, let high): "[\(text(low)),\(text(high))]"
    }
  }

  private func text(_ number: Double) -> String {
    let isDate = field.kind == .date && comparison != .inTheLast && comparison != .notInTheLast
    if isDate {
      let seconds = Int64(bounded: number, in: Bounds.unixSeconds)
      return "\"" + WallTime(unixSeconds: seconds).rfc3339 + "\""
    }
    // What is whole is written so.
    return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
