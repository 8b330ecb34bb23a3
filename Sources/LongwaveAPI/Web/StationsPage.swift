import Ingest
import Longwave
import Wire

/// The page that shows all stations.
struct StationsPage {
  let stations: [StationSnapshot]
  let house: WebSettings

  var page: WebPage {
    let groups = Qualities.all(stations)
    return WebPage(
      title: house.title, kind: "stations",
      summary: "Radio with a memory: \(number(of: groups)).",
      styles: ["base.css", "listen.css", "stations.css"], script: "stations.js",
      main: main(groups),
      state: [
        "page": "stations", "version": .string(RelayVersion.number), "title": .string(house.title),
        "stations": .array(stations.map { $0.json(identified: false) }),
      ], house: house, about: [WebManifest.link(WebManifest.path)])
  }

  /// From so many stations on they are shown as rows.
  private static let rowsFrom = 13

  private func number(of groups: [(StationSnapshot, Qualities)]) -> String {
    groups.count == 1 ? "1 station" : "\(groups.count) stations"
  }

  private func main(_ groups: [(StationSnapshot, Qualities)]) -> HTML {
    let others = Dictionary(stations.map { ($0.id, $0.nowPlaying) }) { first, _ in first }
    return """
      <main id="main">
      <h1>Stations</h1>
      <div id="search"></div>
      <ul class="stations\(groups.count < Self.rowsFrom ? nil : " rows" as HTML)" id="stations">
      \(groups.map { card($0, $1, others) })</ul>
      \(stations.isEmpty ? "<p class=\"nothing\">There are no stations yet.</p>" : nil)
      </main>
      """
  }

  private func state(of station: StationSnapshot) -> HTML {
    // Without a window there is nothing on air: what plays are files.
    station.state == .playing && station.window.live == nil
      ? "<span class=\"state\" data-state=\"files\">files</span>"
      : "<span class=\"state\" data-state=\"\(station.stateName)\">\(station.shownState)</span>"
  }

  /// Returns what is heard live: of the station that stands in, where one does.
  private func playing(
    at station: StationSnapshot, _ others: [String: NowPlaying]
  ) -> NowPlaying {
    guard let fallback = station.fallback else { return station.nowPlaying }
    return fallback.station.flatMap { others[$0] } ?? NowPlaying()
  }

  private static let lock: HTML =
    "<span class=\"lock\">\(WebPage.icon("lock"))Members only</span>"

  private func card(
    _ station: StationSnapshot, _ qualities: Qualities, _ others: [String: NowPlaying]
  ) -> HTML {
    let playing = playing(at: station, others)
    let song = [playing.title, playing.artist].compactMap(\.self).joined(separator: " – ")
    return """
      <li class="card" data-station="\(station.id)"><a href="/listen/\(station.id)">\
      <span class="art">\(Picture(station, size: 205).html)</span>\
      <span class="name" dir="auto">\(station.name)</span>\
      <span class="song" dir="auto">\(song)</span>\
      \(station.auth.isEmpty ? nil : Self.lock)\(state(of: station))\
      <span class="count">\(qualities.listeners) listening</span></a></li>

      """
  }
}

/// A station's picture, or its initial in place of one.
struct Picture {
  private let initial: String
  private let path: String?
  private let size: Int

  /// - Parameter size: Width and height that it is laid out with, in pixels.
  init(_ station: StationSnapshot, size: Int) {
    initial =
      (station.name.first { $0.isLetter || $0.isNumber }).map { String($0).uppercased() } ?? "·"
    path = Self.isNamed(station) ? Self.path(of: station) : nil
    self.size = size
  }

  /// Whether the station has an address of a picture.
  static func isNamed(_ station: StationSnapshot) -> Bool {
    (station.nowPlaying.artwork ?? station.artwork) != nil
  }

  /// Returns the address of a title's picture, which stays what it is, else of the station's.
  static func path(of station: StationSnapshot) -> String {
    let path = "/api/v1/stations/\(station.id)/artwork"
    guard station.nowPlaying.artwork != nil, let position = station.nowPlaying.position else {
      return path
    }
    return "\(path)?position=\(position)"
  }

  var html: HTML {
    guard let path else {
      return "<span class=\"art-made\" aria-hidden=\"true\">\(initial)</span>"
    }
    return "<img src=\"\(path)\" alt=\"\" width=\"\(size)\" height=\"\(size)\">"
  }
}
