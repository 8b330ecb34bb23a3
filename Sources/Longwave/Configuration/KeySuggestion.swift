/// Finds the key somebody meant.
enum KeySuggestion {
  /// What to say about `key`, which is not one of `known`.
  static func message(for key: String, among known: [String], section: String) -> String {
    if let meant = nearest(to: key, among: known) {
      return "unknown key; did you mean \(meant)?"
    }
    for (other, keys) in ConfigurationKeys.sections where other != section && keys.contains(key) {
      return "unknown key here; it belongs under \(other):"
    }
    return "unknown key; known here: \(known.joined(separator: ", "))"
  }

  /// The most similar of `known`, nil when none is similar enough to be what was meant.
  static func nearest(to key: String, among known: [String]) -> String? {
    let plain = spelledAsHere(key)
    let candidates = known.map { (key: $0, distance: distance(plain, $0)) }
    guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    // A third of the letters wrong is still a slip; more is another word.
    return best.distance <= max(1, best.key.count / 3) ? best.key : nil
  }

  private static func spelledAsHere(_ key: String) -> String {
    SettingKey.file(key).map { $0 == "_" || $0 == " " ? "-" : String($0) }.joined()
  }

  /// Edits (insert, delete, replace, swap neighbours) between two words: optimal string alignment.
  static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a.unicodeScalars.prefix(64))
    let b = Array(b.unicodeScalars)
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var table = [[Int]](repeating: Array(0...b.count), count: a.count + 1)
    for i in 1...a.count {
      table[i][0] = i
      for j in 1...b.count {
        let change = a[i - 1] == b[j - 1] ? 0 : 1
        var best = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + change)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          best = min(best, table[i - 2][j - 2] + 1)
        }
        table[i][j] = best
      }
    }
    return table[a.count][b.count]
  }
}
