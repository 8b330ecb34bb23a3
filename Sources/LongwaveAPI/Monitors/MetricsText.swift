import Longwave

/// Figures in the text format of Prometheus, version 0.0.4. The manual's page on metrics lists them.
struct MetricsText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
  let text: String

  /// - Parameters:
  ///   - rows: names of the rows that requests are counted by.
  ///   - station: the only station that is told of; nil for all, and the server itself.
  init(
    _ stations: [StationSnapshot], _ metrics: RelayMetrics, rows: [String],
    of station: String? = nil
  ) {
    let told = stations.filter { station == nil || $0.id == station }
    let scrape = Scrape(
      metrics: metrics, stations: told.map { StationLook(station: $0, metrics: metrics) },
      rows: rows)
    text = (station == nil ? Figures.all : Figures.stations).reduce(into: "") { text, figure in
      let family = figure.family
      text += "# HELP \(family.name) \(family.help)\n"
      text += "# TYPE \(family.name) \(family.type)\n"
      figure.write(scrape, FigureLabels(), &text)
    }
  }
}

/// What figures are taken from.
struct Scrape: Sendable {
  var metrics: RelayMetrics
  var stations: [StationLook]
  /// Names of the rows that requests are counted by.
  var rows: [String]
}

/// Every family of figures, in one row each, in the order in which they are told.
enum Figures {
  static let all = server + library + requests + loops + webhooks + stations
}
