import Wire

/// Finds keys of a query that are the server's own but for a slip of the fingers: with `offfset=300` a listener would
/// hear live.
///
/// Players, directories and pages append keys of their own, which mean nothing here and are let be. So a slip is a key
/// one letter off a long key of the server's, or two letters off a longer one with the same first letter. Case does not
/// count, and words that others use are no slips.
package enum QuerySlip {
  /// Shorter keys (`at`, `to`, `from`) are one letter off keys that others append: `t`, `ts`, `form`.
  private static let keyBytesMin = 5
  /// From so many bytes on, two letters may be wrong.
  private static let longKeyBytesMin = 6
  /// Keys that break caches or name a programme, and words that are near to the server's keys.
  private static let others = [
    "bust", "title", "season", "section", "sessionid", "reserve", "former",
  ]

  /// Refuses a query that has a slip.
  ///
  /// - Parameter known: all keys that count for this request.
  static func refuse(_ query: HTTPQuery, known: [String]) throws(StreamRequest.Refusal) {
    for item in query.items {
      guard let meant = meant(by: item.key, known: known) else { continue }
      throw .init(field: item.key, message: "\(item.key) is not known; did you mean \(meant)?")
    }
  }

  /// Returns the key that was meant by one that is not known; nil for a key that is no slip.
  package static func meant(by key: String, known: [String]) -> String? {
    // Lengths first, so that no client has the loop compare a key of kilobytes.
    guard key.utf8.count <= lengthMax, !known.contains(key) else { return nil }
    let key = key.lowercased()
    return others.contains(key) ? nil : known.first { isSlip(key, of: $0) }
  }

  /// Longer than any key of the server's with a slip.
  private static let lengthMax = 32

  private static func isSlip(_ key: String, of known: String) -> Bool {
    let (count, knownCount) = (key.utf8.count, known.utf8.count)
    guard knownCount >= keyBytesMin, abs(count - knownCount) <= 2 else { return false }
    switch EditDistance.of(key, known) {
    case ...1: return true
    case 2: return min(count, knownCount) >= longKeyBytesMin && key.first == known.first
    default: return false
    }
  }
}
