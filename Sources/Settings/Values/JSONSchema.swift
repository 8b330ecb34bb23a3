/// The shapes of the API as JSON Schema (2020-12). Only a small part of that is used: `type`, `properties`, `required`,
/// `additionalProperties`, `items`, `enum`, `$ref`, `anyOf`, `minimum` and `maximum`.
package enum Schema {
  package static let text: JSON = ["type": "string"]
  package static let flag: JSON = ["type": "boolean"]
  package static let number: JSON = ["type": "number"]
  package static let count: JSON = ["type": "integer", "minimum": .integer(0)]
  package static let time: JSON = ["type": "string", "format": "date-time"]

  /// Returns a reference to one of the API's named shapes.
  package static func named(_ name: String) -> JSON {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  package static func integer(_ range: ClosedRange<Int>) -> JSON {
    ["type": "integer", "minimum": JSON(range.lowerBound), "maximum": JSON(range.upperBound)]
  }

  package static func words(_ words: [String]) -> JSON { ["enum": .array(words.map(JSON.string))] }

  /// The shape of one text, or several.
  static let severalTexts = either(text, list(text), ["type": "null"])

  package static func list(_ items: JSON) -> JSON { ["type": "array", "items": items] }

  package static func either(_ schemas: JSON...) -> JSON { ["anyOf": .array(schemas)] }

  /// Returns the shape of a value that may also be null.
  package static func known(_ schema: JSON) -> JSON {
    guard case .object(var members) = schema, case .string(let type)? = schema["type"] else {
      return either(schema, ["type": "null"])
    }
    members[0].value = [.string(type), "null"]
    return .object(members)
  }

  /// Returns the shape of an object with these members and no others. All are required, unless `needed` lists some.
  package static func object(_ properties: [(String, JSON)], needed: [String]? = nil) -> JSON {
    [
      "type": "object",
      "properties": .object(properties.map { .init(key: $0.0, value: $0.1) }),
      "required": .array((needed ?? properties.map(\.0)).map(JSON.string)),
      "additionalProperties": .bool(false),
    ]
  }
}
