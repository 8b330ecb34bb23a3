import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Timeshift

/// What those are told who watch a session.
@Suite(.serialized)
struct SessionEventTests {
  private static let token = SessionToken("the-session_01")!
  private static let other = SessionToken("the-session_02")!

  private static func moved(_ reason: SessionMove.Reason, of token: SessionToken) -> SessionEvent {
    SessionEvent(
      session: token, station: "jazz", listener: 1,
      change: .moved(SessionMove(reason: reason, position: 0, offset: 0)))
  }

  private static func heard(_ text: String, of token: SessionToken) -> SessionEvent {
    let mark = TitleMark(
      position: 0, media: .zero, title: Title(text: text), air: WallTime(nanoseconds: 0))
    return SessionEvent(session: token, station: "jazz", listener: 1, change: .heard(mark))
  }

  /// As many as were made into words.
  private static func events(counting made: Counter = Counter()) -> SessionEvents {
    SessionEvents { event in
      made.add()
      return switch event.change {
      case .heard(let title): .init(kind: event.name, json: title.title.text)
      case .moved(let move): .init(kind: event.name, json: move.reason.rawValue)
      }
    }
  }

  private static func told(_ text: [UInt8]) -> [String] {
    String(decoding: text, as: UTF8.self).split(separator: "\n\n").map {
      $0.split(separator: "data: ").last.map(String.init) ?? ""
    }
  }

  @Test func `events of a session that nobody watches are not made`() {
    let made = Counter()
    let events = Self.events(counting: made)
    events.post(Self.heard("A", of: Self.token))
    events.watch(Self.token)
    events.post(Self.heard("B", of: Self.other))
    #expect(made.count == 0 && events.newestID == 0)
    let filter = EventFilter(session: Self.token)
    #expect(events.text(for: filter, after: nil).text.isEmpty)
    events.post(Self.heard("C", of: Self.token))
    events.unwatch(Self.token)
    events.watch(Self.token)
    #expect(
      events.text(for: filter, after: nil).text.isEmpty, "what was told before is not current")
  }

  @Test func `a new watcher is told the title that is heard, and then what comes`() {
    let events = Self.events()
    let filter = EventFilter(session: Self.token)
    events.watch(Self.token)
    events.post(Self.heard("A", of: Self.token))
    events.post(Self.moved(.seek, of: Self.token))
    events.post(Self.heard("B", of: Self.token))
    let first = events.text(for: filter, after: nil)
    #expect(Self.told(first.text) == ["B"])
    events.post(Self.moved(.pause, of: Self.token))
    events.post(Self.moved(.resume, of: Self.token))
    let next = events.text(for: filter, after: first.last)
    #expect(Self.told(next.text) == ["pause", "resume"])
    #expect(events.text(for: filter, after: next.last).text.isEmpty)
    let titles = EventFilter(kinds: ["metadata"], session: Self.token)
    #expect(events.text(for: titles, after: first.last).text.isEmpty)
  }

  @Test func `a watcher who takes nothing is told the newest moves, and the title`() {
    let events = Self.events()
    events.watch(Self.token)
    events.post(Self.heard("A", of: Self.token))
    for _ in 0..<100 { events.post(Self.moved(.seek, of: Self.token)) }
    let told = Self.told(events.text(for: EventFilter(session: Self.token), after: 0).text)
    #expect(told == ["A"] + Array(repeating: "seek", count: SessionEvents.movesMax))
  }

  @Test func `loops see at once that other sessions are watched`() {
    let events = Self.events()
    var followed = FollowedSessions()
    let isOther = followed.refresh(from: events)
    #expect(!isOther && followed.isEmpty)
    events.watch(Self.token)
    events.watch(Self.token)
    let isWatched = followed.refresh(from: events)
    let serial = followed.serials[Self.token]
    #expect(isWatched && serial != nil)
    events.unwatch(Self.token)
    let isStillWatched = !followed.refresh(from: events)
    #expect(isStillWatched && !followed.isEmpty)
    events.unwatch(Self.token)
    events.watch(Self.token)
    let isWatchedAnew = followed.refresh(from: events)
    #expect(isWatchedAnew && followed.serials[Self.token] != serial)
  }

  @Test func `a session's watchers are told its titles and moves, and nobody else is`()
    async throws
  {
    try await withServer(seconds: 30) { server in
      let listener = try StreamClient(to: server.address, get: "/jazz?session=\(Self.token)")
      try await listener.until("the burst") { $0.bodyCount > 40_000 }
      let all = try StreamClient(to: server.address, get: "/events")
      // On either loop.
      let own = try (0..<4).map { _ in
        try StreamClient(to: server.address, get: "/events?session=\(Self.token)")
      }
      func isTold(_ kind: String, _ data: String) async throws {
        for client in own {
          try await client.until("\(kind) \(data)") {
            $0.text.contains("event: \(kind)\ndata: \(data)")
          }
        }
      }
      try await isTold("metadata", "")
      let token = Self.token
      for (steering, reason) in [
        (Steering.behind(MediaTime(seconds: 15)), "seek"), (.pause, "pause"), (.resume, "resume"),
        (.live, "live"),
      ] {
        guard case .done = await server.server.steer(session: token, steering) else {
          Issue.record("not steered")
          return
        }
        try await isTold("moved", reason)
      }
      server.events.append(kind: "state", station: "jazz", json: "the last")
      try await all.until("the last") { $0.text.contains("the last") }
      #expect(!all.text.contains("metadata") && !all.text.contains("moved"))
      #expect(own.allSatisfy { !$0.text.contains("state") })
      listener.hangUp()
      try await eventually("nobody is connected") {
        listener.drain()
        return server.told.ends.count == 1
      }
      _ = await server.server.steer(session: token, .behind(MediaTime(seconds: 5)))
      try await own[0].until("two seeks") {
        $0.text.components(of: "data: seek") == 2
      }
    }
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: part) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}

private final class Counter: Sendable {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }
  func add() { state.withLock { $0 += 1 } }
}
