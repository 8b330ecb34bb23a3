/// What gives a station a key by command: an option of `station add` and `station edit`.
package struct KeyOption: Sendable {
  /// What an option is listed under.
  package enum Group: Sendable {
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

  /// The section that has the key; nil for a key of the station itself.
  package var section: String?
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
    if let section { return "\(section)-\(key)" }
    return form == .list && key.hasSuffix("s") ? String(key.dropLast()) : key
  }
}
