/// What a reload has changed.
public struct ReloadReport: Hashable, Sendable {
  public var added: [String] = []
  public var changed: [String] = []
  public var removed: [String] = []
  /// Keys whose new values take effect at the next start.
  public var needRestart: [String] = []

  package var json: JSON {
    func list(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
    return [
      "added": list(added), "changed": list(changed), "removed": list(removed),
      "needRestart": list(needRestart),
    ]
  }

  /// The report on one line for people.
  public var line: String {
    var parts: [String] = []
    for (word, list) in [("added", added), ("changed", changed), ("removed", removed)]
    where !list.isEmpty { parts.append("\(word) \(list.joined(separator: ", "))") }
    if parts.isEmpty { parts = ["no station has changed"] }
    if !needRestart.isEmpty {
      parts.append("from the next start on: \(needRestart.joined(separator: ", "))")
    }
    return parts.joined(separator: "; ")
  }
}

extension ReloadReport {
  /// Reads the report from the answer of a server.
  public init(_ json: JSON) {
    self.init(
      added: json.texts("added"), changed: json.texts("changed"), removed: json.texts("removed"),
      needRestart: json.texts("needRestart"))
  }
}
