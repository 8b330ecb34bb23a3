import Programmes
import Timeshift
import Wire

/// What a programme would play in some time, still to be worked out. Nothing is changed by it.
package struct ProgrammeRehearsal: Sendable {
  private let plan: Plan
  private let shelf: MusicShelf
  /// What plays already when the time begins.
  private let first: [ProgrammeItem]
  /// Milliseconds since 1970: when what plays is over.
  private let start: Int64
  private let from: Int64
  private let seconds: Int64

  /// - Parameters:
  ///   - from: Milliseconds since 1970.
  ///   - seconds: Up to `Rehearsal.secondsMax`.
  init(_ view: ProgrammeFeed.View, from: Int64, seconds: Int64) {
    (plan, shelf) = (view.plan, view.shelf)
    (self.from, self.seconds) = (from, seconds)
    start = view.end
    first = [view.report.now].compactMap(\.self).filter { _ in view.end > from }
  }

  /// The time that is looked at: up to two years, with the way there.
  package static let reach: Int64 = Rehearsal.secondsMax

  /// Works out the items; takes up to seconds.
  ///
  /// - Parameter isWanted: After a no, what was found is thrown away.
  package func json(while isWanted: () -> Bool) -> JSON {
    let found = Rehearsal(plan, from: from, seconds: seconds, since: start, while: isWanted)
    let coming = found.items.map { ProgrammeItem($0, shelf.file(of: $0)) }
    let missed = found.missed.map { missed -> JSON in
      [
        "rule": .string(missed.rule.text), "source": .string(missed.rule.source.text),
        "due": WallTime(milliseconds: missed.due).json, "reason": missed.reason.json,
      ]
    }
    let relaxed = Relaxed.allCases.compactMap { rule in
      found.relaxed[rule].map { JSON.Member(key: rule.rawValue, value: JSON($0)) }
    }
    return [
      "from": WallTime(milliseconds: from).json,
      "to": WallTime(milliseconds: from.saturatingAdd(seconds.saturatingMultiply(1000))).json,
      "items": .array((first + coming).map { $0.json(identified: true) }),
      "truncated": .bool(found.isTruncated), "missed": .array(missed),
      "relaxed": .object(relaxed), "silent": .number(Double(found.silent) / 1000),
    ]
  }

  package static let schema = Schema.object([
    ("from", Schema.time), ("to", Schema.time),
    ("items", Schema.list(Schema.named("Item"))), ("truncated", Schema.flag),
    (
      "missed",
      Schema.list(
        Schema.object([
          ("rule", Schema.text), ("source", Schema.text), ("due", Schema.time),
          ("reason", Schema.words(Step.Missed.Reason.allCases.map(\.rawValue))),
        ]))
    ),
    (
      "relaxed",
      Schema.object(Relaxed.allCases.map { ($0.rawValue, Schema.count) }, needed: [])
    ),
    ("silent", Schema.number),
  ])
}
