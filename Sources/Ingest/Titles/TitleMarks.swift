import Timeshift
import Wire

/// Marks a station's titles in its log: what the upstream says, what a page says, and what is announced by hand.
///
/// Used by the station's appender only. `edge`: where the next packet goes.
struct TitleMarks {
  private let writer: LogWriter
  private let report: (IngestEvent) -> Void
  private var pace = TitlePace()
  /// Of what does not come from the upstream: a script may say it all the time.
  private var announcedPace = TitlePace(atOnce: 256)
  /// What the upstream said last, and what was marked last, by the upstream or by hand.
  private var upstreamTitle: Title?
  private var title: Title?
  /// What the page of titles said last.
  private var pageTitle: Title?
  /// The upstream's titles do not count, as long as the page's do.
  private(set) var isOverruled = false
  private var shift: TitleShift
  /// The upstream's last two titles, oldest first, and where in the audio they came.
  private var arrivals: [(title: Title, position: UInt64)] = []

  init(writer: LogWriter, shiftSeconds: Double, report: @escaping (IngestEvent) -> Void) {
    self.writer = writer
    self.report = report
    shift = TitleShift(seconds: shiftSeconds)
  }

  /// Goes on with what the log says: nothing has been marked in this process.
  mutating func recall(_ newest: Title?) {
    title = newest
    upstreamTitle = newest
    arrivals = writer.log.titles(limit: 2).reversed().map { ($0.title, $0.position) }
  }

  /// Goes on for another worker on the same log.
  mutating func recall(_ previous: TitleMarks) {
    (title, upstreamTitle, pageTitle) = (previous.title, previous.upstreamTitle, previous.pageTitle)
    (pace, announcedPace) = (previous.pace, previous.announcedPace)
    arrivals = previous.arrivals
    shift.recall(previous.shift)
  }

  // MARK: The upstream's

  /// The same text again is no news, whatever was announced by hand in between.
  mutating func mark(_ title: Title, at edge: UInt64) {
    guard title != upstreamTitle else { return }
    let isNews = upstreamTitle.map { !title.looksLike($0) } ?? true
    let isByHand = self.title != upstreamTitle
    upstreamTitle = title
    arrivals = arrivals.suffix(1) + [(title, edge)]
    if isOverruled { return }
    // The page has said it already, and perhaps more of it.
    if pageTitle?.text == title.text && self.title?.text == title.text { return }
    guard isNews || !isByHand else { return }
    announcedPace.forget()
    if pace.admits(title, at: writer.edge.media) { place(title, at: edge) }
  }

  /// Whether a title that comes before `bytes` of known audio is the one before the log's newest.
  ///
  /// A connection's blocks stand where its own count puts them: the log may have its newest title from a block that
  /// the new connection has not come to yet. Then the title before it is no news.
  func isOld(_ title: Title, bytes: Int, before edge: UInt64) -> Bool {
    arrivals.count == 2 && title == arrivals[0].title
      && edge < arrivals[1].position + UInt64(bytes)
  }

  // MARK: Others'

  /// - Parameter isOverruled: whether the page's titles count, and the upstream's do not.
  mutating func overrule(_ isOverruled: Bool, at edge: UInt64) {
    let wasOverruled = self.isOverruled
    self.isOverruled = isOverruled
    if isOverruled { pace.forget() }
    guard wasOverruled, !isOverruled else { return }
    pageTitle = nil
    if let upstreamTitle { place(upstreamTitle, at: edge) }
  }

  /// The page of titles has said what is playing; what it said before, or somebody else has, is no news.
  ///
  /// - Returns: whether it was announced.
  mutating func polled(_ title: Title, at edge: UInt64) -> Bool {
    guard title != pageTitle else { return false }
    pageTitle = title
    if let current = self.title, current.text == title.text, !title.shows(moreThan: current) {
      return false
    }
    announce(title, at: edge)
    return true
  }

  /// Marks a title that did not come from the upstream.
  mutating func announce(_ title: Title, at edge: UInt64) {
    pace.forget()
    if announcedPace.admits(title, at: writer.edge.media) { place(title, at: edge) }
  }

  // MARK: The log

  /// The next packet comes: what has waited for it is marked.
  mutating func beforePacket(at edge: UInt64) {
    let next = writer.edge
    let media = next.media
    if let title = pace.due(at: media) ?? announcedPace.due(at: media) { place(title, at: edge) }
    guard shift.isShifting else { return }
    for due in shift.begin(packetAt: next) {
      writer.markTitle(due.title)
      if due.isNews { report(.title(due.title, position: edge)) }
    }
  }

  private mutating func place(_ title: Title, at edge: UInt64) {
    guard title != self.title else { return }
    let isNews = self.title.map { !title.looksLike($0) } ?? true
    self.title = title
    switch shift.place(
      title, isNews: isNews, before: writer.edge, newest: writer.titlePosition)
    {
    case .next:
      writer.markTitle(title)
      if isNews { report(.title(title, position: edge)) }
    case .earlier(let point):
      writer.markTitle(title, at: point)
      if isNews { report(.title(title, position: point.position)) }
    case .later: break
    }
  }
}

extension Title {
  /// Whether there is a picture or a link now.
  fileprivate func shows(moreThan other: Title) -> Bool {
    (other.url.isEmpty && !url.isEmpty)
      || (other.parts?.artwork == nil && parts?.artwork != nil)
  }
}
