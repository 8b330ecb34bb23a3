import Wire

/// YAML in the making: sections that appear with their first line, and comments.
struct IcecastYAML {
  private(set) var text = ""
  /// The section's name, until something is in it; then nil.
  private var pending: String?

  mutating func comment(_ line: String) { text += "# \(Self.oneLine(line))\n" }

  mutating func section(_ name: String) { pending = name }

  mutating func value(_ key: String, _ value: String) {
    begin()
    let isPlain = DurationText.parse(value) != nil
    text += "  \(key): \(isPlain ? value : YAMLText.string(value))\n"
  }

  mutating func list(_ key: String, _ values: [String]) {
    guard !values.isEmpty else { return }
    begin()
    text += "  \(key): [\(values.map { JSON.string($0).text }.joined(separator: ", "))]\n"
  }

  /// A whole number that our rule takes; nothing for another.
  mutating func number(_ key: String, _ text: String?, _ range: ClosedRange<Int>) {
    guard let text, let number = Int(text), range.contains(number) else { return }
    begin()
    self.text += "  \(key): \(number)\n"
  }

  mutating func note(_ line: String) {
    begin()
    text += "  # \(Self.oneLine(line))\n"
  }

  /// Lines that are YAML already.
  mutating func add(_ lines: String) {
    pending = nil
    text += lines
  }

  private mutating func begin() {
    guard let name = pending else { return }
    text += "\n\(name):\n"
    pending = nil
  }

  /// Nothing of the other file ends a comment early.
  private static func oneLine(_ text: String) -> String { TerminalText.safe(text) }
}
