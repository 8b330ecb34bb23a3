import Ingest
import Reactor
import Server
import Wire

/// A value of a key, with the JSON that request bodies and the store have for it.
protocol SettingValue: Hashable, Sendable {
  var json: JSON { get }
}

extension String: SettingValue {}
extension Int: SettingValue {}
extension Int64: SettingValue {}
extension UInt64: SettingValue {}
extension Double: SettingValue {}
extension Bool: SettingValue {}

extension SettingValue where Self: RawRepresentable, RawValue == String {
  var json: JSON { .string(rawValue) }
}

extension ListenerSettings.Behind: SettingValue {}

extension AudioType: SettingValue {}

extension TitlePage.Kind: SettingValue {}

extension ListenerSettings.Paused: SettingValue {}

extension SocketAddress: SettingValue {
  var json: JSON { .string(description) }
}

extension AddressRange: SettingValue {
  var json: JSON { .string(description) }
}

extension Glob: SettingValue {
  var json: JSON { .string(text) }
}

extension TitlePattern: SettingValue {
  var json: JSON { .string(text) }
}

extension CharsetName: SettingValue {
  var json: JSON { .string(name) }
}

extension ZoneOffsets: SettingValue {
  var json: JSON { JSON(name) }
}

extension FallbackSetting: SettingValue {
  var json: JSON { .string(text) }
}

extension JSON {
  /// Returns a list, or null for an empty one: files leave it out, so it counts as not given.
  static func list(_ items: [JSON]) -> JSON { items.isEmpty ? .null : .array(items) }
}
