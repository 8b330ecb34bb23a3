import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// What has to become of an odd upstream: what is waited for, and what must be true then.
struct Expectation: Sendable {
  typealias Check = @Sendable (IngestHarness, [FakeUpstream.Request]) throws -> Void

  private var conditions: [@Sendable (IngestHarness) -> Bool] = []
  private var checks: [Check] = []

  init(
    when condition: @escaping @Sendable (IngestHarness) -> Bool,
    _ check: @escaping Check = { _, _ in }
  ) {
    conditions = [condition]
    checks = [check]
  }

  func hasCome(in station: IngestHarness) -> Bool { conditions.allSatisfy { $0(station) } }

  func check(_ station: IngestHarness, _ requests: [FakeUpstream.Request]) throws {
    for check in checks { try check(station, requests) }
  }

  func and(_ other: Expectation) -> Expectation {
    var both = self
    both.conditions += other.conditions
    both.checks += other.checks
    return both
  }

  /// And this besides, once everything has come.
  func and(_ check: @escaping Check) -> Expectation {
    var both = self
    both.checks.append(check)
    return both
  }

  /// The log begins with exactly these bytes.
  static func audio(_ bytes: [UInt8]) -> Expectation {
    Expectation(when: { $0.log.edgePosition >= UInt64(bytes.count) }) { station, _ in
      let logged = station.audio.prefix(bytes.count)
      let same = zip(logged, bytes).prefix { $0 == $1 }.count
      if same < bytes.count {
        Issue.record("the log differs from byte \(same) on: \(station.summary)")
      }
    }
  }

  /// The log's newest bytes.
  static func ends(with bytes: ArraySlice<UInt8>) -> Expectation {
    Expectation { $0.audio.suffix(bytes.count) == bytes }
  }

  /// The log begins with these numbered frames.
  static func frames(_ numbers: Range<UInt64>) -> Expectation {
    audio(NumberedFrames.stream(numbers))
  }

  /// Sixteen frames from 0 on: the usual body's beginning.
  static let plays = frames(0..<16)

  /// These titles were told, in this order, and no other.
  static func titles(_ texts: String...) -> Expectation {
    Expectation(when: { $0.titles.count >= texts.count }) { station, _ in
      #expect(station.titles.map(\.title) == texts)
    }
  }

  /// The newest title in the log, links, parts and further keys included.
  static func title(_ matches: @escaping @Sendable (Title) -> Bool) -> Expectation {
    Expectation { station in station.log.titles(limit: 1).contains { matches($0.title) } }
  }

  /// What the upstream says of itself.
  static func headers(_ matches: @escaping @Sendable (UpstreamHeaders) -> Bool) -> Expectation {
    Expectation { station in
      station.said { if case .headers(let headers) = $0 { matches(headers) } else { false } }
    }
  }

  /// An event of this kind (as `/events` calls it), with these words in it.
  static func event(_ kind: String, _ words: String = "") -> Expectation {
    Expectation { station in
      station.said { event in event.kind == kind && "\(event)".contains(words) }
    }
  }

  /// An event of one of these kinds.
  static func event(in kinds: [String]) -> Expectation {
    Expectation { station in station.said { kinds.contains($0.kind ?? "") } }
  }

  /// So much audio.
  static func logged(seconds: Double) -> Expectation {
    Expectation { $0.log.edge.media.seconds >= seconds }
  }

  /// The station's last state, with these words in its reason.
  static func state(_ state: StationState, _ words: String = "") -> Expectation {
    Expectation { station in
      let last = station.events.last { if case .state = $0 { true } else { false } }
      if case .state(state, let reason) = last { return reason.contains(words) }
      return false
    }
  }

  /// The requests begin with these paths.
  static func asked(_ paths: String...) -> Check {
    { _, requests in #expect(requests.map(\.path).prefix(paths.count) == paths[...]) }
  }
}

extension IngestEvent {
  /// What the event is called in `/events`; nil for what is not told there,
  /// or not of an upstream.
  var kind: String? {
    switch self {
    case .httpError, .failure: "http-error"
    case .badContent: "bad-content"
    case .missingContent: "missing-content"
    case .notFound: "not-found"
    case .timeout: "timeout"
    case .gap: "gap"
    case .reconnected: "reconnected"
    case .fileComplete: "file-complete"
    case .tooSlow: "too-slow"
    case .tooFast: "too-fast"
    case .title: "metadata-live"
    case .state(let state, _): state.rawValue
    case .programEnded: "program-ended"
    case .headers, .upstreamChanged, .upstreamLeft, .metadataFailed, .programSaid, .saidGoodbye: nil
    }
  }
}
