import Synchronization
import Testing
import Wire

@testable import Server

struct FigureBoardTests {

  private static func texts(_ feeds: EventFeeds, at seconds: Double) -> [String] {
    feeds.figureTexts(now: Int64(seconds * 1e9)).map { String(decoding: $0.text, as: UTF8.self) }
  }

  private static func line(_ json: String) -> String { "event: figures\ndata: \(json)\n\n" }

  @Test func `a watcher is told the newest of each station once an interval, and no backlog`() {
    let board = FigureBoard(intervals: ["figures": .seconds(1)])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    _ = feeds.join(EventFilter(kinds: ["figures"]))
    #expect(Self.texts(feeds, at: 0).isEmpty)
    board.put(kind: "figures", station: "jazz", json: "1")
    #expect(Self.texts(feeds, at: 0.1) == [Self.line("1")])
    for number in 2..<50 { board.put(kind: "figures", station: "jazz", json: "\(number)") }
    board.put(kind: "figures", station: "rock", json: "a")
    #expect(Self.texts(feeds, at: 1.0).isEmpty, "not a second has gone")
    #expect(Self.texts(feeds, at: 1.1) == [Self.line("49") + Self.line("a")])
    #expect(Self.texts(feeds, at: 9).isEmpty, "nothing new")
  }

  @Test func `only those who name a kind of figures are told it`() {
    let board = FigureBoard(intervals: ["figures": .seconds(1)])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    _ = feeds.join(EventFilter())
    _ = feeds.join(EventFilter(kinds: ["state"]))
    #expect(!board.isWatched("figures"))
    board.put(kind: "figures", station: "jazz", json: "1")
    _ = feeds.join(EventFilter(station: "rock", kinds: ["state", "figures"]))
    #expect(board.isWatched("figures") && board.isWatched("figures", station: "rock"))
    #expect(!board.isWatched("figures", station: "jazz"))
    board.put(kind: "figures", station: "jazz", json: "2")
    board.put(kind: "figures", station: "rock", json: "3")
    #expect(Self.texts(feeds, at: 1) == [Self.line("3")])
  }

  @Test func `the first watcher is told of, and with the last one the figures go`() {
    let wanted = Mutex<[String]>([])
    let board = FigureBoard(intervals: ["figures": .seconds(1)]) { kind in
      wanted.withLock { $0.append(kind) }
    }
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    let one = feeds.join(EventFilter(kinds: ["figures"]))
    let two = feeds.join(EventFilter(station: "jazz", kinds: ["figures"]))
    #expect(wanted.withLock { $0 } == ["figures"])
    board.put(kind: "figures", station: "jazz", json: "1")
    board.put(kind: "figures", station: "rock", json: "2")
    feeds.leave(one, 1)
    #expect(board.text("figures", station: nil, after: 0).text == Array(Self.line("1").utf8))
    feeds.leave(two, 2)
    #expect(!board.isWatched("figures"))
    #expect(board.text("figures", station: nil, after: 0).text.isEmpty)
    _ = feeds.join(EventFilter(kinds: ["figures"]))
    #expect(wanted.withLock { $0 } == ["figures", "figures"])
  }

  @Test func `a second watcher of the same is told what the first one was`() {
    let board = FigureBoard(intervals: ["figures": .seconds(1)])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    let feed = feeds.join(EventFilter(kinds: ["figures"]))
    #expect(feeds.toldFigures(feed).isEmpty)
    board.put(kind: "figures", station: "jazz", json: "1")
    _ = Self.texts(feeds, at: 1)
    #expect(feeds.toldFigures(feed) == Array(Self.line("1").utf8))
    // What is to come with the others' is not told before.
    board.put(kind: "figures", station: "jazz", json: "2")
    #expect(feeds.toldFigures(feed).isEmpty)
  }
}
