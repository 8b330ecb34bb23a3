import Wire

/// One thing wrong with a configuration, told in one line.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Empty where nobody has written one.
  public var file: String
  /// From 1; 0 where there is no line to name.
  public var line: Int
  /// The whole path of the key, as `listeners.burst`; empty when it is the file itself.
  public var key: String
  /// What is wrong and what would be right.
  public var message: String

  public var description: String {
    let place = line > 0 ? "\(file):\(line)" : file
    // What it quotes of the file may hold anything.
    return LogText.line([place, key, message].filter { !$0.isEmpty }.joined(separator: ": "))
  }
}

/// Everything found wrong with one file, in the order of its lines.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public var problems: [ConfigurationProblem]

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Why a value was refused; the reader adds file, line and key.
struct InvalidValue: Error {
  var message: String

  init(_ message: String) { self.message = message }
}
