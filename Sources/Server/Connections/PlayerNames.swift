/// A User-Agent, held once per loop however many listeners have it.
final class PlayerName: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

/// The User-Agents of a loop's listeners.
struct PlayerNames {
  private static let countMax = 1024
  private var names: [String: PlayerName] = [:]

  mutating func name(_ text: String?) -> PlayerName? {
    guard let text else { return nil }
    // 256 characters are enough to recognise a player.
    let cut = String(text.prefix(256))
    if let name = names[cut] { return name }
    if names.count >= Self.countMax { names.removeAll() }
    let name = PlayerName(cut)
    names[cut] = name
    return name
  }
}
