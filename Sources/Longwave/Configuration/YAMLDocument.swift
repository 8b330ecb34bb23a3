import Yams

/// Turns the text of a file into nodes, and Yams' errors into configuration errors.
package enum YAMLDocument {
  /// Returns the root of the file's only document; nil when the document is empty.
  package static func root(of yaml: String, file: String) throws(ConfigurationError) -> SettingNode?
  {
    if let problem = YAMLMeasure.problem(in: yaml) {
      throw ConfigurationError(file, line: problem.line, problem.message)
    }
    do {
      // The basic resolver leaves every scalar a string: `no` and `12:30` are equal only to themselves.
      return try Yams.compose(yaml: yaml, .basic).map(SettingNode.init(yaml:))
    } catch {
      throw translated(error, file: file, yaml: yaml)
    }
  }

  private static func translated(
    _ error: any Error, file: String, yaml: String
  ) -> ConfigurationError {
    guard let error = error as? YamlError else { return ConfigurationError(file, "\(error)") }
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      let line =
        yaml.split(separator: "\n", omittingEmptySubsequences: false)
        .dropFirst(mark.line - 1).first ?? ""
      return ConfigurationError(
        file, line: mark.line, "is not YAML: \(hint(problem, in: String(line.prefix(1024))))")
    case .duplicatedKeysInMapping(let keys, let context):
      return ConfigurationError(
        file, line: context.mark.line, key: keys.first ?? "",
        "is written more than once (here first); keep one")
    case .reader(let problem, let offset, _, _):
      let line = offset.map { yaml.utf8.prefix($0).count { $0 == 10 } + 1 } ?? 0
      return ConfigurationError(file, line: line, "is not YAML: \(problem)")
    default:
      return ConfigurationError(file, "is not YAML")
    }
  }

  /// Returns libyaml's message, with its usual cause.
  private static func hint(_ problem: String, in line: String) -> String {
    switch problem {
    case "found unexpected ':'" where line.contains("push:"):
      "\(problem); inside [ ] write push without its colon"
    case "found character that cannot start any token":
      "\(problem); indent with blanks, not tabs, and quote what begins with @ or `"
    case "mapping values are not allowed in this context":
      "\(problem); check the indentation, and quote a value that contains \": \""
    case "did not find expected key":
      "\(problem); check the indentation of this line and the one before"
    default: problem
    }
  }
}
