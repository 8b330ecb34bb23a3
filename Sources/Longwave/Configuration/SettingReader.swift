/// Reads the keys of one section, and notes all that is wrong with them rather than stopping at the first.
struct SettingReader {
  /// Collects what is found wrong while a whole file is walked.
  final class Problems {
    let file: String
    /// Names of recordings were taken once already, perhaps by a version that took more.
    let takesOldNames: Bool
    private(set) var list: [ConfigurationProblem] = []

    init(file: String, takesOldNames: Bool = false) {
      self.file = file
      self.takesOldNames = takesOldNames
    }

    func add(_ message: String, key: String, line: Int) {
      list.append(ConfigurationProblem(file: file, line: line, key: key, message: message))
    }
  }

  let path: String
  let line: Int
  let problems: Problems
  private let fields: [SettingNode.Field]

  /// Notes what is not a section at all, and every key that is not one of `known`.
  init(_ node: SettingNode?, path: String, known: [String], problems: Problems) {
    self.path = path
    self.problems = problems
    line = node?.line ?? 0
    switch node?.content {
    case .fields(let fields): self.fields = fields
    case .none, .nothing: fields = []
    case .text, .list:
      fields = []
      let example = known.first ?? "key"
      problems.add("must hold keys, such as \(example):", key: path, line: line)
    }
    for field in fields where !known.contains(field.key) {
      problems.add(
        KeySuggestion.message(for: field.key, among: known, section: path),
        key: full(field.key), line: field.line)
    }
  }

  func node(_ key: String) -> SettingNode? { field(key)?.node }

  func field(_ key: String) -> SettingNode.Field? { fields.first { $0.key == key } }

  func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func report(_ message: String, key: String) {
    problems.add(message, key: full(key), line: field(key)?.line ?? line)
  }
}

extension SettingReader {
  /// Reads one value into its place, which keeps its default where the key is not given.
  func read<Value>(_ key: String, into place: inout Value, _ rule: ValueRule<Value>) {
    if let value = value(key, rule) { place = value }
  }

  /// Reads one value that has no default.
  func read<Value>(_ key: String, into place: inout Value?, _ rule: ValueRule<Value>) {
    if let value = value(key, rule) { place = value }
  }

  /// Reads one value, or several in a list. `endingInColon`: what YAML takes for a key may be a value.
  func readList<Value>(
    _ key: String, into place: inout [Value], _ rule: ValueRule<Value>, endingInColon: Bool = false
  ) {
    guard let field = field(key) else { return }
    func meant(_ node: SettingNode) -> SettingNode { endingInColon ? node.value : node }
    switch field.node.content {
    case .list(let items): place = items.compactMap { parse(meant($0), key, line: $0.line, rule) }
    case .nothing, .text, .fields:
      if let value = parse(meant(field.node), key, line: field.line, rule) { place = [value] }
    }
  }

  private func value<Value>(_ key: String, _ rule: ValueRule<Value>) -> Value? {
    guard let field = field(key) else { return nil }
    return parse(field.node, key, line: field.line, rule)
  }

  private func parse<Value>(
    _ node: SettingNode, _ key: String, line: Int, _ rule: ValueRule<Value>
  ) -> Value? {
    guard case .text(let text) = node.content else {
      problems.add("has \(node.kind); write \(rule.wanted)", key: full(key), line: line)
      return nil
    }
    do throws(InvalidValue) {
      return try rule.parse(text)
    } catch {
      problems.add(error.message, key: full(key), line: line)
      return nil
    }
  }
}
