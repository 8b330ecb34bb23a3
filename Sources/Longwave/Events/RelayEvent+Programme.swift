import Programmes
import Timeshift
import Wire

// Events of programmes. Only administrators see paths of files and folders.
extension RelayEvent {
  /// Returns the event that watchers are told; nil for what is only counted.
  ///
  /// - Parameter edge: the station's live edge.
  static func event(
    of event: ProgrammeEvent, station: String, time: WallTime, position edge: UInt64
  ) -> RelayEvent? {
    func make(
      _ kind: Kind, at position: UInt64? = nil, _ details: KeyValuePairs<String, JSON>,
      identity: KeyValuePairs<String, JSON> = [:]
    ) -> RelayEvent {
      RelayEvent(
        kind, station: station, time: time, position: position ?? edge, details: details,
        identity: identity)
    }
    switch event {
    case .started(let item, let position):
      return make(
        .itemStarted, at: position,
        [
          "item": JSON(item.item), "itemKind": item.kind.json,
          "track": JSON(item.track?.description), "title": JSON(item.title),
          "artist": JSON(item.artist), "album": JSON(item.album),
          "source": JSON(item.source?.publicText), "why": item.why.json,
          "seconds": JSON(item.seconds), "join": item.join.json, "relaxed": item.relaxed.json,
        ], identity: ["source": JSON(item.source?.text)])
    case .failed(let loss):
      guard loss.isTold else { return nil }
      return make(
        .itemFailed,
        [
          "item": JSON(loss.item), "track": JSON(loss.track?.description),
          "title": JSON(loss.title), "reason": .string(loss.reason), "after": .number(loss.seconds),
        ], identity: ["path": JSON(loss.path)])
    case .missed(let rule, let due, let reason):
      return make(
        .insertMissed,
        [
          "rule": .string(rule.text), "due": due.json, "reason": reason.json,
          "source": .string(rule.source.publicText),
        ], identity: ["source": .string(rule.source.text)])
    case .part(let choice, let until):
      return make(
        .partStarted,
        ["play": JSON(choice?.shown(identified: false)), "until": JSON(until)],
        identity: ["play": JSON(choice?.shown(identified: true))])
    case .liveStarted(let station, let position):
      return make(.liveStarted, at: position, ["from": .string(station)])
    case .liveStopped(let station, let seconds):
      return make(.liveStopped, ["from": .string(station), "seconds": .number(seconds)])
    case .changed(let cause, let tracks):
      return make(.programmeChanged, ["by": cause.json, "tracks": JSON(tracks)])
    case .passedThrough, .made, .late: return nil
    }
  }

  /// The details that only these kinds have, with their shapes.
  package static let programmeFields: [(String, JSON)] = [
    ("item", Schema.count), ("itemKind", TitleItem.Kind.schema), ("track", String?.schema),
    ("album", String?.schema), ("source", String?.schema), ("why", Planned.Why?.schema),
    ("join", Join.schema), ("relaxed", [Relaxed].schema), ("after", Schema.number),
    ("rule", Schema.text), ("due", Schema.time), ("play", String?.schema),
    ("until", WallTime?.schema), ("from", Schema.text), ("by", ProgrammeEvent.Cause.schema),
    ("tracks", Schema.count),
  ]
}
