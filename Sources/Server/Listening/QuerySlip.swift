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
      let meant = known.first { $0.utf8.count >= keyBytesMin && isSlip(key.utf8, of: $0.utf8) }
      guard let meant, !others.contains(key) else { continue }
      throw .init(field: item.key, message: "\(item.key) is not known; did you mean \(meant)?")
    }
  }

  /// Whether they are equal, or differ by one letter: left out, too many, another one, or swapped with the next.
  private static func isSlip(_ key: String.UTF8View, of known: String.UTF8View) -> Bool {
    guard abs(key.count - known.count) <= 1 else { return false }
    var (a, b) = (Array(key)[...], Array(known)[...])
    while let first = a.first, first == b.first { (a, b) = (a.dropFirst(), b.dropFirst()) }
    while let last = a.last, last == b.last { (a, b) = (a.dropLast(), b.dropLast()) }
    if a.count <= 1, b.count <= 1 { return true }
    return a.count == 2 && a.elementsEqual(b.reversed())
  }
}
