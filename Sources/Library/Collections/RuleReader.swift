import Wire

extension CollectionRule {
  /// The most bytes of a written rule, the most tests in it, and how deep they are nested.
  public static let (bytesMax, testsMax, depthMax) = (64 << 10, 500, 16)

  /// Reads a rule, or Navidrome's `.nsp`; what that says besides (`name`, `comment`) is passed over.
  public init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.bytesMax else {
      throw Problem(place: "", message: "is longer than \(Self.bytesMax >> 10) KiB")
    }
    let node: RuleNode
    do throws(JSONScanner.Failure) {
      node = try RuleNode.read(Array(text.utf8))
    } catch {
      throw Problem(place: "", message: "is no JSON: the text \(error)")
    }
    try self.init(node)
  }

  private init(_ node: RuleNode) throws(Problem) {
    guard case .object(let members) = node else {
      throw Problem(place: "", message: "is no object; write {\"all\": [ … ]}")
    }
    var reader = RuleReader()
    var conditions: [Condition] = []
    var (orders, limit): ([Order], Int?) = ([], nil)
    var isDescending = false
    for (key, value) in members {
      switch key.lowercased() {
      case "all", "any": conditions.append(try reader.condition(key, value, at: key, depth: 1))
      case "sort": orders = try RuleReader.orders(value)
      case "order":
        guard case .string(let word) = value, ["asc", "desc"].contains(word.lowercased()) else {
          throw Problem(place: key, message: "is neither asc nor desc")
        }
        isDescending = word.lowercased() == "desc"
      case "limit":
        guard case .number(let number) = value, let count = Int(exactly: number),
          (1...Self.tracksMax).contains(count)
        else { throw Problem(place: key, message: "is no number from 1 to \(Self.tracksMax)") }
        limit = count
      case "name", "comment", "public": break
      default:
        throw Problem(place: key, message: "is no key of a rule; write all, any, sort or limit")
      }
    }
    guard conditions.count == 1 else {
      let message = conditions.isEmpty ? "needs all or any" : "has all and any; write one of them"
      throw Problem(place: "", message: message)
    }
    if isDescending {
      orders = orders.map { order in
        if case .field(let field, let down) = order {
          .field(field, isDescending: !down)
        } else {
          order
        }
      }
    }
    self.init(conditions[0], orders: orders, limit: limit)
  }
}

/// Reads the conditions of a rule.
private struct RuleReader {
  typealias Problem = CollectionRule.Problem
  typealias Field = CollectionRule.Field
  private static let textBytesMax = 1024
  private var tests = 0

  mutating func condition(
    _ word: String, _ node: RuleNode, at place: String, depth: Int
  ) throws(Problem) -> CollectionRule.Condition {
    let lower = word.lowercased()
    if lower == "all" || lower == "any" {
      guard case .array(let items) = node else {
        throw Problem(place: place, message: "is no list of conditions")
      }
      if items.isEmpty, lower == "any" {
        throw Problem(place: place, message: "is empty, so that no track is meant")
      }
      guard depth <= CollectionRule.depthMax else {
        throw Problem(place: place, message: "is nested too deeply")
      }
      var conditions: [CollectionRule.Condition] = []
      for (index, item) in items.enumerated() {
        let inner = "\(place)[\(index)]"
        guard case .object(let members) = item, let (word, value) = members.first,
          members.count == 1
        else {
          throw Problem(
            place: inner, message: "is no condition, such as {\"is\": {\"genre\": \"jazz\"}}")
        }
        conditions.append(
          try condition(word, value, at: "\(inner).\(word)", depth: depth + 1))
      }
      return lower == "all" ? .all(conditions) : .any(conditions)
    }
    tests += 1
    guard tests <= CollectionRule.testsMax else {
      throw Problem(
        place: place, message: "is one test too many; \(CollectionRule.testsMax) are read")
    }
    switch lower {
    case "incollection", "inplaylist": return .member(of: try name(node, at: place), true)
    case "notincollection", "notinplaylist": return .member(of: try name(node, at: place), false)
    default: return .test(try test(lower, node, at: place))
    }
  }

  /// The name of a collection: a text, or Navidrome's `{"id": "…"}`.
  private func name(_ node: RuleNode, at place: String) throws(Problem) -> String {
    var node = node
    if case .object(let members) = node, members.count == 1, members[0].key.lowercased() == "id" {
      node = members[0].value
    }
    guard case .string(let name) = node, !name.isEmpty, name.utf8.count <= Self.textBytesMax else {
      throw Problem(place: place, message: "names no collection")
    }
    return name
  }

  private func test(
    _ word: String, _ node: RuleNode, at place: String
  ) throws(Problem) -> CollectionRule.Test {
    guard
      let comparison = CollectionRule.Comparison.allCases.first(where: {
        $0.rawValue.lowercased() == word
      })
    else {
      let all = CollectionRule.Comparison.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(place: place, message: "is none of all, any, inCollection, \(all)")
    }
    guard case .object(let members) = node, members.count == 1, let (key, value) = members.first
    else { throw Problem(place: place, message: "has not one field and its value") }
    let place = "\(place).\(key)"
    guard let field = Field(name: key) else {
      let all = Field.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(place: place, message: "is none of the fields \(all)")
    }
    guard comparison.fits(field.kind) else {
      throw Problem(place: place, message: "cannot be asked with \(comparison.rawValue)")
    }
    let meant = try self.value(value, of: field, comparison, at: place)
    return CollectionRule.Test(field: field, comparison: comparison, value: meant)
  }

  private func value(
    _ node: RuleNode, of field: Field, _ comparison: CollectionRule.Comparison, at place: String
  ) throws(Problem) -> CollectionRule.Value {
    switch (comparison, field.kind) {
    case (.inTheRange, _):
      guard case .array(let ends) = node, ends.count == 2,
        let low = Self.number(ends[0], field), let high = Self.number(ends[1], field)
      else { throw Problem(place: place, message: "is no list of two values, [from, to]") }
      return .range(low, high)
    case (.inTheLast, _), (.notInTheLast, _):
      guard case .number(let days) = node, (0...36_525).contains(days) else {
        throw Problem(place: place, message: "is no number of days")
      }
      return .number(days)
    case (_, .text):
      if case .string(let text) = node, text.utf8.count <= Self.textBytesMax { return .text(text) }
      throw Problem(place: place, message: "is no text of at most \(Self.textBytesMax) bytes")
    case (_, .flag):
      if case .bool(let flag) = node { return .flag(flag) }
      throw Problem(place: place, message: "is neither true nor false")
    case (_, .number), (_, .date):
      if let number = Self.number(node, field) { return .number(number) }
      let wanted = field.kind == .date ? "date, such as \"2024-01-31\"" : "number"
      throw Problem(place: place, message: "is no \(wanted)")
    }
  }

  private static func number(_ node: RuleNode, _ field: Field) -> Double? {
    switch (node, field.kind) {
    case (.number(let number), .number): return number
    case (.string(let text), .date):
      let moment = text.utf8.count == 10 ? text + "T00:00:00Z" : text
      guard let time = try? TimestampText.parse(moment) else { return nil }
      return Double(time / 1_000_000_000)
    default: return nil
    }
  }

  static func orders(_ node: RuleNode) throws(Problem) -> [CollectionRule.Order] {
    guard case .string(let text) = node else {
      throw Problem(place: "sort", message: "is no text, such as \"-added\"")
    }
    var orders: [CollectionRule.Order] = []
    for word in text.split(separator: ",").prefix(8) {
      let word = word.filter { $0 != " " }
      let isDescending = word.hasPrefix("-")
      let name = isDescending || word.hasPrefix("+") ? String(word.dropFirst()) : word
      if name.lowercased() == "random" {
        orders.append(.random)
      } else if let field = Field(name: name) {
        orders.append(.field(field, isDescending: isDescending))
      } else {
        throw Problem(
          place: "sort", message: "\(LogText.quotable(name)) is no field, and not random")
      }
    }
    return orders
  }
}

/// A JSON value with the members of objects in their order.
private enum RuleNode {
  case string(String)
  case number(Double)
  case bool(Bool)
  case null
  case array([RuleNode])
  case object([(key: String, value: RuleNode)])

  static func read(_ bytes: [UInt8]) throws(JSONScanner.Failure) -> RuleNode {
    var scanner = JSONScanner(bytes)
    let node = try value(try scanner.next(), &scanner)
    _ = try scanner.next()
    return node
  }

  /// Recurses no deeper than the scanner allows.
  private static func value(
    _ first: JSONScanner.Token?, _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> RuleNode {
    switch first {
    case .objectStart:
      var members: [(key: String, value: RuleNode)] = []
      while case .key(let key)? = try scanner.next() {
        members.append((key, try value(try scanner.next(), &scanner)))
      }
      return .object(members)
    case .arrayStart:
      var items: [RuleNode] = []
      while let token = try scanner.next(), token != .arrayEnd {
        items.append(try value(token, &scanner))
      }
      return .array(items)
    case .string(let text): return .string(text)
    case .integer(let number): return .number(Double(number))
    case .number(let number): return .number(number)
    case .bool(let flag): return .bool(flag)
    case .null, .key, .objectEnd, .arrayEnd, nil: return .null
    }
  }
}
