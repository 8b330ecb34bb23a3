import Wire

/// Finds the key somebody meant.
public enum KeySuggestion {
  /// What to say about `key`, which is not one of `known`.
  static func message(for key: String, among known: [String], section: String) -> String {
    if let meant = nearest(to: key, among: known) {
      return "unknown key; did you mean \(meant)?"
    }
    // Other programs call an upstream so.
    if key == "url", known == ConfigurationKeys.station {
      return "unknown key here; write upstream: for where the audio comes from "
        + "(url: belongs under metadata:)"
    }
    for (other, keys) in ConfigurationKeys.sections where other != section && keys.contains(key) {
      return "unknown key here; it belongs under \(other):"
    }
    return "unknown key; known here: \(known.joined(separator: ", "))"
  }

  /// The most similar of `known`, nil when none is similar enough to be what was meant.
  public static func nearest(to key: String, among known: [String]) -> String? {
    let plain = spelledAsHere(key)
    let candidates = known.map { (key: $0, distance: EditDistance.of(plain, $0)) }
    guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    // A third of the letters wrong is still a slip; more is another word.
    return best.distance <= max(1, best.key.count / 3) ? best.key : nil
  }

  private static func spelledAsHere(_ key: String) -> String {
    SettingKey.file(key).map { $0 == "_" || $0 == " " ? "-" : String($0) }.joined()
  }
}
