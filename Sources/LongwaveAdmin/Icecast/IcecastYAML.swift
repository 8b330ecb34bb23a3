import Longwave
import Wire

/// A YAML text under construction: sections that appear with their first line, and comments.
struct IcecastYAML {
  private(set) var text = ""
  /// The section's name until the section has content; then nil.
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

  /// Writes a line that is already YAML.
  mutating func line(_ line: String) {
    begin()
    text += "  \(Self.oneLine(line))\n"
  }

  mutating func note(_ line: String) {
    begin()
    text += "  # \(Self.oneLine(line))\n"
  }

  /// Adds lines that are already YAML.
  mutating func add(_ lines: String) {
    pending = nil
    text += lines
  }

  private mutating func begin() {
    guard let name = pending else { return }
    text += "\n\(name):\n"
    pending = nil
  }

  /// Keeps a comment on one line, so that no text of the other file ends it early.
  private static func oneLine(_ text: String) -> String { TerminalText.safe(text) }
}
