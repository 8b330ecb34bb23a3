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
    given = try Self.options.compactMap { option in
      try option.value(in: values).map { JSON.Member(key: option.member, value: $0) }
    }
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

  /// The key in a body.
  var member: String { SettingKey.json(key) }

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
