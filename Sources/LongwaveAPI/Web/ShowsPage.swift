import Longwave
import Timeshift
import Wire

/// The page of a station's shows: what was recorded of them, to listen again, and when they are on air. Without scripts
/// each recording is a link.
struct ShowsPage {
  let station: StationSnapshot
  let shows: StationShows
  /// The listener's token, which the addresses of the recordings carry.
  let access: String?
  let house: WebSettings
  let now: WallTime

  /// Most airings to come that the page lists.
  private static let airingsMax = 60

  var page: WebPage {
    WebPage(
      title: "Shows – \(station.name) – \(house.title)", kind: "shows",
      summary: "The shows of \(station.name), to listen again.",
      styles: ["base.css", "listen.css"], script: "shows.js", main: main,
      state: [
        "page": "shows", "version": .string(RelayVersion.number),
        "access": JSON(access.map { "token=" + URLText.percentEncoded($0) }),
        "station": station.json(identified: false), "shows": shows.isShort ? shows.json : .null,
      ], house: house)
  }

  /// Whether there is something to hear again, or will be.
  private var hasAgain: Bool {
    !shows.recordings.isEmpty || shows.shows.contains(where: \.isRecorded)
  }

  private var player: String {
    "/listen/\(station.id)" + (access.map { "?token=" + URLText.percentEncoded($0) } ?? "")
  }

  private var main: HTML {
    """
    <main id="main" class="player shows" data-station="\(station.id)">
    <section class="now">
    <div class="art" id="art">\(Picture(station, size: 320).html)</div>
    <div class="facts">
    <p class="station"><a class="name" dir="auto" href="\(player)">\(station.name)</a></p>
    <h1 id="title" dir="auto">Shows</h1>
    <p class="artist" id="artist" dir="auto">\(onAir)</p>
    <p class="nojs">Times: \(shows.zone.name)</p>
    <audio id="file" controls preload="none"\(first)></audio>
    <p class="status" id="status" role="status"></p>
    </div>
    </section>
    <section class="played" aria-labelledby="again"\(hasAgain ? nil : " hidden" as HTML)>
    <h2 id="again">Listen again</h2>
    \(recorded)</section>
    <section class="week" aria-labelledby="week">
    <h2 id="week">On air</h2>
    <ol class="history" id="airings">
    \(coming)</ol>
    </section>
    </main>
    """
  }

  private var onAir: String {
    station.show.map {
      "On air: \($0.name), \(shows.zone.clock($0.start))–\(shows.zone.clock($0.end))"
    }
      ?? station.nextShow.map {
        "Next: \($0.name), \(shows.zone.date($0.start)) \(shows.zone.clock($0.start))"
      } ?? ""
  }

  /// What the audio element begins with: the newest recording.
  private var first: HTML {
    guard let file = shows.recordings.first?.files.first else { return " hidden" }
    return " src=\"\(address(of: file))\""
  }

  private var recorded: HTML {
    if shows.recordings.isEmpty { return "<p class=\"nothing\">Nothing was recorded yet.</p>\n" }
    var names: [String] = []
    for recording in shows.recordings where !names.contains(recording.show) {
      names.append(recording.show)
    }
    let known = Dictionary(shows.shows.map { ($0.name, $0) }) { first, _ in first }
    let groups = names.map { name in
      """
      <h3 dir="auto">\(name)</h3>
      \(known[name]?.text.map { "<p dir=\"auto\">\($0)</p>\n" as HTML })<ol class="history shows">
      \(shows.recordings.filter { $0.show == name }.map(row))</ol>

      """ as HTML
    }
    return "\(groups)"
  }

  private func row(_ recording: RecordedShow) -> HTML {
    guard let file = recording.files.first else { return "" }
    return """
      <li data-recording="\(recording.id)"><a class="from" href="\(address(of: file))">\
      <time datetime="\(recording.start.rfc3339)">\(shows.zone.clock(recording.start))</time> \
      <span class="song">\(shows.zone.date(recording.start))</span> \
      <span class="length">\(GapWords.length(recording.seconds))</span></a></li>

      """
  }

  private var coming: HTML {
    let rows = shows.coming(at: now).prefix(Self.airingsMax).map { airing in
      """
      <li><time datetime="\(airing.start.rfc3339)">\(shows.zone.date(airing.start)) \(shows.zone.clock(airing.start))–\(shows.zone.clock(airing.end))</time> \
      <span class="song" dir="auto">\(airing.name)</span></li>

      """ as HTML
    }
    return "\(Array(rows))"
  }

  private func address(of file: RecordedShow.File) -> String {
    file.path + (access.map { "&token=" + URLText.percentEncoded($0) } ?? "")
  }
}
