import ArgumentParser
import Longwave

/// Keys that are listed under one title.
protocol KeyGroup {
  static var group: KeyOption.Group { get }
}

enum KeysAbout: KeyGroup { static let group = KeyOption.Group.about }
enum KeysOfServing: KeyGroup { static let group = KeyOption.Group.serving }
enum KeysOfPulling: KeyGroup { static let group = KeyOption.Group.pulling }

/// The options for a group of a station's keys, made of the keys' rows.
///
/// The parser finds options in a value's mirror, as it finds those that are declared, and decodes each by its label.
struct KeyOptions<Group: KeyGroup>: ParsableArguments, CustomReflectable {
  /// The options that were given, as members of a body.
  private(set) var given: [JSON.Member] = []

  private static var options: [KeyOption] { KeyOption.all.filter { $0.group == Group.group } }

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: KeyOption.Label.self)
    let found = try Self.options.compactMap { option in
      try option.value(in: values).map { (option: option, value: $0) }
    }
    given = found.filter { $0.option.section == nil }.map {
      JSON.Member(key: $0.option.member, value: $0.value)
    }
    for (option, value) in found { if option.section != nil { put(value, by: option) } }
  }

  /// Two options of which one turns off what the other one is for.
  private var contradiction: (off: String, other: String)?

  /// Puts the value of a section's key into the section.
  private mutating func put(_ value: JSON, by option: KeyOption) {
    guard let section = option.section else { return }
    let index = given.firstIndex { $0.key == section }
    let known = index.map { given.remove(at: $0).value }
    if known == .bool(false) { contradiction = ("--no-\(section)", "--\(option.name)") }
    let member = JSON.Member(key: SettingKey.json(option.key), value: value)
    given.append(JSON.Member(key: section, value: .object((known?.members ?? []) + [member])))
  }

  func validate() throws {
    guard let contradiction else { return }
    throw ValidationError(
      "\(contradiction.off) and \(contradiction.other) exclude each other; give one of them")
  }

  var customMirror: Mirror {
    Mirror(self, children: Self.options.map { ($0.label.stringValue, $0.argument) })
  }
}

extension KeyOption {
  fileprivate struct Label: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The key in a body, behind that of its section.
  var member: String { (section.map { "\($0)." } ?? "") + SettingKey.json(key) }

  /// The parser makes the option's name of it.
  fileprivate var label: Label { Label(stringValue: SettingKey.json(name)) }

  /// The option as a property would declare it.
  fileprivate var argument: Any {
    let help = ArgumentHelp(help, valueName: placeholder)
    return switch form {
    case .text: Option<String?>(help: help)
    case .signed: Option<String?>(parsing: .unconditional, help: help)
    case .station: Option<String?>(help: help, completion: .stations)
    case .number: Option<Int?>(help: help)
    case .flag: Flag<Bool?>(inversion: .prefixedNo, help: help)
    case .list: Option<[String]>(wrappedValue: [], help: help)
    }
  }

  /// Returns what was given; nil for nothing.
  fileprivate func value(in values: KeyedDecodingContainer<Label>) throws -> JSON? {
    func decoded<Value: Decodable>(_ type: Option<Value>.Type) throws -> Value {
      try values.decode(type, forKey: label).wrappedValue
    }
    switch form {
    case .text, .signed, .station: return try decoded(Option<String?>.self).map(JSON.string)
    case .number: return try decoded(Option<Int?>.self).map { .string("\($0)") }
    case .flag:
      return try values.decode(Flag<Bool?>.self, forKey: label).wrappedValue.map(JSON.bool)
    case .list:
      let list = try decoded(Option<[String]>.self)
      return list.isEmpty ? nil : .array(list.map(JSON.string))
    }
  }
}
