import Foundation
import Longwave
import LongwaveAdmin

/// The figures as lines.
struct StatsPicture {
  let figures: StatsFigures
  let trouble: (since: Date, reason: String)?
  let times: ShownTimes

  func text(width: Int?) -> String {
    if let station = figures.station { return StationViews.page(station, times, width: width) }
    let warnings = [figures.stats["leftOut"], figures.stats["database"]?["reason"]].map {
      if case .string(let text) = $0 { text + "\n\n" } else { "" }
    }
    return warnings.joined() + Self.head(figures.stats, width: width) + "\n\n"
      + StationViews.table(figures.stations, width: width)
  }

  /// Returns the lines for a screen; what has no room is counted.
  func lines(columns: Int, rows: Int) -> [String] {
    let safe = TerminalText.safe(text(width: columns), keepingLines: true, keepingColors: true)
    let all =
      notice(columns)
      + safe.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
        TextLines.wrapped(String($0), to: columns, indent: "  ")
      }.map { TerminalText.shortened($0, to: columns) }
    guard all.count > rows, rows > 1 else { return all }
    return all.prefix(rows - 1) + ["… \(all.count - rows + 1) more lines"]
  }

  private func notice(_ columns: Int) -> [String] {
    guard let trouble else { return [] }
    let since = times.text(trouble.since.ISO8601Format())
    let line = "not there since \(since): \(trouble.reason)"
    return TextLines.wrapped(TerminalText.safe(line), to: columns, indent: "  ")
      .map { TerminalText.Color.red.marking(TerminalText.shortened($0, to: columns)) } + [""]
  }

  private static func head(_ stats: JSON, width: Int?) -> String {
    Page.text(
      [
        ("Longwave", "\(stats.text("version")), up \(stats.duration("uptime"))"),
        (
          "listeners",
          "\(stats.text("listeners.now")) now and \(stats.text("listeners.hls")) of HLS, "
            + "\(stats.text("listeners.peak")) at most, \(stats.text("listeners.total")) in all; "
            + "\(stats.text("listeners.max")) possible"
        ),
        ("sent", stats.bytes("bytesSent")),
        (
          "process",
          "\(stats.bytes("process.memory")), \(stats.text("process.cpuSeconds")) s of CPU, "
            + "\(stats.text("process.openFiles")) of \(stats.text("process.openFilesMax")) files"
        ),
      ], width: width)
  }
}
