import Wire

/// The watchers of a loop that want the same.
final class EventFeed {
  /// Progress of the feed in the figures of one kind.
  struct FigureCursor {
    let key: FigureKey
    /// Nanoseconds between two figures that the feed is told.
    let interval: Int64
    /// Time when the feed may be told the next figure, monotonic nanoseconds.
    /// Nil before the first.
    var due: Int64?
    /// The newest version that was told.
    var told: UInt64 = 0

    /// Nanoseconds by which a figure may come early: loops look every 25 ms.
    private static let earlyMax: Int64 = 15_000_000

    func isDue(at now: Int64) -> Bool {
      due.map { $0 <= now.saturatingAdd(min(interval / 4, Self.earlyMax)) } ?? true
    }

    /// Notes that a figure is told. One that is told late does not put off the next ones.
    mutating func told(at now: Int64) {
      let next = (due ?? now).saturatingAdd(interval)
      due = next > now ? next : now.saturatingAdd(interval)
    }
  }

  let filter: EventFilter
  /// Slots of watchers that have had everything so far.
  var inStep: Set<UInt32> = []
  var figures: [FigureCursor] = []
  fileprivate var watchers = 0

  init(_ filter: EventFilter) { self.filter = filter }
}

/// A loop's watchers, by what they want.
struct EventFeeds {
  /// Key by which an event is looked up; nil stands for any.
  private struct Key: Hashable {
    var kind: String?
    var station: String?
  }

  /// Watchers in step have had everything up to this event.
  var last: UInt64
  /// The newest event of any session that was told.
  var lastOfSessions: UInt64 = 0
  private let sessions: SessionEvents
  private let board: FigureBoard
  private var feeds: [EventFilter: EventFeed] = [:]
  /// Each feed under each kind that it wants, so that an event costs nothing for feeds that do not want it.
  private var wishes: [Key: [EventFeed]] = [:]
  private(set) var ofSessions: [EventFeed] = []
  private(set) var ofFigures: [EventFeed] = []

  init(after last: UInt64, sessions: SessionEvents, board: FigureBoard) {
    self.last = last
    self.sessions = sessions
    self.board = board
  }

  mutating func join(_ filter: EventFilter) -> EventFeed {
    let feed = feeds[filter] ?? add(EventFeed(filter))
    feed.watchers += 1
    return feed
  }

  mutating func leave(_ feed: EventFeed, _ slot: UInt32) {
    feed.inStep.remove(slot)
    feed.watchers -= 1
    if feed.watchers == 0 { remove(feed) }
  }

  // MARK: Of the ring

  /// Whether any watcher wants the event.
  func want(_ event: EventFrame) -> Bool {
    Self.keys(of: event).contains { wishes[$0] != nil }
  }

  /// Returns what is told to watchers in step, by feed. A feed that wants none of the events is not among them, unless
  /// events were missed.
  func texts(of batch: EventFrames) -> [(feed: EventFeed, text: [UInt8])] {
    var texts: [ObjectIdentifier: (feed: EventFeed, text: [UInt8])] = [:]
    if batch.missed > 0 {
      let missed = ServerSentEvent.missed(batch.missed)
      for feed in feeds.values where batch.missed(of: feed.filter) > 0 {
        texts[ObjectIdentifier(feed)] = (feed, missed)
      }
    }
    for frame in batch.frames {
      for feed in Self.keys(of: frame).lazy.compactMap({ wishes[$0] }).joined()
      where frame.isListed || feed.filter.tellsUnlisted {
        frame.write(
          to: &texts[ObjectIdentifier(feed), default: (feed, [])].text,
          isIdentified: feed.filter.isIdentified)
      }
    }
    return Array(texts.values)
  }

  // MARK: Of figures

  /// Returns the figures that are due to be told, by feed.
  func figureTexts(now: Int64) -> [(feed: EventFeed, text: [UInt8])] {
    ofFigures.compactMap { feed in
      let text = feed.figures.indices.flatMap { dueText(of: feed, at: $0, now: now) }
      return text.isEmpty ? nil : (feed, text)
    }
  }

  private func dueText(of feed: EventFeed, at index: Int, now: Int64) -> [UInt8] {
    let cursor = feed.figures[index]
    guard cursor.isDue(at: now), board.newestVersion > cursor.told else { return [] }
    let (text, last) = board.text(
      cursor.key, after: cursor.told, withUnlisted: feed.filter.tellsUnlisted)
    feed.figures[index].told = last
    if !text.isEmpty { feed.figures[index].told(at: now) }
    return text
  }

  /// Returns the figures that the feed was told before its newest watcher came.
  func toldFigures(_ feed: EventFeed) -> [UInt8] {
    feed.figures.flatMap { cursor in
      board.text(
        cursor.key, after: 0, through: cursor.told, withUnlisted: feed.filter.tellsUnlisted
      ).text
    }
  }

  // MARK: The index

  private mutating func add(_ feed: EventFeed) -> EventFeed {
    feeds[feed.filter] = feed
    for key in Self.keys(of: feed.filter) { wishes[key, default: []].append(feed) }
    if let session = feed.filter.session {
      sessions.watch(session)
      ofSessions.append(feed)
    }
    let wishes = board.wishes(of: feed.filter)
    if !wishes.isEmpty {
      feed.figures = wishes.map { .init(key: $0.key, interval: $0.interval) }
      for wish in wishes { board.watch(wish.key) }
      ofFigures.append(feed)
    }
    return feed
  }

  private mutating func remove(_ feed: EventFeed) {
    feeds[feed.filter] = nil
    for key in Self.keys(of: feed.filter) {
      wishes[key]?.removeAll { $0 === feed }
      if wishes[key]?.isEmpty == true { wishes[key] = nil }
    }
    if let session = feed.filter.session {
      sessions.unwatch(session)
      ofSessions.removeAll { $0 === feed }
    }
    if !feed.figures.isEmpty {
      for cursor in feed.figures { board.unwatch(cursor.key) }
      ofFigures.removeAll { $0 === feed }
    }
  }

  private static func keys(of filter: EventFilter) -> [Key] {
    guard filter.isOfRing else { return [] }
    guard let kinds = filter.kinds else { return [Key(station: filter.station)] }
    return kinds.map { Key(kind: $0, station: filter.station) }
  }

  /// Returns the keys under which an event is wanted. An event of no station is wanted only by watchers of all
  /// stations.
  private static func keys(of event: EventFrame) -> [Key] {
    let any = [Key(kind: event.kind), Key()]
    guard let station = event.station else { return any }
    return any + [Key(kind: event.kind, station: station), Key(station: station)]
  }
}
