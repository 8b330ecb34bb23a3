import Longwave

/// The result of an import, station by station.
public struct ImportReport: Sendable {
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    case added, updated, kept, failed
  }

  public struct Entry: Hashable, Sendable {
    public var outcome: Outcome
    /// The station's id; nil when it got none.
    public var id: String?
    public var label: String
    /// The reason for the outcome, and what was left out.
    public var notes: [String]

    /// The entry as one line for people: `added jazz (All Jazz)`.
    public var line: String {
      let name = id.map { $0 == label ? $0 : "\($0) (\(label))" } ?? label
      let tail = notes.isEmpty ? "" : ": " + notes.joined(separator: "; ")
      return "\(outcome.rawValue) \(name)\(tail)"
    }
  }

  public var entries: [Entry] = []
  /// Whether the import only reported and changed nothing.
  public var isDryRun = false

  public var hasFailures: Bool { entries.contains { $0.outcome == .failed } }

  /// The numbers of outcomes: `3 added, 1 kept`.
  public var summary: String {
    let counts = Outcome.allCases.compactMap { outcome -> String? in
      let count = entries.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.rawValue)"
    }
    let text = counts.isEmpty ? "nothing in it" : counts.joined(separator: ", ")
    return isDryRun ? "\(text) (dry run: nothing was changed)" : text
  }

  public var json: JSON {
    [
      "entries": .array(
        entries.map {
          [
            "outcome": .string($0.outcome.rawValue), "id": JSON($0.id), "label": .string($0.label),
            "notes": .array($0.notes.map(JSON.string)),
          ]
        }),
      "dryRun": .bool(isDryRun),
    ]
  }
}
