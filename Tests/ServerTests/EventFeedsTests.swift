import Testing

@testable import Server

/// What a loop tells its watchers, counted.
struct EventFeedsTests {
  private static func names(_ texts: [(feed: EventFeed, text: [UInt8])]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: texts.map { feed, text in
        (
          feed.filter.kinds?.sorted().joined(separator: ",") ?? "all",
          String(decoding: text, as: UTF8.self)
        )
      })
  }

  @Test func `listeners that come and go wake no watchers of other kinds`() {
    let ring = EventRing(firstID: 1)
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: FigureBoard())
    for slot in 0..<2000 { feeds.join(EventFilter(kinds: ["state"])).inStep.insert(UInt32(slot)) }
    for number in 0..<150 {
      ring.append(kind: "listener-connected", station: "jazz", json: "\(number)")
    }
    let batch = ring.frames(after: 0) { feeds.want($0) }
    #expect(batch.frames.isEmpty && batch.last == 150)
    #expect(feeds.texts(of: batch).isEmpty)
  }

  @Test func `watchers who want the same share one text`() {
    let ring = EventRing(firstID: 1)
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: FigureBoard())
    for slot in 0..<2000 { feeds.join(EventFilter(kinds: ["state"])).inStep.insert(UInt32(slot)) }
    _ = feeds.join(EventFilter(kinds: ["gap", "state"]))
    ring.append(kind: "state", station: "jazz", json: "1")
    ring.append(kind: "gap", station: "jazz", json: "2")
    let texts = feeds.texts(of: ring.frames(after: 0) { feeds.want($0) })
    let state = "id: 1\nevent: state\ndata: 1\n\n"
    #expect(
      Self.names(texts) == [
        "state": state, "gap,state": state + "id: 2\nevent: gap\ndata: 2\n\n",
      ])
    #expect(texts.first { $0.feed.filter.kinds == ["state"] }?.feed.inStep.count == 2000)
  }

  @Test func `an event of the server is told to those who watch all stations`() {
    let ring = EventRing(firstID: 1)
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: FigureBoard())
    _ = feeds.join(EventFilter(station: "jazz"))
    ring.append(kind: "config-reloaded", station: nil, json: "1")
    #expect(feeds.texts(of: ring.frames(after: 0)).isEmpty)
    _ = feeds.join(EventFilter())
    #expect(Self.names(feeds.texts(of: ring.frames(after: 0))).keys.sorted() == ["all"])
  }

  @Test func `what is not listed is told to administrators and to those who name its station`() {
    let ring = EventRing(firstID: 1)
    let board = FigureBoard(intervals: ["figures": .zero])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    let filters = [
      EventFilter(kinds: ["figures", "state"]),
      EventFilter(station: "test", kinds: ["figures", "state"]),
      EventFilter(kinds: ["figures", "state"], isIdentified: true),
    ]
    let joined = filters.map { feeds.join($0) }
    ring.append(kind: "state", station: "test", isListed: false, json: "1")
    board.put(FigureKey("figures", station: "test"), isListed: false, json: "2")
    let told = feeds.texts(of: ring.frames(after: 0) { feeds.want($0) })
    let figures = feeds.figureTexts(now: 1)
    for (feed, isTold) in zip(joined, [false, true, true]) {
      #expect(told.contains { $0.feed === feed } == isTold)
      #expect(figures.contains { $0.feed === feed } == isTold)
      #expect(ring.frames(after: 0, limit: 9, where: feed.filter).frames.isEmpty != isTold)
    }
  }

  @Test func `lost events are told to all watchers, in front of what is left`() {
    let ring = EventRing(firstID: 1)
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: FigureBoard())
    _ = feeds.join(EventFilter(kinds: ["none"]))
    for _ in 0..<EventRing.countMax + 7 { ring.append(kind: "state", station: nil, json: "1") }
    let texts = feeds.texts(of: ring.frames(after: 0) { feeds.want($0) })
    #expect(Self.names(texts) == ["none": "event: missed\ndata: {\"missed\":7}\n\n"])
  }

  @Test func `lost events of listeners are told to watchers who want some of them`() {
    let ring = EventRing(firstID: 1)
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: FigureBoard())
    let wishes: [Set<String>?] = [["state"], ["state", "listener-connected"], nil]
    for kinds in wishes { _ = feeds.join(EventFilter(kinds: kinds)) }
    ring.append(kind: "state", station: nil, json: "1")
    for _ in 0..<EventRing.countMax + 7 {
      ring.append(kind: "listener-connected", station: nil, isOfListener: true, json: "2")
    }
    let batch = ring.frames(after: 0) { $0.kind == "state" }
    let state = "id: 1\nevent: state\ndata: 1\n\n"
    let missed = "event: missed\ndata: {\"missed\":7}\n\n"
    #expect(
      Self.names(feeds.texts(of: batch)) == [
        "state": state, "listener-connected,state": missed + state, "all": missed + state,
      ])
    for (kinds, text) in zip(wishes, [state, missed + state, missed + state]) {
      let filter = EventFilter(kinds: kinds)
      #expect(String(decoding: batch.text(for: filter), as: UTF8.self) == text)
    }
  }

  @Test func `a filter goes with its last watcher`() {
    let ring = EventRing(firstID: 1)
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: FigureBoard())
    let first = feeds.join(EventFilter(kinds: ["state"]))
    let second = feeds.join(EventFilter(kinds: ["state"]))
    #expect(first === second)
    ring.append(kind: "state", station: nil, json: "1")
    feeds.leave(first, 1)
    #expect(ring.frames(after: 0) { feeds.want($0) }.frames.count == 1)
    feeds.leave(second, 2)
    #expect(ring.frames(after: 0) { feeds.want($0) }.frames.isEmpty)
  }
}
