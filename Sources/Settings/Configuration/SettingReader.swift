/// Reads the keys of one section, and notes every problem instead of stopping at the first.
package struct SettingReader {
  /// Collects the problems found while a whole file is read.
  package final class Problems {
    let file: String
    /// Whether names of recordings were accepted before, perhaps by a version that accepted more.
    let takesOldNames: Bool
    /// All sections, to say where an unknown key belongs.
    let sections: [ConfigurationSection]
    private lazy var known = KeySuggestion.names(of: sections)
    package private(set) var list: [ConfigurationProblem] = []
    /// Number of problems that are not in the list.
    private var more = 0
    /// The texts that nobody may see; they are looked for when a value is to be quoted.
    private lazy var secrets = secretsOfFile?() ?? []
    private let secretsOfFile: (() -> Set<String>)?

    /// - Parameter secrets: finds the file's secrets, which are not quoted; nil for what only its sender is told of.
    package init(
      file: String, sections: [ConfigurationSection], takesOldNames: Bool = false,
      secrets: (() -> Set<String>)? = nil
    ) {
      self.file = file
      self.sections = sections
      self.takesOldNames = takesOldNames
      secretsOfFile = secrets
    }

    func add(_ message: @autoclosure () -> String, key: @autoclosure () -> String, line: Int) {
      if isFull {
        more += 1
        return
      }
      list.append(ConfigurationProblem(file: file, line: line, key: key(), message: message()))
    }

    /// Adds why a value was refused, without secrets.
    func add(
      _ problem: InvalidValue, of text: String, key: @autoclosure () -> String, line: Int
    ) {
      add(message(of: problem, text), key: key(), line: line)
    }

    private func message(of problem: InvalidValue, _ text: String) -> String {
      guard secrets.contains(text) else { return problem.message }
      return problem.message(hiding: true).replacing(text, with: Secrecy.mask)
    }

    /// Returns a key as a problem may name it.
    fileprivate func shown(_ key: String) -> String {
      secretsOfFile == nil ? Secrecy.cut(key, 100) : KeySuggestion.shown(key, among: known)
    }

    /// Whether what is added is only counted.
    fileprivate var isFull: Bool { list.count >= ConfigurationError.problemsMax }

    var count: Int { list.count + more }

    /// What is thrown for the problems, in the order of the lines; nil when there are none.
    package var error: ConfigurationError? {
      if list.isEmpty { return nil }
      return ConfigurationError(
        problems: list.sorted { ($0.line, $0.key) < ($1.line, $1.key) }, more: more)
    }
  }

  let path: String
  let line: Int
  let problems: Problems
  private let fields: [SettingNode.Field]
  /// The keys that unknown ones may be slips of.
  private let meant: Set<String>

  /// Notes a node that is no section, and every key that is not one of `known`.
  ///
  /// - Parameter advice: what was meant by an unknown key of this section alone; nil for what is said of any.
  package init(
    _ node: SettingNode?, path: String, known: [String], problems: Problems,
    advice: (SettingNode.Field) -> String? = { _ in nil }
  ) {
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
    let unknown = fields.filter { !known.contains($0.key) }
    meant =
      problems.isFull
      ? []
      : Set(
        unknown.prefix(ConfigurationError.problemsMax).compactMap {
          KeySuggestion.nearest(to: $0.key, among: known)
        })
    for field in unknown {
      problems.add(
        advice(field).map { "unknown key; " + $0 }
          ?? KeySuggestion.message(
            for: field.key, among: known, section: path, sections: problems.sections),
        key: full(problems.shown(field.key)), line: field.line)
    }
  }

  func node(_ key: String) -> SettingNode? { field(key)?.node }

  func field(_ key: String) -> SettingNode.Field? { fields.first { $0.key == key } }

  /// Whether an unknown key may be a slip of one of these, of which a problem tells already.
  func hasSlip(of keys: [String]) -> Bool { keys.contains(where: meant.contains) }

  func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Returns the line of a key, or of the key below it as far as there is one.
  func line(of key: String, _ inner: String? = nil) -> Int? {
    guard let field = field(key) else { return nil }
    guard case .fields(let fields) = field.node.content else { return field.line }
    return fields.first { $0.key == inner }?.line ?? field.line
  }

  func report(_ message: String, key: String) {
    problems.add(message, key: full(key), line: field(key)?.line ?? line)
  }
}

extension SettingReader {
  /// Returns the sections of a list, each with the keys `known`; none where it is missing, no list, or too long.
  func entries(_ key: String, max: Int, known: [String]) -> [SettingReader] {
    switch node(key)?.content {
    case .none, .nothing: return []
    case .list(let items) where items.count > max:
      report("has \(items.count) entries; write at most \(max)", key: key)
      return []
    case .list(let items):
      return items.enumerated().map { index, item in
        SettingReader(item, path: "\(full(key))[\(index)]", known: known, problems: problems)
      }
    case .text, .fields:
      report("must be a list; begin each entry with - \(known.first ?? "key"):", key: key)
      return []
    }
  }

  /// Reads one value into its place, which keeps its default when the key is not given.
  package func read<Value: Sendable>(
    _ key: String, into place: inout Value, _ rule: ValueRule<Value>
  ) {
    if let value = value(key, rule) { place = value }
  }

  /// Reads one value that has no default.
  package func read<Value: Sendable>(
    _ key: String, into place: inout Value?, _ rule: ValueRule<Value>
  ) {
    if let value = value(key, rule) { place = value }
  }

  /// Reads one value, or several in a list. With `endingInColon`, a value that YAML reads as a key is accepted.
  package func readList<Value: Sendable>(
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

  private func value<Value: Sendable>(_ key: String, _ rule: ValueRule<Value>) -> Value? {
    guard let field = field(key) else { return nil }
    return parse(field.node, key, line: field.line, rule)
  }

  /// Most bytes of a text that is parsed; no value is as long.
  private static let textBytesMax = 65_536

  private func parse<Value: Sendable>(
    _ node: SettingNode, _ key: String, line: Int, _ rule: ValueRule<Value>
  ) -> Value? {
    guard case .text(let text) = node.content else {
      problems.add("has \(node.kind); write \(rule.wanted)", key: full(key), line: line)
      return nil
    }
    guard text.utf8.count <= Self.textBytesMax else {
      let problem = "has \(text.utf8.count) bytes; write \(rule.wanted)"
      problems.add(problem, key: full(key), line: line)
      return nil
    }
    do throws(InvalidValue) {
      return try rule.parse(text)
    } catch {
      problems.add(error, of: text, key: full(key), line: line)
      return nil
    }
  }
}
