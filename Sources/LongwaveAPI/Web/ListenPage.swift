import Ingest
import Longwave
import Timeshift
import Wire

/// A station's player. It plays and goes back in time without scripts too.
struct ListenPage {
  /// Place from which the page is to play, as the stream's own `at` or `offset` take it.
  struct Place: Hashable, Sendable {
    let name: String
    let value: String
  }

  /// What the address of the page says besides the station.
  struct Visit: Hashable, Sendable {
    /// Nil for live.
    var place: Place?
    /// The listener's token for a station that asks for one; all addresses of the station's audio carry it.
    var access: String?
    /// The session that the page is to go on with, or to steer.
    var session: String?
    /// Whether the page steers a session that another player plays.
    var isRemote = false
    /// Most kbit/s that the page is to play.
    var bitrate: Int?
    /// The stretch with which it begins, FROM/TO.
    var clip: String?
  }

  let station: StationSnapshot
  let qualities: Qualities
  /// Nil where it cannot be read.
  let timeline: StationTimeline?
  let visit: Visit
  /// Scheme, host and port by which the client reaches the server.
  let base: String
  let house: WebSettings
  /// The moment that the address names; nil where it names none, or one that is gone or not for the reader.
  var moment: SharedMoment?

  /// Titles in the page itself; the script fetches the others.
  private static let titlesMax = 8

  var page: WebPage {
    WebPage(
      title: "\(station.name) – \(house.title)", kind: "listen",
      summary: moment?.summary ?? summary,
      styles: ["base.css", "listen.css"], script: "listen.js", main: main,
      state: state("listen"), house: house,
      about: [
        WebManifest.link("/listen/\(station.id)/manifest.webmanifest"),
        "<meta property=\"og:type\" content=\"music.radio_station\">\n",
        "<meta property=\"og:url\" content=\"\(base)/listen/\(station.id)\(moment.map { "?\($0.query)" } ?? "")\">\n",
        picture,
      ], titleBesideLinks: moment?.title(on: station.name))
  }

  /// The small player for pages of others.
  func embedded(theme: String?) -> WebPage {
    WebPage(
      title: "\(station.name) – \(house.title)", kind: "embed",
      styles: ["base.css", "embed.css"], script: "embed.js", main: smallMain,
      state: state("embed"), house: house, isFramed: true, theme: theme)
  }

  private func state(_ page: String) -> JSON {
    [
      "page": .string(page), "version": .string(RelayVersion.number),
      "station": station.json(identified: false),
      "timeline": timeline?.newest(Self.titlesMax) ?? .null,
      "place": placeJSON, "access": JSON(access), "session": JSON(visit.session),
      "remote": .bool(visit.isRemote),
      "qualities": qualities.json, "bitrate": JSON(visit.bitrate),
    ]
  }

  /// The picture that programs show beside a link.
  private var picture: HTML {
    let usual = Picture.isNamed(station) ? Picture.path(of: station) : nil
    guard let path = moment.map({ $0.picture(of: station) }) ?? usual else { return "" }
    return "<meta property=\"og:image\" content=\"\(base)\(path)\">\n"
  }

  /// The part of a query with the listener's token.
  var access: String? { visit.access.map { "token=" + URLText.percentEncoded($0) } }

  private var summary: String {
    let line = station.nowPlaying.line
    return line.isEmpty ? station.description ?? "Listen to \(station.name)." : "Now: \(line)"
  }

  private var placeJSON: JSON {
    var members: [JSON.Member] = [
      .init(key: "at", value: .null), .init(key: "offset", value: .null),
    ]
    if let place = visit.place {
      members = members.map {
        $0.key == place.name ? .init(key: place.name, value: .string(place.value)) : $0
      }
    }
    return .object(members)
  }

  private var stream: String { address("/\(station.id)", placeQuery, bitrateQuery) }

  private var placeQuery: String? {
    place.map { "\($0.name)=\(URLText.percentEncoded($0.value))" }
  }

  private var bitrateQuery: String? {
    qualities.isChoice && station.renditionOf == nil ? visit.bitrate.map { "bitrate=\($0)" } : nil
  }

  /// Returns an address with the parts of its query that are there, and with the listener's token.
  func address(_ path: String, _ query: String?...) -> String {
    let parts = (query + [access]).compactMap(\.self)
    return parts.isEmpty ? path : path + "?" + parts.joined(separator: "&")
  }

  private var main: HTML {
    let history = history
    return """
      <main id="main" class="player" data-station="\(station.id)">
      <section class="now">
      <div class="art" id="art">\(Picture(station, size: 320).html)</div>
      <div class="facts">
      <p class="station"><span class="name" dir="auto">\(station.name)</span> \
      <span class="state" id="state-word" data-state="\(station.stateName)">\(station.shownState)</span> \
      <span class="count" id="count">\(qualities.listeners) listening</span></p>
      <h1 id="title" dir="auto">\(shown.title ?? station.name)</h1>
      <p class="artist" id="artist" dir="auto">\(shown.artist ?? "")</p>
      <p class="place" id="place">\(since)</p>
      <audio id="audio" controls preload="none" src="\(stream)"></audio>
      <div class="sound" id="sound"></div>
      </div>
      </section>
      \(members)<div class="controls" id="controls"></div>
      <div class="scrubber" id="scrubber"></div>
      <div class="actions" id="actions"></div>
      <div class="panel" id="panel"></div>
      <p class="status" id="status" role="status"></p>
      \(otherTimes)\(otherQualities)\
      <section class="played" aria-labelledby="played"\(history.isEmpty ? " hidden" as HTML : nil)>
      <h2 id="played">Played</h2>
      <ol class="history" id="history">
      \(history)</ol>
      </section>
      <section class="elsewhere" aria-labelledby="elsewhere">
      <h2 id="elsewhere">In another player</h2>
      <p>\(["m3u", "pls", "xspf"].map { playlist($0) })<code>\(base)\(address("/\(station.id)"))</code></p>
      \(hls)</section>
      </main>
      """
  }

  /// What a station for members says to those who bring nothing; a script asks for it in the page.
  private var members: HTML? {
    if station.auth.isEmpty { return nil }
    let form: HTML = """
      <form class="row" method="get" action="/listen/\(station.id)"><label>Your key \
      <input type="password" name="token" autocomplete="off"></label> <button>Listen</button></form>
      """
    let words: HTML? =
      station.auth.contains("password")
      ? "<p>A name and a password open it; the browser asks for them when it plays.</p>\n" : nil
    return """
      <section class="members panel" id="members"\(visit.access == nil ? nil : " hidden" as HTML)>
      <h2>Members only</h2>
      \(words)\(station.auth.contains("token") ? form : nil)
      </section>

      """
  }

  /// The address for players of HLS; a script draws its code.
  private var hls: HTML? {
    station.hls.url.map { "<p>HLS <code id=\"hls\">\(base)\(address($0))</code></p>\n" }
  }

  private func playlist(_ kind: String) -> HTML {
    "<a href=\"\(address("/\(station.id).\(kind)"))\">\(kind)</a> "
  }

  private var smallMain: HTML {
    """
    <main id="main" class="player embed" data-station="\(station.id)">
    <div class="art" id="art">\(Picture(station, size: 96).html)</div>
    <h1 id="title" dir="auto">\(shown.title ?? station.name)</h1>
    <p class="artist" id="artist" dir="auto">\(shown.artist ?? "")</p>
    <p class="station"><a class="name" dir="auto" href="\(address("/listen/\(station.id)"))" target="_blank" \
    rel="noopener">\(station.name)</a> <span class="place" id="place"></span></p>
    <audio id="audio" controls preload="none" src="\(stream)"></audio>
    <div class="controls" id="controls"></div>
    <div class="scrubber" id="scrubber"></div>
    <p class="status" id="status" role="status"></p>
    </main>
    """
  }

  /// Where the page is to play, other than live.
  private var place: Place? { station.rights.shift ? visit.place : nil }

  /// The title that is heard, as far as it is known without the player's script.
  private var shown: NowPlaying {
    place == nil && station.fallback == nil ? station.nowPlaying : NowPlaying()
  }

  static let standInWords = "The studio is off the air. You hear its stand-in until it is back."

  private var since: String {
    switch place {
    case .some(let place) where place.name == "offset": return "\(place.value) behind live"
    case .some(let place): return "from \(place.value)"
    case nil where station.fallback != nil:
      return Self.standInWords
    case nil: break
    }
    guard station.state == .playing, let air = station.nowPlaying.since, let timeline else {
      return ""
    }
    return "on air since \(timeline.clock(air))"
  }

  /// Other places in time as links, for browsers without scripts.
  private var otherTimes: HTML {
    guard let timeline, station.rights.shift else { return "" }
    let path = "/listen/\(station.id)"
    return """
      <nav class="nojs" id="nojs" aria-label="Other times">
      <a href="\(address(path, "at=track-start"))">From the beginning of this title</a>
      <a href="\(address(path, "offset=30m"))">30 minutes back</a>
      <a href="\(address(path))">Live</a>
      <span>Times: \(timeline.zone.name)</span>
      <form method="get" action="\(path)"><label>From <input type="datetime-local" name="at"></label> \
      \(visit.access.map { "<input type=\"hidden\" name=\"token\" value=\"\($0)\"> " as HTML })<button>Listen</button></form>
      </nav>

      """
  }

  /// The same place in other qualities as links, for browsers without scripts.
  private var otherQualities: HTML {
    guard qualities.isChoice else { return "" }
    let links = qualities.stations.map { other in
      let words = other.bitrate.map { "\($0) kbit/s" } ?? other.name
      let path = address("/listen/\(other.id)", placeQuery)
      return "<a href=\"\(path)\">\(words)</a>\n" as HTML
    }
    return """
      <nav class="nojs" aria-label="Quality">
      \(links)</nav>

      """
  }

  private var history: [HTML] {
    guard let timeline else { return [] }
    return timeline.rows.suffix(Self.titlesMax).reversed().map { row in
      switch row {
      case .title(let title, let end): entry(title, until: end, timeline)
      case .gap(let gap):
        "<li class=\"gap\">\(GapWords.text(gap.seconds)) missing: \(GapWords.cause(gap.cause))</li>\n"
      }
    }
  }

  private func entry(
    _ title: StationTimeline.Heard, until end: StationTimeline.Heard?, _ timeline: StationTimeline
  ) -> HTML {
    let begin = title.playing.since ?? timeline.oldest.air
    let media = (end?.media ?? timeline.live.media) - title.media
    let from = URLText.percentEncoded(begin.rfc3339)
    // Up to the next millisecond: a time that is cut off lies in the packet before.
    let heard = URLText.percentEncoded(begin.adding(seconds: 0.001).rfc3339)
    let until = URLText.percentEncoded((end?.playing.since ?? timeline.live.air).rfc3339)
    // Where there is no clip yet, its place keeps the columns.
    let cut: HTML =
      end == nil
      ? " <a class=\"cut\" hidden>Clip</a>"
      : " <a class=\"cut\" href=\"\(address("/\(station.id)/clip", "from=\(from)", "to=\(until)"))\" download>Clip</a>"
    let clip = station.rights.clip ? cut : nil
    let artist: HTML? =
      title.playing.artist.map { " <span class=\"by\" dir=\"auto\">\($0)</span>" }
    let row: HTML = """
      <time datetime="\(begin.rfc3339)">\(timeline.clock(begin))</time> \
      <span class="song" dir="auto">\(title.playing.title ?? "–")</span>\(artist) \
      <span class="length">\(GapWords.length(media))</span>
      """
    // A station that is heard live only shows its past without playing it.
    let link: HTML =
      station.rights.shift
      ? "<a class=\"from\" href=\"\(address("/listen/\(station.id)", "at=\(heard)"))\">\(row)</a>"
      : "<span class=\"from\">\(row)</span>"
    return "<li data-position=\"\(title.playing.position ?? 0)\">\(link)\(clip)</li>\n"
  }
}

/// A timeline's titles and gaps in the order in which they were on air.
enum TimelineRow {
  case title(StationTimeline.Heard, until: StationTimeline.Heard?)
  case gap(StationTimeline.Gap)
}

extension StationTimeline {
  var rows: [TimelineRow] {
    let titles = titles.enumerated().map { index, title in
      (title.media, TimelineRow.title(title, until: self.titles.dropFirst(index + 1).first))
    }
    let gaps = gaps.map { ($0.media, TimelineRow.gap($0)) }
    return (titles + gaps).sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Returns the time of day in the station's zone, such as 18:03.
  func clock(_ time: WallTime) -> String { zone.clock(time) }

  /// Returns the timeline as JSON with its newest titles only.
  func newest(_ count: Int) -> JSON {
    guard titles.count > count, let first = titles.suffix(count).first?.playing.position else {
      return json
    }
    return from(first).json
  }
}

/// Lengths and causes for people.
enum GapWords {
  static func text(_ seconds: Double) -> String {
    seconds < 60 ? "\(Int(bounded: seconds.rounded(.up))) s" : length(seconds) + " min"
  }

  /// Returns a length such as 5:37 or 1:02:03.
  static func length(_ seconds: Double) -> String {
    let whole = Int(bounded: max(0, seconds.rounded()))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    let end = rest < 10 ? "0\(rest)" : "\(rest)"
    if hours == 0 { return "\(minutes):\(end)" }
    return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(end)"
  }

  static func cause(_ word: String) -> String {
    switch word {
    case GapCause.restart.word: "the relay was restarted"
    case GapCause.upstreamJumped.word: "the station jumped"
    default: "the station was away"
    }
  }
}
