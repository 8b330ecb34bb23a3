/// What gives a station a key by command: an option of `station add` and `station edit`.
package struct KeyOption: Sendable {
  /// What an option is listed under.
  package enum Group: Sendable, CaseIterable {
    case about
    case serving
    case pulling
  }

  /// How an option is written.
  package enum Form: Sendable {
    case text
    /// A text that may begin with a minus.
    case signed
    case number
    /// `--NAME` or `--no-NAME`.
    case flag
    /// A text that may be given several times.
    case list
    /// The id of a station.
    case station
  }

  /// The key's name in files.
  package let key: String
  package let group: Group
  package let form: Form
  /// What the key does, in one sentence.
  package let help: String
  /// What stands for the value in help; nil for the option's name.
  package let placeholder: String?

  /// The option's name; an option for one of several values is in the singular.
  package var name: String {
    form == .list && key.hasSuffix("s") ? String(key.dropLast()) : key
  }

  /// Every option, in the order in which people are shown the keys.
  package static let all = StationKeys.all.compactMap(\.option)
}

extension KeyRow {
  /// Returns the row of a key that is given by command, too.
  ///
  /// - Parameters:
  ///   - form: nil for what the value's shape in bodies says.
  ///   - placeholder: what stands for the value in help.
  func option(
    _ group: KeyOption.Group, _ help: String, _ placeholder: String? = nil,
    form: KeyOption.Form? = nil
  ) -> KeyRow {
    var row = self
    row.option = KeyOption(
      key: name, group: group, form: form ?? self.form, help: help, placeholder: placeholder)
    return row
  }

  private var form: KeyOption.Form {
    if schema == Schema.known(Schema.flag) { return .flag }
    if schema == Schema.severalTexts { return .list }
    return schema["type"] == ["integer", "null"] ? .number : .text
  }
}
