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
    board.put(FigureKey("figures", station: "jazz"), json: "1")
    #expect(Self.texts(feeds, at: 0.1) == [Self.line("1")])
    for number in 2..<50 { board.put(FigureKey("figures", station: "jazz"), json: "\(number)") }
    board.put(FigureKey("figures", station: "rock"), json: "a")
    #expect(Self.texts(feeds, at: 1.0).isEmpty, "not a second has gone")
    #expect(Self.texts(feeds, at: 1.1) == [Self.line("49") + Self.line("a")])
    #expect(Self.texts(feeds, at: 9).isEmpty, "nothing new")
  }

  @Test func `watchers are told only the kinds of figures that they name`() {
    let board = FigureBoard(intervals: ["figures": .seconds(1)])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    _ = feeds.join(EventFilter())
    _ = feeds.join(EventFilter(kinds: ["state"]))
    #expect(!board.isWatched("figures"))
    board.put(FigureKey("figures", station: "jazz"), json: "1")
    _ = feeds.join(EventFilter(station: "rock", kinds: ["state", "figures"]))
    #expect(board.isWatched("figures") && board.isWatched("figures", station: "rock"))
    #expect(!board.isWatched("figures", station: "jazz"))
    board.put(FigureKey("figures", station: "jazz"), json: "2")
    board.put(FigureKey("figures", station: "rock"), json: "3")
    #expect(Self.texts(feeds, at: 1) == [Self.line("3")])
  }

  @Test func `a board tells of its first watcher, and drops figures with the last`() {
    let wanted = Mutex<[String]>([])
    let board = FigureBoard(intervals: ["figures": .seconds(1)]) { key in
      wanted.withLock { $0.append("\(key.kind) \(key.station ?? "any")") }
    }
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    let one = feeds.join(EventFilter(kinds: ["figures"]))
    let two = feeds.join(EventFilter(station: "jazz", kinds: ["figures"]))
    #expect(wanted.withLock { $0 } == ["figures any", "figures jazz"])
    board.put(FigureKey("figures", station: "jazz"), json: "1")
    board.put(FigureKey("figures", station: "rock"), json: "2")
    feeds.leave(one, 1)
    #expect(
      board.text(FigureKey("figures"), after: 0, withUnlisted: true).text
        == Array(Self.line("1").utf8))
    feeds.leave(two, 2)
    #expect(!board.isWatched("figures"))
    #expect(board.text(FigureKey("figures"), after: 0, withUnlisted: true).text.isEmpty)
    _ = feeds.join(EventFilter(kinds: ["figures"]))
    #expect(wanted.withLock { $0 } == ["figures any", "figures jazz", "figures any"])
  }

  @Test func `a second watcher of the same figures is told what the first one was`() {
    let board = FigureBoard(intervals: ["figures": .seconds(1)])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    let feed = feeds.join(EventFilter(kinds: ["figures"]))
    #expect(feeds.toldFigures(feed).isEmpty)
    board.put(FigureKey("figures", station: "jazz"), json: "1")
    _ = Self.texts(feeds, at: 1)
    #expect(feeds.toldFigures(feed) == Array(Self.line("1").utf8))
    // What is to come with the others' is not told before.
    board.put(FigureKey("figures", station: "jazz"), json: "2")
    #expect(feeds.toldFigures(feed).isEmpty)
  }

  @Test func `figures of a place are told to those who ask for that place alone`() {
    let board = FigureBoard(
      intervals: ["levels": .milliseconds(50), "figures": .seconds(1)], ofMoments: ["levels"])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    _ = feeds.join(EventFilter(station: "jazz", kinds: ["levels"]))
    _ = feeds.join(
      EventFilter(station: "jazz", kinds: ["levels", "figures"], moment: .behind(60_000)))
    let past = FigureKey("levels", station: "jazz", moment: .behind(60_000))
    #expect(Set(board.wishesOfMoments) == [FigureKey("levels", station: "jazz"), past])
    board.put(past, json: "past")
    board.put(FigureKey("levels", station: "jazz"), json: "live")
    board.put(FigureKey("figures", station: "jazz"), json: "figures")
    #expect(
      Set(Self.texts(feeds, at: 1)) == [
        "event: levels\ndata: live\n\n",
        "event: figures\ndata: figures\n\nevent: levels\ndata: past\n\n",
      ])
  }

  @Test func `a watcher's rate bounds what it is told of sound, and is kept over late looks`() {
    let board = FigureBoard(intervals: ["levels": .milliseconds(50)], ofMoments: ["levels"])
    var feeds = EventFeeds(after: 0, sessions: SessionEvents(), board: board)
    _ = feeds.join(EventFilter(station: "jazz", kinds: ["levels"], rate: 10))
    var told = 0
    // A loop looks every 25 ms, and sometimes later.
    for slot in 0..<400 {
      board.put(FigureKey("levels", station: "jazz"), json: "\(slot)")
      let late = slot % 7 == 0 ? 0.009 : 0
      told += Self.texts(feeds, at: 1 + Double(slot) * 0.025 + late).count
    }
    #expect((99...101).contains(told), "\(told)")
  }
}
