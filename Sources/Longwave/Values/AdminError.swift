/// Why a relay did not do what it was asked: one line.
public struct AdminError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  /// The status of the answer; nil: there was none.
  public private(set) var status: Int?
  /// The key of the body or of the query that the answer blames.
  private var field: String?

  init(_ description: String) { self.description = description }

  /// Whether a value was refused that whoever asked has written.
  public var isAboutValue: Bool { status == 400 && field != nil }

  /// What an error answer says.
  init(status: Int, body: JSON?) {
    self.status = status
    if case .string(let name)? = body?["error"]?["field"] { field = name }
    if case .string(let message)? = body?["error"]?["message"] {
      description = message
    } else {
      description = "the server answered \(status)"
    }
  }
}

extension AdminError {
  /// As whoever typed a command knows it: `maxSize: 5 is …` becomes `--max-size: 5 is …`.
  ///
  /// - Parameters:
  ///   - body: what was asked.
  ///   - names: of keys that are called otherwise there, or stood in the query.
  public func named(by body: JSON? = nil, _ names: [String: String]) -> AdminError {
    let key = String(description.prefix { $0.isLetter })
    var rest = description.dropFirst(key.count)
    guard body?[key] != nil || names[key] != nil else { return self }
    if rest.hasPrefix("[") {
      // Which one of several it is stands in the message.
      rest = rest.drop { $0 != ":" }
    } else if !rest.hasPrefix(":"), field != key {
      return self
    }
    var named = self
    named.description = (names[key] ?? "--\(SettingKey.file(key))") + rest
    return named
  }
}
