import Wire

/// Makes a value from the tokens of a JSON text, as `JSONScanner` finds them.
package struct JSONReader {
  private var scanner: JSONScanner

  package static func read(_ bytes: [UInt8], depthMax: Int) throws(JSONScanner.Failure) -> JSON {
    var reader = JSONReader(scanner: JSONScanner(bytes, depthMax: depthMax))
    let json = try reader.value(try reader.scanner.next())
    _ = try reader.scanner.next()
    return json
  }

  /// Reads one value; recurses no deeper than the scanner allows.
  private mutating func value(_ first: JSONScanner.Token?) throws(JSONScanner.Failure) -> JSON {
    switch first {
    case .objectStart: try members()
    case .arrayStart: try items()
    case .string(let text): .string(text)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .bool(let flag): .bool(flag)
    case .null, .key, .objectEnd, .arrayEnd, nil: .null
    }
  }

  private mutating func members() throws(JSONScanner.Failure) -> JSON {
    var members: [JSON.Member] = []
    while case .key(let key)? = try scanner.next() {
      members.append(JSON.Member(key: key, value: try value(try scanner.next())))
    }
    return .object(members)
  }

  private mutating func items() throws(JSONScanner.Failure) -> JSON {
    var items: [JSON] = []
    while let token = try scanner.next(), token != .arrayEnd { items.append(try value(token)) }
    return .array(items)
  }
}
