import Longwave
import LongwaveAdmin

/// Stations as text for people.
enum StationViews {
  private static func hls(_ station: JSON) -> String {
    let reason = station.text("hls.reason")
    if reason != "-" { return reason }
    return "\(station.duration("hls.window")) in segments of \(station.text("hls.segment")) s, "
      + "\(station.text("hls.listeners")) listeners now"
  }

  /// Listeners of the stream, and those of HLS beside them where there are any.
  private static func listeners(_ station: JSON) -> String {
    let (now, hls) = (station.text("listeners.now"), station.text("listeners.hls"))
    return hls == "0" || hls == "-" ? now : "\(now) + \(hls) HLS"
  }

  static func table(_ stations: [JSON], width: Int? = Terminal.width) -> String {
    if stations.isEmpty { return "no stations yet: longwave station add ID URL" }
    var table = Table([
      .id(), .state(rank: 9), .figure("LISTENERS", rank: 4), .whole("FORMAT", rank: 3),
      .figure("WINDOW", rank: 2), .figure("DISK", rank: 1), .text("NOW PLAYING", rank: 6),
    ])
    for station in stations {
      table.add([
        station.text("id"), station.text("state"), listeners(station), station.format,
        station.duration("window.seconds"), station.bytes("window.onDisk"), station.playing,
      ])
    }
    return ([table.text(width: width)] + reasons(stations)).joined(separator: "\n")
  }

  /// Returns why stations have failed, or the relay itself has stopped them: one line per reason, with the stations
  /// that share it.
  private static func reasons(_ stations: [JSON]) -> [String] {
    var lines: [(reason: String, ids: [String])] = []
    for station in stations where ["stopped", "failed"].contains(station.text("state")) {
      let (reason, id) = (reason(station), station.text("id"))
      if reason == "-" { continue }
      if let index = lines.firstIndex(where: { $0.reason == reason }) {
        lines[index].ids.append(id)
      } else {
        lines.append((reason, [id]))
      }
    }
    return lines.map { "\($0.ids.joined(separator: ", ")): \($0.reason)" }
  }

  /// Returns why the station is in its state on one line: how a program ended, then what it said.
  private static func reason(_ station: JSON) -> String {
    guard case .string(let reason)? = station["stateReason"] else { return "-" }
    let lines = reason.split(separator: "\n").map { TerminalText.safe(String($0)) }
    let said = lines.dropFirst().joined(separator: " / ")
    return lines.prefix(1).joined() + (said.isEmpty ? "" : ": " + said)
  }

  private static func notAllowed(_ station: JSON) -> String {
    let words = [("shift", "time shift"), ("clip", "clips"), ("record", "recordings")]
      .filter { station.text("rights.\($0.0)") == "false" }.map(\.1)
    return words.isEmpty ? "-" : words.joined(separator: ", ")
  }

  private static func farthest(_ station: JSON) -> String {
    let text = station.duration("rights.offsetMax")
    return text == "-" ? "-" : "\(text) behind live"
  }

  static func page(_ station: JSON, _ times: ShownTimes, width: Int? = Terminal.width) -> String {
    let reason = reason(station)
    let rows = [
      ("id", station.text("id")), ("name", station.text("name")),
      ("state", station.text("state") + (reason == "-" ? "" : " (\(reason))")),
      ("fallback", station.text("fallback")), ("upstream", station.text("upstream.url")),
      ("since", station.time("upstream.connectedSince", times)),
      (
        "received",
        "\(station.bytes("upstream.bytes")) in \(station.text("upstream.attempts")) connections"
      ),
      ("format", station.format),
      (
        "window",
        "\(station.duration("window.seconds")) of \(station.duration("window.secondsMax"))"
          + ", \(station.bytes("window.bytes")), \(station.text("window.storage"))"
      ),
      (
        "listeners",
        "\(listeners(station)) now, \(station.text("listeners.peak")) at most, "
          + "\(station.text("listeners.total")) in all"
      ), ("hls", hls(station)),
      ("listed", station.text("listed") == "false" ? "no, found by its name" : "-"),
      ("not allowed", notAllowed(station)), ("at most", farthest(station)),
      ("playing", station.playing), ("titles from", station.text("metadata.url")),
      ("no titles", station.text("metadata.trouble")), ("genre", station.text("genre")),
      ("description", station.text("description")), ("homepage", station.text("homepage")),
    ]
    return Page.text(rows.filter { $0.1 != "-" }, width: width)
  }
}
