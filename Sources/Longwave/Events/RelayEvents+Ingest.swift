import Ingest
import Server
import Timeshift
import Wire

extension RelayEvent {
  /// Returns the events for one event of ingest; a change of state gives two.
  static func events(
    of event: IngestEvent, station: String, time: WallTime, position edge: UInt64
  ) -> [RelayEvent] {
    func one(
      _ kind: Kind, at position: UInt64? = nil, _ details: KeyValuePairs<String, JSON> = [:]
    ) -> [RelayEvent] {
      [RelayEvent(kind, station: station, time: time, position: position ?? edge, details: details)]
    }
    func failure(
      _ kind: Kind, url: String, _ details: KeyValuePairs<String, JSON> = [:]
    ) -> [RelayEvent] {
      var event = RelayEvent(
        kind, station: station, time: time, position: edge, details: details,
        identity: ["url": .string(URLText.withoutCredentials(url))])
      event.hideLastWords()
      event.details.append(.init(key: "url", value: .string(URLText.withoutSecrets(url))))
      return [event]
    }
    switch event {
    case .state(let state, let reason):
      let details: KeyValuePairs<String, JSON> = [
        "state": .string(state.rawValue), "reason": JSON(reason.isEmpty ? nil : reason),
      ]
      return (one(.state, details) + one(kind(of: state), details)).map { event in
        var event = event
        event.hideLastWords()
        return event
      }
    case .title(let title, let position):
      let playing = NowPlaying(title)
      return one(
        .metadataLive, at: position,
        [
          "title": JSON(playing.title), "artist": JSON(playing.artist), "url": JSON(playing.url),
        ])
    case .gap(let gap):
      return one(
        .gap, at: gap.position, ["seconds": .number(gap.seconds), "cause": .string(gap.cause.word)])
    case .reconnected(let reconnection):
      return [RelayEvent(.reconnected, reconnection, station: station, time: time, position: edge)]
    case .httpError(let status, let url):
      return failure(.httpError, url: url, ["status": JSON(status)])
    case .badContent(let reason, let url):
      return failure(.badContent, url: url, ["reason": .string(reason)])
    case .missingContent(let url): return failure(.missingContent, url: url)
    case .notFound(let url): return failure(.notFound, url: url)
    case .timeout(let reason, let url):
      return failure(.timeout, url: url, ["reason": .string(reason)])
    case .tooSlow(let rate, let url):
      return failure(.tooSlow, url: url, ["rate": .number(rate)])
    case .tooFast(let rate, let url):
      return failure(.tooFast, url: url, ["rate": .number(rate)])
    case .fileComplete(let url): return failure(.fileComplete, url: url)
    case .failure(let reason, let url):
      return failure(.httpError, url: url, ["status": nil, "reason": .string(reason)])
    case .metadataFailed(let trouble, let url):
      return failure(trouble.kind, url: url, trouble.details)
    case .programEnded(let reason, let url):
      return failure(.programEnded, url: url, ["reason": .string(reason)])
    case .headers, .upstreamChanged, .upstreamLeft, .programSaid, .saidGoodbye: return []
    }
  }

  /// Leaves the last words of a program to administrators.
  private mutating func hideLastWords() {
    guard let index = details.firstIndex(where: { $0.key == "reason" }),
      case .string(let reason) = details[index].value
    else { return }
    let told = IngestEvent.publicPart(ofReason: reason)
    if told == reason { return }
    identity.append(details[index])
    details[index].value = .string(told)
  }

  private static func kind(of state: StationState) -> Kind {
    switch state {
    case .stopped: .stopped
    case .connecting: .connecting
    case .buffering: .buffering
    case .playing: .playing
    case .paused: .paused
    case .failed: .failed
    }
  }

  private init(
    _ kind: Kind, _ reconnection: Reconnection, station: String, time: WallTime, position: UInt64
  ) {
    self.init(
      kind, station: station, time: time, position: position,
      details: [
        "stitchedSeconds": .number(reconnection.stitchedSeconds),
        "lostSeconds": .number(reconnection.lostSeconds),
      ])
    // Details that only the clock tells, if there are any.
    let uncertain = [
      ("overlapSeconds", reconnection.overlapSeconds),
      ("repeatedSeconds", reconnection.repeatedSeconds),
      ("insertedSeconds", reconnection.insertedSeconds),
      ("pausedSeconds", reconnection.pausedSeconds),
    ]
    self.details += uncertain.filter { $0.1 > 0 }.map { .init(key: $0.0, value: .number($0.1)) }
  }
}

extension MetadataTrouble {
  fileprivate var kind: RelayEvent.Kind {
    switch self {
    case .status(404), .status(410): .notFound
    case .status, .failed: .httpError
    case .timeout: .timeout
    case .unreadable: .badContent
    }
  }

  /// Details of the trouble; `of` distinguishes it from an upstream's.
  fileprivate var details: KeyValuePairs<String, JSON> {
    switch self {
    case .status(404), .status(410): ["of": "metadata"]
    case .status(let status): ["of": "metadata", "status": JSON(status)]
    case .failed(let reason): ["of": "metadata", "status": nil, "reason": .string(reason)]
    case .timeout, .unreadable: ["of": "metadata", "reason": .string(reason)]
    }
  }
}
