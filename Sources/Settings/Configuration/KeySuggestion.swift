import Wire

/// A section's name, and its keys in the order in which people are shown them.
package typealias ConfigurationSection = (name: String, keys: [String])

/// Finds the key that was meant.
package enum KeySuggestion {
  /// Returns the message about `key`, which is not one of `known`.
  ///
  /// - Parameter sections: all sections, where the key may belong to another one.
  static func message(
    for key: String, among known: [String], section: String, sections: [ConfigurationSection]
  ) -> String {
    if let what = later[key] { return "comes with \(what), in a later version; leave it out" }
    if let word = others[key]?.first(where: known.contains) {
      return "unknown key here; write \(word):"
    }
    if nearest(to: key, among: known) != nil { return message(for: key, among: known) }
    // Other programs call an upstream `url`.
    if key == "url", sections.contains(where: { $0.name == "stations" && $0.keys == known }) {
      return "unknown key here; write upstream: for where the audio comes from "
        + "(url: belongs under metadata:)"
    }
    for other in sections where other.name != section && other.keys.contains(key) {
      return "unknown key here; it belongs under \(other.name):"
    }
    return message(for: key, among: known)
  }

  /// Returns the message about a key that is none of `known`, where there are no others.
  package static func message(for key: String, among known: [String]) -> String {
    let advice = nearest(to: key, among: known).map { "did you mean \($0)?" }
    return "unknown key; " + (advice ?? "known here: \(known.joined(separator: ", "))")
  }

  /// Keys that are planned, with what they come.
  private static let later = [
    "cluster": "clusters",
    "preroll-max": "the way round announcements for newcomers",
  ]

  /// Words of other sections, or of other programs, with those that are meant where one of them is known.
  private static let others = [
    "description": ["text"], "title": ["name"], "artwork": ["picture"], "image": ["picture"],
    "start": ["from"], "end": ["to"],
  ]

  /// Returns a key as a message may name it: as written if it is known somewhere, a slip of such a key, or a short word.
  /// Anything else may be a secret in the wrong place.
  ///
  /// - Parameter known: the names of all keys.
  static func shown(_ key: String, among known: Set<String>) -> String {
    if key.utf8.count > shownBytesMax { return "?" }
    // A token has eight bytes or more.
    if key.utf8.count < 8, key.utf8.allSatisfy({ (97...122).contains($0) || $0 == 45 }) {
      return key
    }
    let plain = spelledAsHere(key)
    let isMeant = known.contains { known in
      let slips = max(1, known.count / 3)
      return abs(known.count - plain.count) <= slips && EditDistance.of(plain, known) <= slips
    }
    return isMeant ? LogText.line(key) : "?"
  }

  private static let shownBytesMax = 40

  /// Returns the names of all keys and sections, and of what people write for them.
  static func names(of sections: [ConfigurationSection]) -> Set<String> {
    Set(sections.flatMap { [$0.name] + $0.keys } + ["url"]).union(later.keys)
  }

  /// Returns the most similar of `known`; nil when none is similar enough to be the key that was meant.
  package static func nearest(to key: String, among known: [String]) -> String? {
    let plain = spelledAsHere(key)
    let candidates = known.map { (key: $0, distance: EditDistance.of(plain, $0)) }
    guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    // A third of the letters wrong is still a slip; more is another word.
    return best.distance <= max(1, best.key.count / 3) ? best.key : nil
  }

  /// With more stations, comparing each would take a long time for a long list of mistakes.
  private static let comparedMax = 256

  /// Returns the message about a station that is not one of `known`, with the nearest id.
  ///
  /// - Parameter own: the station that names it, which is not meant; nil for none.
  package static func noStation(
    _ id: String, besides own: String? = nil, among known: some Collection<String>
  ) -> String {
    // Of two letters, one is no slip.
    let isCompared = known.count <= comparedMax && id.utf8.count > 2
    let few = isCompared ? known.filter { $0 != own }.sorted() : []
    let meant = nearest(to: id, among: few).map { "; did you mean \"\($0)\"?" } ?? ""
    return "there is no station \"\(id)\"\(meant)"
  }

  private static func spelledAsHere(_ key: String) -> String {
    SettingKey.file(key).map { $0 == "_" || $0 == " " ? "-" : String($0) }.joined()
  }
}
