import Longwave

/// Icecast's `/status.xsl`, the page for people that old scripts read.
struct IcecastStatusPage {
  let stations: [MonitoredStation]

  var html: String {
    let head = XMLElement(
      "head", [:],
      [
        XMLElement("meta", ["charset": "utf-8"]),
        XMLElement("title", text: "Icecast Streaming Media Server"),
      ])
    let shown = stations.filter(\.isConnected).flatMap(Self.mount)
    let body = XMLElement("body", [:], [XMLElement("h1", text: "Icecast2 Status")] + shown)
    return "<!DOCTYPE html>\n" + XMLElement("html", ["lang": "en"], [head, body]).written + "\n"
  }

  private static func mount(_ station: MonitoredStation) -> [XMLElement] {
    let shown = station.snapshot
    let since = shown.upstream.connectedSince.map { IcecastTime($0).date }
    let rows: [(name: String, value: String)] = [
      ("Stream Name:", shown.name), ("Stream Description:", shown.description ?? ""),
      ("Content Type:", station.mediaType), ("Stream started:", since ?? ""),
      ("Bitrate:", station.bitrate > 0 ? "\(station.bitrate)" : ""),
      ("Listeners (current):", "\(shown.listeners.now)"),
      ("Listeners (peak):", "\(shown.listeners.peak)"), ("Genre:", shown.genre ?? ""),
      ("Stream URL:", shown.homepage ?? ""), ("Currently playing:", station.title),
    ]
    var title = XMLElement("h3", text: "Mount Point \(station.mount)")
    title.attributes = ["class": "mount"]
    let links = [("M3U", ".m3u"), ("XSPF", ".xspf")].map { name, ending in
      var link = XMLElement("a", text: name)
      link.attributes = ["href": station.mount + ending]
      return link
    }
    let cells = rows.filter { !$0.value.isEmpty }.map { name, value in
      var cell = XMLElement("td", text: value)
      cell.attributes = ["class": "streamstats"]
      return XMLElement("tr", [:], [XMLElement("td", text: name), cell])
    }
    return [title, XMLElement("p", [:], links), XMLElement("table", [:], cells)]
  }
}
