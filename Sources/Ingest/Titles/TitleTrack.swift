import Timeshift
import Wire

/// Decides which title is current on a station, and in front of which packet each is marked.
///
/// Titles of every origin meet here. Packets and places come as arguments; the results are marks to be written into the
/// log.
struct TitleTrack {
  /// The origin of a title.
  enum Origin {
    /// ICY blocks and Ogg comments.
    case upstream
    /// The page of titles.
    case page
    /// An encoder's request, or one for it.
    case request
    /// An administrator, by hand.
    case hand
  }

  /// The end of the log, as a decision needs it.
  struct LogEnd {
    /// The point of the next packet.
    var next: LogPoint
    /// The position of the newest title; nil before the first.
    var newestTitle: UInt64?
  }

  /// A title to be written into the log.
  struct Mark: Hashable {
    var title: Title
    /// The beginning of the next packet, or of one in the log.
    var point: LogPoint
    /// Whether listeners see a difference to the title before.
    var isNews: Bool
  }

  /// A title of the upstream, and the audio's position when it came.
  private struct Arrival {
    var title: Title
    var position: UInt64
  }

  /// The upstream's last two titles, oldest first.
  private var arrivals: [Arrival] = []
  private var pageTitle: Title?
  /// The newest title that passed, of any origin; with a shift it may not be in the log yet.
  private var current: Title?
  /// Where the current title comes from; nil where nobody remembers.
  private var origin: Origin?
  /// Whether the upstream's titles are ignored because a page's titles count.
  private(set) var isOverruled = false
  private var upstreamPace = TitlePace()
  /// The pace of the other origins: a script may announce without end.
  private var announcedPace = TitlePace(atOnce: 256)
  /// Where the newest announced title came from, which may wait.
  private var announcedFrom = Origin.hand
  private var shift: TitleShift

  init(shiftSeconds: Double) { shift = TitleShift(seconds: shiftSeconds) }

  /// Adopts the log's last two titles, newest first, as if the upstream had sent them.
  mutating func recall(_ marks: [TitleMark]) {
    arrivals = marks.reversed().map { Arrival(title: $0.title, position: $0.position) }
    current = marks.first?.title
  }

  /// Adopts the state of another worker on the same log, which had settings of its own.
  mutating func recall(_ previous: TitleTrack) {
    (arrivals, pageTitle, current) = (previous.arrivals, previous.pageTitle, previous.current)
    origin = previous.origin
    (upstreamPace, announcedPace) = (previous.upstreamPace, previous.announcedPace)
    announcedFrom = previous.announcedFrom
    shift.recall(previous.shift)
  }

  // MARK: What is said

  /// Hears a title that plays from the next packet on. Returns the mark to write now; nil for none.
  mutating func hear(_ title: Title, from origin: Origin, at end: LogEnd) -> Mark? {
    switch origin {
    case .upstream:
      guard isNewOfUpstream(title, at: end.next.position) else { return nil }
      announcedPace.forget()
      return upstreamPace.admits(title, at: end.next.media)
        ? place(title, from: .upstream, at: end) : nil
    case .page:
      return isNewOfPage(title) ? announce(title, from: .page, at: end) : nil
    case .request, .hand:
      return announce(title, from: origin, at: end)
    }
  }

  /// Hears that another source sends from the next packet on, which has said no title. The former source's title ends;
  /// a page's title and one by hand go on.
  mutating func speakerChanges(at end: LogEnd) -> Mark? {
    let silence = Title(text: "")
    arrivals = arrivals.suffix(1) + [Arrival(title: silence, position: end.next.position)]
    upstreamPace.forget()
    if isOverruled || origin == .page || origin == .hand || current == nil { return nil }
    return place(silence, from: .upstream, at: end)
  }

  /// Whether the upstream's title is new; repeated text is not, whatever was announced by hand in between.
  private mutating func isNewOfUpstream(_ title: Title, at position: UInt64) -> Bool {
    let before = arrivals.last?.title
    guard title != before else { return false }
    arrivals = arrivals.suffix(1) + [Arrival(title: title, position: position)]
    if isOverruled { return false }
    // The page has given this title already, and perhaps more of it.
    if pageTitle?.text == title.text && current?.text == title.text { return false }
    let isNews = before.map { !title.looksLike($0) } ?? true
    return isNews || current == before
  }

  /// Whether the page's title is new. Its last title is not, nor is the current one unless the page shows more of it.
  private mutating func isNewOfPage(_ title: Title) -> Bool {
    guard title != pageTitle else { return false }
    pageTitle = title
    guard let current, current.text == title.text else { return true }
    return title.shows(moreThan: current)
  }

  private mutating func announce(_ title: Title, from origin: Origin, at end: LogEnd) -> Mark? {
    upstreamPace.forget()
    announcedFrom = origin
    return announcedPace.admits(title, at: end.next.media)
      ? place(title, from: origin, at: end) : nil
  }

  /// Sets whether the page's titles count instead of the upstream's. When they no longer do, the upstream's last one
  /// returns.
  mutating func overrule(_ isOverruled: Bool, at end: LogEnd) -> Mark? {
    let wasOverruled = self.isOverruled
    self.isOverruled = isOverruled
    if isOverruled { upstreamPace.forget() }
    guard wasOverruled, !isOverruled else { return nil }
    pageTitle = nil
    return arrivals.last.flatMap { place($0.title, from: .upstream, at: end) }
  }

  /// Whether a title that comes `bytes` before the end of known audio is the one before the log's newest.
  ///
  /// A connection's blocks stand where its own count puts them. The log may have its newest title from a block that the
  /// new connection has not reached yet; then the title before it is no news.
  func isOld(_ title: Title, bytes: Int, before position: UInt64) -> Bool {
    arrivals.count == 2 && title == arrivals[0].title
      && position < arrivals[1].position + UInt64(bytes)
  }

  // MARK: Where it is marked

  /// Returns the titles that waited for the next packet, in order; they are written before it.
  mutating func packetComes(at end: LogEnd) -> [Mark] {
    let media = end.next.media
    let paced =
      upstreamPace.due(at: media).map { place($0, from: .upstream, at: end) }
      ?? announcedPace.due(at: media).map { place($0, from: announcedFrom, at: end) } ?? nil
    guard shift.isShifting else { return paced.map { [$0] } ?? [] }
    let shifted = shift.begin(packetAt: end.next).map {
      Mark(title: $0.title, point: end.next, isNews: $0.isNews)
    }
    return paced.map { [$0] + shifted } ?? shifted
  }

  private mutating func place(_ title: Title, from origin: Origin, at end: LogEnd) -> Mark? {
    self.origin = origin
    guard title != current else { return nil }
    let isNews = current.map { !title.looksLike($0) } ?? true
    current = title
    switch shift.place(title, isNews: isNews, before: end.next, newest: end.newestTitle) {
    case .next: return Mark(title: title, point: end.next, isNews: isNews)
    case .earlier(let point): return Mark(title: title, point: point, isNews: isNews)
    case .later: return nil
    }
  }
}

extension Title {
  /// Whether the title has a picture or a link that the other lacks.
  fileprivate func shows(moreThan other: Title) -> Bool {
    (other.url.isEmpty && !url.isEmpty)
      || (other.parts?.artwork == nil && parts?.artwork != nil)
  }
}
