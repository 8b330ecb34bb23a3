import Library

/// Which stations play each collection, by itself or in another one.
struct CollectionUses: Sendable {
  /// Stations by the collections that they name.
  var users: [String: [String]] = [:]
  /// Collections by what is a member of them, or what their rules ask for.
  var around: [String: Set<String>] = [:]

  /// Notes what a rule asks for.
  mutating func add(rule: String, of id: String) {
    guard let rule = try? CollectionRule(rule) else { return }
    for name in rule.collections { around[name, default: []].insert(id) }
  }

  func stations(playing id: String) -> [String] {
    var (seen, waiting): (Set<String>, [String]) = ([id], [id])
    var found: Set<String> = []
    while let next = waiting.popLast() {
      found.formUnion(users[next] ?? [])
      for outer in around[next] ?? [] where seen.insert(outer).inserted { waiting.append(outer) }
    }
    return found.sorted()
  }
}
