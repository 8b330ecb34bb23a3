import Longwave

/// Holds a value against a schema: the part of JSON Schema that the API's description uses, read strictly. A word of
/// another part is a fault of the schema, not overlooked.
struct JSONSchema {
  /// The whole description, for `$ref`.
  let document: JSON

  /// What is wrong with a value, each with its place; empty: nothing.
  func faults(of value: JSON, as schema: JSON, at place: String = "$") -> [String] {
    guard case .object(let words) = schema else { return ["\(place): no schema"] }
    return words.flatMap { word in
      faults(of: value, word.key, word.value, in: schema, at: place)
    }
  }

  private func faults(
    of value: JSON, _ word: String, _ rule: JSON, in schema: JSON, at place: String
  ) -> [String] {
    switch word {
    case "$ref":
      guard let named = resolve(rule.string ?? "") else {
        return ["\(place): \(rule) leads nowhere"]
      }
      return faults(of: value, as: named, at: place)
    case "type":
      let types = rule.string.map { [$0] } ?? rule.items.compactMap(\.string)
      return types.contains { has(value, type: $0) }
        ? [] : ["\(place): \(value.text) is not \(types.joined(separator: " or "))"]
    case "enum":
      return rule.items.contains(value) ? [] : ["\(place): \(value.text) is none of the words"]
    case "anyOf":
      let tries = rule.items.map { faults(of: value, as: $0, at: place) }
      return tries.contains([]) ? [] : tries.flatMap(\.self)
    case "minimum": return compare(value, rule, at: place) { $0 >= $1 }
    case "maximum": return compare(value, rule, at: place) { $0 <= $1 }
    case "items":
      return value.items.enumerated().flatMap {
        faults(of: $1, as: rule, at: "\(place)[\($0)]")
      }
    case "required":
      guard case .object = value else { return [] }
      return rule.items.compactMap(\.string).filter { !value.keys.contains($0) }.map {
        "\(place): \($0) is missing"
      }
    case "properties":
      guard case .object(let members) = value else { return [] }
      return members.flatMap { member in
        rule[member.key].map { faults(of: member.value, as: $0, at: "\(place).\(member.key)") }
          ?? []
      }
    case "additionalProperties": return further(value, rule, in: schema, at: place)
    // Only says how to read a text.
    case "format": return rule == "date-time" ? [] : ["\(place): the format \(rule) is unknown"]
    default: return ["\(place): the schema's word \(word) is unknown"]
    }
  }

  private func further(_ value: JSON, _ rule: JSON, in schema: JSON, at place: String) -> [String] {
    guard case .object(let members) = value else { return [] }
    let known = schema["properties"]?.keys ?? []
    return members.filter { !known.contains($0.key) }.flatMap { member in
      rule == .bool(false)
        ? ["\(place): \(member.key) is not described"]
        : faults(of: member.value, as: rule, at: "\(place).\(member.key)")
    }
  }

  private func compare(
    _ value: JSON, _ limit: JSON, at place: String, _ holds: (Double, Double) -> Bool
  ) -> [String] {
    guard let number = value.double, let limit = limit.double else { return [] }
    return holds(number, limit) ? [] : ["\(place): \(number) is out of range"]
  }

  private func has(_ value: JSON, type: String) -> Bool {
    switch (value, type) {
    case (.null, "null"), (.bool, "boolean"), (.integer, "integer"), (.integer, "number"),
      (.number, "number"), (.string, "string"), (.array, "array"), (.object, "object"):
      true
    default: false
    }
  }

  /// `#/components/schemas/Station`.
  func resolve(_ reference: String) -> JSON? {
    guard reference.hasPrefix("#/") else { return nil }
    return reference.dropFirst(2).split(separator: "/").reduce(document) { place, name in
      place?[String(name)]
    }
  }
}
