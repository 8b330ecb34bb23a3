import Wire

/// One thing wrong with a configuration, told in one line.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Name of the file; empty for a configuration without a file.
  public var file: String
  /// Line in the file, from 1; 0 when there is no line to name.
  public var line: Int
  /// Whole path of the key, such as `listeners.burst`; empty when the file itself is wrong.
  public private(set) var key: String
  /// What is wrong and what would be right, in one line of bounded length without passwords.
  public private(set) var message: String

  package init(file: String, line: Int, key: String, message: String) {
    (self.file, self.line) = (file, line)
    (self.key, self.message) = (Secrecy.message(key), Secrecy.message(message))
  }

  public var description: String {
    let place = line > 0 ? "\(file):\(line)" : file
    // The name of a file may hold anything.
    return LogText.line([place, key, message].filter { !$0.isEmpty }.joined(separator: ": "))
  }
}

/// What is found wrong with one file, in the order of its lines.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public var problems: [ConfigurationProblem]

  /// Problems that are told; nobody reads more at once.
  package static let problemsMax = 200

  /// - Parameter more: how many problems there are besides.
  package init(problems: [ConfigurationProblem], more: Int = 0) {
    self.problems = Array(problems.prefix(Self.problemsMax))
    let more = problems.count - self.problems.count + more
    if more > 0 {
      self.problems.append(
        ConfigurationProblem(
          file: problems.first?.file ?? "", line: 0, key: "",
          message: "has more problems than these, \(more) of them"))
    }
  }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Why a value was refused; the reader adds file, line and key.
package struct InvalidValue: Error {
  private let reason: String
  /// The text in quotation marks in the reason that may be a secret; nil where nothing is quoted.
  private let quoted: String?

  /// - Parameters:
  ///   - reason: what is wrong and what would be right.
  ///   - quoted: what the reason has in quotation marks.
  package init(_ reason: String, quoting quoted: String? = nil) {
    (self.reason, self.quoted) = (reason, quoted)
  }

  /// Makes the reason why a text was refused, in words that follow its quotation.
  package init(quoting text: String, _ reason: String) {
    self.init("\"\(text)\" \(reason)", quoting: text)
  }

  package var message: String { message(hiding: false) }

  /// Returns the message.
  ///
  /// - Parameter isSecret: whether the text may not be quoted.
  func message(hiding isSecret: Bool) -> String {
    guard let quoted, let place = reason.firstRange(of: "\"\(quoted)\"") else { return reason }
    let shown = isSecret ? Secrecy.mask : Secrecy.quoted(quoted)
    return reason[..<place.lowerBound] + shown + reason[place.upperBound...]
  }
}
