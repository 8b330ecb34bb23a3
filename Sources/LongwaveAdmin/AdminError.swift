import Longwave

/// The reason why a relay did not carry out a request, in one line.
public struct AdminError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  /// The status of the answer; nil without an answer.
  public private(set) var status: Int?
  /// Whether no relay is there to answer.
  public private(set) var isAbsent = false
  /// The answer's word for programs, such as `unknown-station`; nil without an answer.
  private(set) var code: String?
  /// The key of the body or of the query that the answer blames.
  private var field: String?

  init(_ description: String, isAbsent: Bool = false) {
    self.description = description
    self.isAbsent = isAbsent
  }

  /// Whether the relay refused its configuration.
  public var isAboutConfiguration: Bool { code == "bad-configuration" }

  /// Whether the relay refused a value that the user has written.
  public var isAboutValue: Bool { status == 400 && field != nil }

  /// Makes the error from an error answer.
  init(status: Int, body: JSON?) {
    self.status = status
    if case .string(let name)? = body?["error"]?["field"] { field = name }
    if case .string(let word)? = body?["error"]?["code"] { code = word }
    if case .string(let message)? = body?["error"]?["message"] {
      description = message
    } else {
      description = "the server answered \(status)"
    }
  }
}

extension AdminError {
  /// Names the value as the command line does: `maxSize: 5 is …` becomes `--max-size: 5 is …`.
  ///
  /// - Parameters:
  ///   - body: The body of the request.
  ///   - names: The command line's names for keys that are not `--key` there, or that stood in the query.
  public func named(by body: JSON? = nil, _ names: [String: String]) -> AdminError {
    // A key of a section may have an option of its own.
    let path = String(description.prefix { $0 != ":" })
    let key = names[path] == nil ? String(description.prefix { $0.isLetter }) : path
    var rest = description.dropFirst(key.count)
    guard body?[key] != nil || names[key] != nil else { return self }
    if rest.hasPrefix("[") || rest.hasPrefix(".") {
      // The message names the one of several values that is wrong, or a key of a section that an option makes.
      rest = rest.drop { $0 != ":" }
    } else if !rest.hasPrefix(":"), field != key {
      return self
    }
    var named = self
    named.description = (names[key] ?? "--\(SettingKey.file(key))") + rest
    return named
  }
}
