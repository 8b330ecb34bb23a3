import Longwave
import Timeshift
import Wire

/// What is on air, or what was, for pages of others: text that stays up to date, and no sound.
struct TitlesPage {
  enum Kind: String, CaseIterable {
    case now, history
  }

  /// The titles that the address asks for.
  struct Wish: Hashable {
    var kind: Kind
    var count: Int

    static let counts = 1...40
    static let countUsual = 10
  }

  let player: ListenPage
  let wish: Wish

  private var station: StationSnapshot { player.station }

  func page(theme: String?) -> WebPage {
    WebPage(
      title: "\(station.name) – \(player.house.title)", kind: "titles",
      styles: ["base.css", "embed.css"], script: "titles.js",
      main: wish.kind == .now ? now : history,
      state: [
        "page": "titles", "version": .string(RelayVersion.number),
        "station": station.json(identified: false), "access": JSON(player.access),
        "show": .string(wish.kind.rawValue), "count": wish.count.json,
        "timeZone": player.timeline?.json["timeZone"] ?? .null,
      ], house: player.house, isFramed: true, theme: theme)
  }

  private var home: String { player.address("/listen/\(station.id)") }

  private var state: HTML {
    "<span class=\"state\" data-state=\"\(station.stateName)\">\(station.shownState)</span>"
  }

  /// What is said in place of the title of a station that stands in.
  private var standIn: String { station.fallback == nil ? "" : ListenPage.standInWords }

  private var now: HTML {
    let playing = station.fallback == nil ? station.nowPlaying : NowPlaying()
    return """
      <main id="main" class="titles now" data-station="\(station.id)">
      <a href="\(home)" target="_blank" rel="noopener"><span class="art" id="art">\(Picture(station, size: 96).html)</span>
      <span class="words"><span class="station"><span class="name" dir="auto">\(station.name)</span> \(state)</span>
      <span class="song" id="title" dir="auto">\(playing.title ?? standIn)</span>
      <span class="by" id="artist" dir="auto">\(playing.artist ?? "")</span></span></a>
      </main>
      """
  }

  private var history: HTML {
    """
    <main id="main" class="titles" data-station="\(station.id)">
    <h1><a href="\(home)" target="_blank" rel="noopener" class="name" dir="auto">\(station.name)</a> \(state)</h1>
    <ol id="history">
    \(rows)</ol>
    </main>
    """
  }

  private var rows: [HTML] {
    guard let timeline = player.timeline else { return [] }
    return timeline.titles.suffix(wish.count).reversed().map { heard in
      let playing = heard.playing
      let begin = playing.since ?? timeline.oldest.air
      let by: HTML? = playing.artist.map { " <span class=\"by\" dir=\"auto\">\($0)</span>" }
      let row: HTML = """
        <time datetime="\(begin.rfc3339)">\(timeline.clock(begin))</time> \
        <span class="song" dir="auto">\(playing.title ?? "–")</span>\(by)
        """
      guard station.rights.shift else { return "<li><span class=\"from\">\(row)</span></li>\n" }
      let at = URLText.percentEncoded(begin.adding(seconds: 0.001).rfc3339)
      let path = player.address("/listen/\(station.id)", "at=\(at)")
      return
        "<li><a class=\"from\" href=\"\(path)\" target=\"_blank\" rel=\"noopener\">\(row)</a></li>\n"
    }
  }
}
