/// One row for each kind of events: its subject, its weight, and its line in the process's log.
package struct EventRow: Sendable {
  /// What events are about; event logs offer these to choose from.
  package enum Group: String, CaseIterable, Sendable {
    case states
    case titles
    case programmes
    case upstreams
    case listeners
    case recordings
    case sound
    case relay
    /// Figures, for watchers that name their kind.
    case figures
  }

  package enum Weight: String, Sendable {
    case bad
    case odd
    case good
    case plain
  }

  /// A line of the process's log.
  package enum Line {
    case note(String)
    /// For a search for faults.
    case detail(String)
    /// May come again and again while something is wrong.
    case trouble(String)
    /// A trouble that the relay cannot go on with.
    case failure(String)
    /// Says that a trouble is over.
    case recovery(String)
  }

  package enum Log: Sendable {
    /// Other lines say it, or it comes many times a minute.
    case none
    /// The whole event, for a search for faults.
    case whole
    case line(@Sendable (RelayEvent) -> Line)
  }

  /// Nil for what no event log shows.
  package let group: Group?
  package let weight: Weight
  /// Whether whoever connects and hangs up makes such events, as many as they like.
  let isOfListener: Bool
  package let log: Log

  private init(
    _ group: Group?, _ weight: Weight = .plain, isOfListener: Bool = false, _ log: Log = .none
  ) {
    (self.group, self.weight, self.isOfListener, self.log) = (group, weight, isOfListener, log)
  }

  private static func line(
    _ group: Group, _ weight: Weight = .plain, isOfListener: Bool = false,
    _ line: @escaping @Sendable (RelayEvent) -> Line
  ) -> EventRow {
    EventRow(group, weight, isOfListener: isOfListener, .line(line))
  }

  static func of(_ kind: RelayEvent.Kind) -> EventRow {
    switch kind {
    case .state, .metadata, .moved, .missed: EventRow(nil)
    case .figures, .levels, .spectrum, .sound: EventRow(.figures)
    case .connecting: EventRow(.states, .odd)
    case .buffering: EventRow(.states)
    case .playing:
      line(.states, .good) {
        .recovery("playing" + ($0["reason"].isEmpty ? "" : ": \($0["reason"])"))
      }
    case .paused:
      line(.states) {
        .note("paused: \($0["reason"].isEmpty ? "nobody listens" : "\($0["reason"])")")
      }
    case .stopped: line(.states) { _ in .note("stopped") }
    case .failed: line(.states, .bad) { .trouble("failed: \($0["reason"])") }
    case .metadataLive: EventRow(.titles, .plain, .whole)
    case .httpError:
      line(.upstreams, .odd) {
        let status = $0["status"]
        return .trouble((status.isEmpty ? $0["reason"] : "answered \(status)") + " (\($0["url"]))")
      }
    case .badContent:
      line(.upstreams, .bad) {
        .trouble("no audio of a known format: \($0["reason"]) (\($0["url"]))")
      }
    case .missingContent: line(.upstreams, .bad) { .trouble("an empty answer (\($0["url"]))") }
    case .notFound: line(.upstreams, .bad) { .trouble("not found (\($0["url"]))") }
    case .timeout:
      line(.upstreams, .odd) { .trouble("timed out: \($0["reason"]) (\($0["url"]))") }
    case .tooSlow:
      line(.upstreams, .odd) { .trouble("delivers at \($0["rate"]) of real time (\($0["url"]))") }
    case .tooFast:
      line(.upstreams, .odd) {
        .trouble("delivers at \($0["rate"]) of real time, as a loop of relays would (\($0["url"]))")
      }
    case .programEnded: line(.upstreams, .odd) { .trouble("\($0["reason"]) (\($0["url"]))") }
    case .reconnected:
      line(.upstreams, .good) {
        .recovery(
          "back: \($0["stitchedSeconds"]) s made good, \($0["lostSeconds"]) s lost" + $0.uncertain)
      }
    case .gap: EventRow(.upstreams, .odd, .whole)
    case .fallbackStarted:
      line(.upstreams, .odd) { .note("listeners get the fallback, \($0["fallback"])") }
    case .fallbackStopped:
      line(.upstreams, .good) {
        .note("listeners are back from \($0["fallback"]) after \($0["seconds"]) s")
      }
    case .fallbackRefused: line(.upstreams, .bad) { .trouble("no fallback: \($0["reason"])") }
    case .listenerConnected, .listenerDisconnected:
      EventRow(.listeners, isOfListener: true, .whole)
    case .skipped, .exhausted: EventRow(.listeners, .odd, isOfListener: true, .whole)
    case .fileComplete:
      line(.listeners, isOfListener: true) {
        $0["url"].isEmpty
          ? .detail("a listener has got \($0["path"]) to its end")
          : .note("came to its end (\($0["url"]))")
      }
    // Who posts these logs what has been done.
    case .recordingStarted, .recordingStopped, .recordingDeleted: EventRow(.recordings)
    case .configReloaded, .certificateTaken: EventRow(.relay)
    case .certificateExpires: EventRow(.relay, .odd)
    case .recordingWaiting:
      line(.recordings, .odd) { .trouble("recording \($0["recording"]): \($0["reason"])") }
    case .recordingResumed:
      line(.recordings, .good) { .note("recording \($0["recording"]) goes on") }
    // Without numbers, so that what comes again is counted.
    case .silenceStarted: line(.sound, .odd) { _ in .trouble("dead air") }
    case .silenceStopped:
      line(.sound) { .recovery("sound again after \($0["seconds"]) s of dead air") }
    case .loudnessOut: line(.sound, .odd) { .trouble("loudness is \($0["bound"]) its bound") }
    case .loudnessBack:
      line(.sound) { .recovery("loudness is within its bounds again after \($0["seconds"]) s") }
    case .clipping: line(.sound, .odd) { .trouble("clipping in channel \($0["channel"])") }
    case .tapCreated, .tapDisposed: EventRow(.sound, isOfListener: true)
    case .itemStarted: EventRow(.programmes, .plain, .whole)
    // The relay logs the file's path.
    case .itemFailed: EventRow(.programmes, .odd)
    case .insertMissed:
      line(.programmes, .odd) {
        .trouble("the insert \($0["rule"]) was missed, since \($0.whyMissed)")
      }
    case .partStarted:
      line(.programmes) {
        let until = $0["until"]
        return .note("plays \($0["play"])" + (until.isEmpty ? "" : " until \(until)"))
      }
    case .liveStarted: line(.programmes) { .note("plays the station \($0["from"])") }
    case .liveStopped:
      line(.programmes) { .note("has played the station \($0["from"]) for \($0["seconds"]) s") }
    case .programmeChanged:
      line(.programmes) {
        let what = $0["by"] == "library" ? "its music has changed" : "its rules have changed"
        return .note("\(what): \($0["tracks"]) tracks")
      }
    case .storageFailed: line(.relay, .bad) { .failure("disk: \($0["reason"])") }
    case .scanFinished:
      line(.relay) { event in
        let words = [("added", "new"), ("changed", "changed"), ("gone", "gone")]
        let text =
          "root \(event["root"]): looked through in \(event["seconds"]) s: \(event["files"]) files, "
          + words.map { "\(event[$0]) \($1), " }.joined()
          + "\(event["problems"]) cannot be played"
        let isSame = words.allSatisfy { event[$0.0] == "0" }
        return isSame ? .detail(text) : .note(text)
      }
    case .rootSuspect: line(.relay, .bad) { .trouble("root \($0["root"]): \($0["reason"])") }
    case .rootRestored: line(.relay, .good) { .recovery("root \($0["root"]): is there again") }
    case .storageRestored: line(.relay, .good) { _ in .recovery("disk: works again") }
    }
  }

  /// The kinds that event logs show, with their weights, by group: what pages know of kinds.
  package static var shown: JSON {
    .object(
      Group.allCases.filter { $0 != .figures }.map { group in
        let kinds = RelayEvent.Kind.allCases.filter { $0.row.group == group }
        let weights = kinds.map {
          JSON.Member(key: $0.rawValue, value: .string($0.row.weight.rawValue))
        }
        return JSON.Member(key: group.rawValue, value: .object(weights))
      })
  }
}

extension RelayEvent.Kind {
  package var row: EventRow { EventRow.of(self) }
}

extension RelayEvent {
  /// A detail as text, as everybody may see it; empty when it is missing or null.
  package subscript(key: String) -> String {
    switch details.first(where: { $0.key == key })?.value {
    case .string(let text): text
    case nil, .null: ""
    case .some(let value): value.text
    }
  }

  /// Why an insert was missed.
  fileprivate var whyMissed: String {
    switch self["reason"] {
    case "empty": "there is nothing to play"
    case "unknown": "its music was not looked through yet"
    default: "no border came in time"
    }
  }

  /// What only the clock tells about a reconnection.
  fileprivate var uncertain: String {
    let words = [
      ("overlapSeconds", "left out as heard before, by the clock"),
      ("repeatedSeconds", "alike, kept as played again"),
      ("insertedSeconds", "put in front of the programme"),
      ("pausedSeconds", "it had stood still"),
    ]
    return words.compactMap { key, words -> String? in
      let seconds = self[key]
      return ["", "0"].contains(seconds) ? nil : ", \(seconds) s \(words)"
    }.joined()
  }
}
