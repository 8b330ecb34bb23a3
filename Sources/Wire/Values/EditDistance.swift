/// The distance between a written word and a word that may have been meant.
public enum EditDistance {
  /// Returns how many letters must be deleted, inserted, replaced or swapped with the next to turn one word into the
  /// other: the optimal string alignment distance.
  ///
  /// Only the first 64 letters of `a` count, so the work is linear in the length of `b`.
  public static func of(_ a: String, _ b: String) -> Int {
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
