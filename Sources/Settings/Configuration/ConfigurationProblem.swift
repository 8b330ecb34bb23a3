import Wire

/// One thing wrong with a configuration, told in one line.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Name of the file; empty for a configuration without a file.
  public var file: String
  /// Line in the file, from 1; 0 when there is no line to name.
  public var line: Int
  /// Whole path of the key, such as `listeners.burst`; empty when the file itself is wrong.
  public var key: String
  /// The mistake and its remedy.
  public var message: String

  package init(file: String, line: Int, key: String, message: String) {
    (self.file, self.line, self.key, self.message) = (file, line, key, message)
  }

  public var description: String {
    let place = line > 0 ? "\(file):\(line)" : file
    // Quotations from the file may hold anything.
    return LogText.line([place, key, message].filter { !$0.isEmpty }.joined(separator: ": "))
  }
}

/// Everything found wrong with one file, in the order of its lines.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public var problems: [ConfigurationProblem]

  package init(problems: [ConfigurationProblem]) { self.problems = problems }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Why a value was refused; the reader adds file, line and key.
package struct InvalidValue: Error {
  package let message: String

  package init(_ message: String) { self.message = message }
}
