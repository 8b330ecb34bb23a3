import Yams

/// Turns the text of a file into nodes, and Yams' errors into configuration errors.
package enum YAMLDocument {
  /// Returns the root of the file's only document; nil when the document is empty.
  ///
  /// - Parameter known: the names of keys, which a message may tell.
  package static func root(
    of yaml: String, file: String, known: Set<String>
  ) throws(ConfigurationError) -> SettingNode? {
    if let problem = YAMLMeasure.problem(in: yaml) {
      throw ConfigurationError(file, line: problem.line, problem.message)
    }
    do {
      // The basic resolver leaves every scalar a string: `no` and `12:30` are equal only to themselves.
      return try Yams.compose(yaml: yaml, .basic).map(SettingNode.init(yaml:))
    } catch {
      throw translated(error, file: file, yaml: yaml, known: known)
    }
  }

  private static func translated(
    _ error: any Error, file: String, yaml: String, known: Set<String>
  ) -> ConfigurationError {
    guard let error = error as? YamlError else { return ConfigurationError(file, "\(error)") }
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let line =
        yaml.split(separator: "\n", omittingEmptySubsequences: false)
        .dropFirst(mark.line - 1).first ?? ""
      let message = hint(problem, in: String(line.prefix(1024)), since: context?.mark.line)
      return ConfigurationError(file, line: mark.line, "is not YAML: \(message)")
    case .duplicatedKeysInMapping(let keys, let context):
      return ConfigurationError(
        file, line: context.mark.line,
        key: keys.first.map { KeySuggestion.shown($0, among: known) } ?? "",
        "is written more than once (here first); keep one")
    case .reader(let problem, let offset, _, _):
      let line = offset.map { yaml.utf8.prefix($0).count { $0 == 10 } + 1 } ?? 0
      return ConfigurationError(file, line: line, "is not YAML: \(problem)")
    default:
      return ConfigurationError(file, "is not YAML")
    }
  }

  /// Returns libyaml's message, with its usual cause.
  ///
  /// - Parameter begun: The line in which that begins which is wrong; nil where it is not known.
  private static func hint(_ problem: String, in line: String, since begun: Int?) -> String {
    let advice: String? =
      switch problem {
      case "found unexpected ':'" where line.contains("push:"):
        "inside [ ] write push without its colon"
      case "found unexpected end of stream", "found unexpected document indicator":
        begun.map { "close the quote that is opened in line \($0)" }
      case "could not find expected ':'":
        begun.map { "write a colon and a blank behind the key in line \($0)" }
      default: advice[problem]
      }
    return problem + (advice.map { "; \($0)" } ?? "")
  }

  /// The usual advice for each of libyaml's messages.
  private static let advice = [
    "found character that cannot start any token":
      "indent with blanks, not tabs, and quote what begins with @, ` or %",
    "found a tab character that violates indentation": "indent with blanks, not tabs",
    "mapping values are not allowed in this context":
      "check the indentation, and quote a value that contains \": \"",
    "did not find expected key":
      "check the indentation of this line and the one before, and quote all of a value that begins with a quote or "
      + "a bracket",
    "did not find expected '-' indicator": "check the indentation of this line and the one before",
    "did not find expected node content":
      "quote a value that begins with a bracket and is no list, such as \"[::]:8000\"",
    "block sequence entries are not allowed in this context":
      "quote a value that begins with a dash or a brace, such as \"{artist} - {title}\"",
    "did not find expected ',' or ']'":
      "close the list with ], and quote what of it begins with a quote or a bracket",
    "did not find expected ',' or '}'":
      "close the keys with }, and quote a value of them that begins with a quote or a bracket",
    "did not find expected alphabetic or numeric character": "quote what begins with * or &",
    "found undefined alias": "quote what begins with *",
    "found undefined tag handle": "quote what begins with !",
    "did not find expected comment or line break": "quote what begins with | or >",
    "mapping keys are not allowed in this context": "quote what begins with ?",
    "found unknown directive name": "quote what begins with %",
    "found unknown escape character": backslash,
    "did not find expected hexdecimal number": backslash,
    "but found another document": "write all in one document, without ---",
  ]

  private static let backslash =
    "write a text with backslashes in single quotes, or each of them twice"
}
