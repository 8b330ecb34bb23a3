import Ingest
import Logging
import Programmes
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Server
@testable import Store
@testable import Timeshift

@Suite struct EventTests {
  private func events(_ event: IngestEvent) -> [String] {
    RelayEvent.events(of: event, station: "jazz", time: Sample.time, position: 9)
      .map { $0.json(identified: false).text }
  }

  private func line(_ kind: String, position: Int = 9, _ rest: String = "") -> String {
    #"{"kind":"\#(kind)","station":"jazz","time":"2026-11-20T18:00:00.123Z","#
      + #""position":\#(position)\#(rest)}"#
  }

  @Test func `a change of state is two events`() {
    let rest = #","state":"failed","reason":"404 Not Found""#
    #expect(
      events(.state(.failed, reason: "404 Not Found"))
        == [line("state", rest), line("failed", rest)])
  }

  private func line(_ kind: String, _ rest: String) -> String { line(kind, position: 9, rest) }

  @Test func `a title comes with its place and its parts`() {
    #expect(
      events(.title(Title(text: "A - B"), position: 5))
        == [line("metadata-live", position: 5, #","title":"B","artist":"A","url":null"#)])
  }

  @Test func `a session's events tell titles and moves, not whose they are`() throws {
    func told(_ change: SessionEvent.Change, _ listener: UInt64?) throws -> String {
      let token = try #require(SessionToken("my-session_1"))
      let event = SessionEvent(session: token, station: "jazz", listener: listener, change: change)
      return event.told(at: Sample.time).json(identified: true).text
    }
    let title = TitleMark(
      position: 5, media: .zero, title: Title(text: "A - B"), air: Sample.time)
    #expect(
      try told(.heard(title), 7)
        == line("metadata", position: 5, #","listener":7,"title":"B","artist":"A","url":null"#))
    let move = SessionMove(reason: .seek, position: 6, offset: 15.5)
    #expect(
      try told(.moved(move), nil)
        == line("moved", position: 6, #","offset":15.5,"reason":"seek""#))
  }

  @Test func `a missed insert and a lost item are told, their sources and paths to administrators`()
  {
    func told(_ event: ProgrammeEvent, identified: Bool) -> String? {
      RelayEvent.event(of: event, station: "jazz", time: Sample.time, position: 9)?
        .json(identified: identified).text
    }
    let rule = InsertRule(.folder("/srv/news"), .at([MinuteMark(hour: nil, minute: 0)!], .hard))
    let missed = ProgrammeEvent.missed(rule, due: Sample.time, .late)
    let due = #","rule":"at :00","due":"2026-11-20T18:00:00.123Z","reason":"late""#
    #expect(told(missed, identified: false) == line("insert-missed", due + #","source":"folder""#))
    #expect(
      told(missed, identified: true)
        == line("insert-missed", due + #","source":"folder:/srv/news""#))
    var loss = ItemLoss(
      item: 7, title: "B", reason: "it has changed", seconds: 1.5, path: "/srv/b.mp3")
    let lost = #","item":7,"track":null,"title":"B","reason":"it has changed","after":1.5"#
    #expect(told(.failed(loss), identified: false) == line("item-failed", lost))
    #expect(
      told(.failed(loss), identified: true)
        == line("item-failed", lost + #","path":"/srv/b.mp3""#))
    loss.isTold = false
    #expect(told(.failed(loss), identified: true) == nil)
    #expect(told(.late(2), identified: true) == nil)
  }

  @Test func `an upstream's failure is told without its secrets`() throws {
    let event = IngestEvent.httpError(status: 403, url: "http://u:p@x/y?key=1")
    #expect(events(event) == [line("http-error", #","status":403,"url":"http://x/y""#)])
    let told = try #require(
      RelayEvent.events(of: event, station: "jazz", time: Sample.time, position: 9).first)
    #expect(told.json(identified: true)["url"] == "http://x/y?key=1")
  }

  @Test func `a page of titles that fails is told from an upstream, and in words`() throws {
    let event = IngestEvent.metadataFailed(.status(500), url: "http://u:p@x/now?key=1")
    #expect(
      events(event)
        == [line("http-error", #","of":"metadata","status":500,"url":"http://x/now""#)])
    let words: [(MetadataTrouble, String)] = [
      (.status(404), "not found"), (.status(500), "500"), (.timeout, "no answer in time"),
      (.unreadable(reason: "the page is odd"), "the page is odd"),
      (.failed(reason: "cannot connect"), "cannot connect"),
    ]
    for (trouble, text) in words {
      let told = RelayEvent.events(
        of: .metadataFailed(trouble, url: "http://x/now"), station: "jazz", time: Sample.time,
        position: 9)
      #expect(
        told.compactMap(LogLine.init).map(\.text)
          == ["no titles from its metadata page: \(text) (http://x/now)"])
    }
  }

  @Test(arguments: [
    IngestEvent.failure(reason: "lost", url: "http://u:p@x/y?key=hidden"),
    .badContent(reason: "a page", url: "http://x/y?key=hidden#hidden"),
    .notFound(url: "http://x/y?key=hidden"), .timeout(reason: "late", url: "http://u:hidden@x/y"),
    .httpError(status: 500, url: "http://x/y?hidden"), .missingContent(url: "http://x/y?a=hidden"),
    .fileComplete(url: "http://x/y?key=hidden"),
    .metadataFailed(.timeout, url: "http://u:hidden@x/y?key=hidden"),
  ])
  func `log lines have neither a URL's query nor its password`(_ event: IngestEvent) throws {
    let told = RelayEvent.events(of: event, station: "jazz", time: Sample.time, position: 9)
    let line = try #require(told.compactMap(LogLine.init).first)
    #expect(line.text.contains("http://x/y") && !line.text.contains("hidden"))
  }

  @Test func `log lines have no session's token`() throws {
    let event = RelayEvent(
      .listenerConnected, station: "jazz", time: Sample.time,
      identity: ["address": "192.0.2.7", "session": "secret-token", "url": "http://x/?key=hidden"])
    let line = try #require(LogLine(event))
    #expect(line.text.contains("192.0.2.7"))
    #expect(!line.text.contains("secret-token") && !line.text.contains("hidden"))
  }

  @Test func `a line of the log commands no terminal`() {
    let text =
      "jazz: \u{1B}]0;owned\u{7}\u{9B}31m\r\n2026-11-20 error fake\u{2028}x\u{202E}y\u{2066}z\u{7F}"
    let line = LogMessage(text: text, level: .info, time: Sample.time).line
    #expect(line.last == "\n" && line.unicodeScalars.filter { $0 == "\n" }.count == 1)
    #expect(
      !line.dropLast().unicodeScalars.contains {
        $0.value < 0x20 || 0x7F...0x9F ~= $0.value || 0x2028...0x202E ~= $0.value
          || 0x2066...0x2069 ~= $0.value
      })
  }

  @Test func `a return tells what was made good and what was lost`() {
    #expect(
      events(.reconnected(Reconnection(stitchedSeconds: 4.2, lostSeconds: 0.8004)))
        == [line("reconnected", #","stitchedSeconds":4.2,"lostSeconds":0.8"#)])
    #expect(
      events(.reconnected(Reconnection(stitchedSeconds: 4, lostSeconds: 0, overlapSeconds: 6)))
        == [line("reconnected", #","stitchedSeconds":4,"lostSeconds":0,"overlapSeconds":6"#)])
  }

  @Test func `listeners' addresses and players are told to administrators only`() {
    let event = ListenerEvent(
      change: .disconnected(.tooSlow), id: 7, station: "jazz", address: "192.0.2.7",
      player: "VLC", seconds: 1.5, bytes: 10
    ).told(at: Sample.time)
    let open = event.json(identified: false)
    #expect(open["reason"] == "too-slow")
    #expect(open["listener"] == .integer(7))
    #expect(open["address"] == nil)
    #expect(open["player"] == nil)
    #expect(event.json(identified: true)["address"] == "192.0.2.7")
  }

  @Test func `the hub's ids grow from the time of its start`() {
    let hub = EventHub(
      logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() },
      firstID: StartLedger.eventID(at: Sample.time))
    hub.post(RelayEvent(.configReloaded, time: Sample.time))
    hub.post(RelayEvent(.configReloaded, time: Sample.time))
    let first = UInt64(1_795_197_600_123_000)
    #expect(hub.ring.read(after: 0, limit: 9).events.map(\.id) == [first, first + 1])
  }
}

@Suite struct TroublesTests {
  private func line(
    _ kind: RelayEvent.Kind, _ reason: String = "", after seconds: Double = 0
  ) throws -> LogLine {
    let event = RelayEvent(
      kind, station: "a", time: Sample.time.adding(nanoseconds: Int64(seconds * 1e9)),
      details: ["reason": .string(reason), "url": "http://x/"])
    return try #require(LogLine(event))
  }

  @Test func `a trouble that repeats is counted, and told at the end`() throws {
    var troubles = Troubles()
    let away = try line(.timeout, "no answer")
    #expect(troubles.shown(away) == ["timed out: no answer (http://x/)"])
    #expect(troubles.shown(away) == [])
    #expect(troubles.shown(away) == [])
    #expect(
      troubles.shown(try line(.playing))
        == ["timed out: no answer (http://x/) (2 more times)", "playing"])
    #expect(troubles.isEmpty)
    #expect(troubles.shown(away) == ["timed out: no answer (http://x/)"])
  }

  @Test func `troubles of the sound are told, and that they are over`() throws {
    func line(
      _ kind: RelayEvent.Kind, _ details: KeyValuePairs<String, JSON> = [:]
    ) throws -> LogLine {
      try #require(LogLine(RelayEvent(kind, station: "a", time: Sample.time, details: details)))
    }
    let silence = try line(.silenceStarted)
    #expect(silence.text == "dead air" && silence.level == .warning)
    let sound = try line(.silenceStopped, ["seconds": .number(12)])
    #expect(sound.text == "sound again after 12 s of dead air" && sound.endsTrouble)
    let quiet = try line(.loudnessOut, ["bound": "below"])
    #expect(quiet.text == "loudness is below its bound" && quiet.isTrouble)
    #expect(try line(.loudnessBack, ["seconds": .number(3)]).text.hasSuffix("again after 3 s"))
    let clipping = try line(.clipping, ["channel": JSON(1)])
    var troubles = Troubles()
    let shown = (0..<11).flatMap { _ in troubles.shown(clipping) }
    #expect(shown == ["clipping in channel 1", "clipping in channel 1 (10 more times)"])
  }

  @Test(arguments: [
    (RelayEvent.Kind.playing, "i+ playing: it is back"), (.paused, "i paused: it is back"),
    (.stopped, "i stopped"), (.failed, "w! failed: it is back"),
    (.timeout, "w! timed out: it is back (U)"),
    (.httpError, "w! answered 404 (U)"), (.programEnded, "w! it is back (U)"),
    (.badContent, "w! no audio of a known format: it is back (U)"),
    (.missingContent, "w! an empty answer (U)"),
    (.notFound, "w! not found (U)"), (.tooSlow, "w! delivers at 2 of real time (U)"),
    (.tooFast, "w! delivers at 2 of real time, as a loop of relays would (U)"),
    (.reconnected, "i+ back: 3 s made good, 4 s lost, 5 s it had stood still"),
    (.fallbackStarted, "i listeners get the fallback, F"),
    (.fallbackStopped, "i listeners are back from F after 7 s"),
    (.fallbackRefused, "w! no fallback: it is back"), (.fileComplete, "i came to its end (U)"),
    (.recordingWaiting, "w! recording R: it is back"), (.recordingResumed, "i recording R goes on"),
    (.storageFailed, "e! disk: it is back"), (.storageRestored, "i+ disk: works again"),
    (.rootSuspect, "w! root main: it is back"), (.rootRestored, "i+ root main: is there again"),
    (.silenceStarted, "w! dead air"), (.silenceStopped, "i+ sound again after 7 s of dead air"),
    (.loudnessOut, "w! loudness is above its bound"),
    (.loudnessBack, "i+ loudness is within its bounds again after 7 s"),
    (.clipping, "w! clipping in channel 1"), (.liveStarted, "i plays the station studio"),
    (.liveStopped, "i has played the station studio for 7 s"),
  ])
  func `the process's log tells a kind of events in its words`(
    kind: RelayEvent.Kind, told: String
  ) throws {
    let line = try #require(
      LogLine(
        RelayEvent(
          kind, station: "a", time: Sample.time,
          details: [
            "reason": "it is back", "url": "U", "status": JSON(404), "rate": JSON(2),
            "stitchedSeconds": JSON(3), "lostSeconds": JSON(4), "overlapSeconds": JSON(0),
            "pausedSeconds": JSON(5), "fallback": "F", "seconds": JSON(7), "recording": "R",
            "bound": "above", "channel": JSON(1), "root": "main", "from": "studio",
          ])))
    let sign = line.isTrouble ? "!" : line.endsTrouble ? "+" : ""
    #expect("\(line.level)".prefix(1) + "\(sign) \(line.text)" == told)
  }

  @Test func `whole events are told to a search for faults, and figures are not`() {
    let lines = RelayEvent.Kind.allCases.compactMap { kind in
      LogLine(RelayEvent(kind, station: "a", time: Sample.time)).map { (kind, $0) }
    }
    let details = lines.filter { $0.1.level == .debug }.map(\.0)
    #expect(
      details == [
        .metadataLive, .exhausted, .gap, .skipped, .fileComplete, .listenerConnected,
        .listenerDisconnected, .itemStarted,
      ])
    let untold = RelayEvent.Kind.allCases.filter { kind in !lines.contains { $0.0 == kind } }
    #expect(
      untold == [
        .state, .connecting, .buffering, .metadata, .moved, .figures, .recordingStarted,
        .recordingStopped, .recordingDeleted, .tapCreated, .tapDisposed, .levels, .spectrum, .sound,
        .itemFailed, .configReloaded, .certificateExpires, .certificateTaken, .missed,
      ])
  }

  @Test func `pages are told the kinds of each group, with their weights`() {
    let groups: [(String, [String])] = [
      (
        "states",
        [
          "connecting odd", "buffering plain", "playing good", "paused plain", "stopped plain",
          "failed bad",
        ]
      ),
      ("titles", ["metadata-live plain"]),
      (
        "programmes",
        [
          "item-started plain", "item-failed odd", "insert-missed odd", "part-started plain",
          "live-started plain", "live-stopped plain", "programme-changed plain",
        ]
      ),
      (
        "upstreams",
        [
          "http-error odd", "bad-content bad", "missing-content bad", "not-found bad",
          "timeout odd",
          "too-slow odd", "too-fast odd", "program-ended odd", "reconnected good", "gap odd",
          "fallback-started odd", "fallback-stopped good", "fallback-refused bad",
        ]
      ),
      (
        "listeners",
        [
          "exhausted odd", "skipped odd", "file-complete plain", "listener-connected plain",
          "listener-disconnected plain",
        ]
      ),
      (
        "recordings",
        [
          "recording-started plain", "recording-stopped plain", "recording-waiting odd",
          "recording-resumed good", "recording-deleted plain",
        ]
      ),
      (
        "sound",
        [
          "tap-created plain", "tap-disposed plain", "silence-started odd", "silence-stopped plain",
          "loudness-out odd", "loudness-back plain", "clipping odd",
        ]
      ),
      (
        "relay",
        [
          "storage-failed bad", "storage-restored good", "scan-finished plain",
          "root-suspect bad", "root-restored good", "config-reloaded plain",
          "certificate-expires odd", "certificate-taken plain",
        ]
      ),
    ]
    let shown = EventRow.shown.members.map { group in
      (group.key, group.value.members.map { "\($0.key) \($0.value.text.dropFirst().dropLast())" })
    }
    #expect(shown.map(\.0) == groups.map(\.0) && shown.map(\.1) == groups.map(\.1))
  }

  @Test func `two troubles in turn are each told once`() throws {
    var troubles = Troubles()
    let one = try line(.timeout, "1")
    let two = try line(.timeout, "2")
    let shown = try [one, two, one, two, one, line(.playing)].flatMap { troubles.shown($0) }
    #expect(
      shown == [
        "timed out: 1 (http://x/)", "timed out: 2 (http://x/)",
        "timed out: 1 (http://x/) (2 more times)", "timed out: 2 (http://x/) (1 more time)",
        "playing",
      ])
  }

  @Test func `a trouble that stays is told at every power of ten`() throws {
    var troubles = Troubles()
    let away = try line(.notFound)
    let shown = (0..<150).flatMap { _ in troubles.shown(away) }
    #expect(
      shown == [
        "not found (http://x/)", "not found (http://x/) (10 more times)",
        "not found (http://x/) (100 more times)",
      ])
  }

  @Test func `an upstream that comes and goes is told of ten times, and then ever more seldom`()
    throws
  {
    var troubles = Troubles()
    var shown: [String] = []
    for number in 0..<1001 {
      let at = Double(number) * 0.7
      shown += troubles.shown(try line(.timeout, "lost", after: at))
      shown += troubles.shown(try line(.reconnected, after: at + 0.5))
    }
    #expect(shown.count == 2 * 10 + 3)
    #expect(shown.last == "timed out: lost (http://x/) (comes and goes, 1000 times)")
    // What was well for a minute is told in full again.
    let later = troubles.shown(try line(.timeout, "lost", after: 2000))
    let back = troubles.shown(try line(.playing, after: 2001))
    #expect(later == ["timed out: lost (http://x/)"] && back == ["playing"])
  }
}
