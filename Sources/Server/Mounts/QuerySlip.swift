import Wire

/// Finds keys of a query that are the server's own but for a slip of the fingers: with `offfset=300` a listener would
/// hear live.
///
/// Players, directories and pages append keys of their own, which mean nothing here and are let be. So a slip is only a
/// key that is one letter off a long key of the server's, in any case, and no word that others use.
enum QuerySlip {
  /// Shorter keys (`at`, `to`, `from`) are one letter off keys that others append: `t`, `ts`, `form`.
  private static let keyBytesMin = 5
  /// Keys that break caches or name a programme, one letter off `burst` and `titles`.
  private static let others = ["bust", "title"]

  /// Refuses a query that has a slip.
  ///
  /// - Parameter known: all keys that count for this request.
  static func refuse(_ query: HTTPQuery, known: [String]) throws(StreamRequest.Refusal) {
    for item in query.items where !known.contains(item.key) {
      let key = item.key.lowercased()
      let meant = known.first { isSlip(key, of: $0) }
      guard let meant, !others.contains(key) else { continue }
      throw .init(field: item.key, message: "\(item.key) is not known; did you mean \(meant)?")
    }
  }

  private static func isSlip(_ key: String, of known: String) -> Bool {
    let (count, knownCount) = (key.utf8.count, known.utf8.count)
    // Lengths first, so that no client has the loop compare a key of kilobytes.
    return knownCount >= keyBytesMin && abs(count - knownCount) <= 1
      && EditDistance.of(key, known) <= 1
  }
}
