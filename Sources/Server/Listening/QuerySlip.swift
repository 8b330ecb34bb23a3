import Wire

/// Finds keys of a query that are ours but for a slip of the fingers: whoever wrote `offfset=300` would hear live.
///
/// Players, directories and pages append keys of their own, which mean nothing here and are let be. So only what is one
/// letter off a long key of ours is a slip, in any case, and no word that others use.
enum QuerySlip {
  /// Shorter keys (`at`, `to`, `from`) are one letter off what others append: `t`, `ts`, `form`.
  private static let keyBytesMin = 5
  /// What breaks caches or names a programme, one letter off `burst` and `titles`.
  private static let others = ["bust", "title"]

  /// - Parameter known: all that count for this request.
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
    // Lengths first: nobody has the loop compare a key of kilobytes.
    return knownCount >= keyBytesMin && abs(count - knownCount) <= 1
      && EditDistance.of(key, known) <= 1
  }
}
