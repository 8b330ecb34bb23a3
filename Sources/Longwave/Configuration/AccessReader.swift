import Reactor
import Server
import Wire

extension AccessRules {
  /// The same keys everywhere and for one station.
  mutating func read(_ reader: SettingReader) {
    reader.readList("allow", into: &allow, .addressRange)
    reader.readList("deny", into: &deny, .addressRange)
    reader.readList("deny-agents", into: &denyAgents, .agentPattern)
  }

  /// As request bodies and the store have it: what a file leaves out is null, so that it counts as not given.
  var members: [JSON.Member] {
    func list(_ texts: [String]) -> JSON {
      texts.isEmpty ? .null : .array(texts.map(JSON.string))
    }
    return [
      .init(key: "allow", value: list(allow.map(\.description))),
      .init(key: "deny", value: list(deny.map(\.description))),
      .init(key: "denyAgents", value: list(denyAgents.map(\.text))),
    ]
  }
}

extension ValueRule where Value == Glob {
  /// What a User-Agent looks like.
  static var agentPattern: ValueRule {
    let wanted = "a pattern for User-Agents, such as \"BadBot*\""
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard !text.isEmpty, text.utf8.count <= 256 else {
        throw InvalidValue("is empty or longer than 256 bytes; write \(wanted)")
      }
      return Glob(text)
    }
  }
}
