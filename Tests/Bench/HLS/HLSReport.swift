import Foundation

/// The findings of `HLSCommand`, for people (Markdown tables) and for programs (JSON).
struct HLSReport: Codable {
  struct Segments: Codable {
    var name: String
    var answersPerSecond: Double
    /// CPU microseconds of the server.
    var microseconds: Double
    var core: Double
    var milliseconds: Quantiles
    var errors: [String]

    init(name: String, _ trial: HLSTrial) {
      self.name = name
      answersPerSecond = Double(trial.load.answers) / trial.seconds
      microseconds = trial.cpu * 1e6 / Double(max(1, trial.load.answers))
      core = trial.cpu / trial.seconds
      milliseconds = Quantiles(trial.load.answered)
      errors = trial.load.errors
    }
  }

  struct Listeners: Codable {
    var name: String
    var listeners: Int
    /// CPU microseconds of the server, a listener and second.
    var microseconds: Double
    var bytesPerListenerSecond: Double
    var errors: [String]

    init(name: String, players: Int, _ trial: HLSTrial) {
      let seconds = Double(players) * trial.seconds
      self.name = name
      listeners = players
      microseconds = trial.cpu * 1e6 / seconds
      bytesPerListenerSecond = Double(trial.load.bytes) / seconds
      errors = trial.load.errors
    }

    init(name: String, _ figures: RowFigures, _ load: LoadFigures) {
      self.name = name
      listeners = figures.served
      microseconds = figures.serverMicroseconds
      bytesPerListenerSecond = figures.bytesPerListenerSecond
      errors = load.errors
    }
  }

  struct Lists: Codable {
    var name: String
    var waiting: Int
    var reloadsPerSecond: Double
    var core: Double
    /// CPU microseconds of the server, a reload.
    var microseconds: Double
    /// Of reloads that are answered at once.
    var answered: Quantiles
    /// From the first player that has a new segment's list.
    var spread: Quantiles
    var errors: [String]

    init(name: String, waiting: Int, _ trial: HLSTrial) {
      let reloads = trial.load.answers + trial.load.lists
      (self.name, self.waiting) = (name, waiting)
      reloadsPerSecond = Double(reloads) / trial.seconds
      core = trial.cpu / trial.seconds
      microseconds = trial.cpu * 1e6 / Double(max(1, reloads))
      answered = Quantiles(trial.load.answered)
      spread = Quantiles(trial.load.spread)
      errors = trial.load.errors
    }
  }

  var machine = Report.Machine()
  var hours: Double
  var bitrate: Int
  var connections: Int
  var segments: [Segments] = []
  var listeners: [Listeners] = []
  var lists: [Lists] = []
  var caches: [Caches] = []
  var stations = 0
  var idle: [Idle] = []
  /// What was not measured, and why.
  var notes: [String] = []

  init(command: HLSCommand) {
    (hours, bitrate, connections) = (command.hours, command.bitrate, command.connections)
  }

  var hasErrors: Bool {
    let measured =
      segments.map(\.errors) + listeners.map(\.errors) + lists.map(\.errors) + caches.map(\.errors)
    return (measured + idle.map { $0.with.errors + $0.without.errors }).contains { !$0.isEmpty }
  }

  var markdown: String {
    let head = """
      **HLS of a window of \(number(hours, 0)) h, \(bitrate) kbit/s** - \(machine.processor), \
      \(machine.cores) cores\(machine.isPinned ? "" : ", not pinned"), Linux \(machine.kernel), loopback
      """
    let tables = [segmentLines, listenerLines, listLines, cacheLines, idleLines, notes]
    return ([head] + tables.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") })
      .joined(separator: "\n\n")
  }

  private var segmentLines: [String] {
    if segments.isEmpty { return [] }
    var lines = [
      "| segments, \(connections) connections | a second | µs CPU | core % | ms p50 / p99 | to nginx | errors |",
      "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (place, row) in segments.enumerated() {
      let next = segments.dropFirst(place + 1).first
      let ratio =
        row.name.hasPrefix("longwave") && next?.name.hasPrefix("nginx") == true
        ? "×" + number(row.microseconds / next!.microseconds, 2) : ""
      lines.append(
        """
        | \(row.name) | \(number(row.answersPerSecond, 0)) | \(number(row.microseconds)) | \
        \(number(row.core * 100)) | \(quantiles(row.milliseconds)) | \(ratio) | \(text(row.errors)) |
        """)
    }
    return NginxServer.hindrance.map { lines + ["", "nginx: \($0)"] } ?? lines
  }

  private var listenerLines: [String] {
    guard let base = listeners.last, listeners.count > 1 else { return [] }
    return [
      "| listeners of | served | µs CPU a listener-second | kB/s | to the stream | errors |",
      "| --- | --- | --- | --- | --- | --- |",
    ]
      + listeners.map {
        """
        | \($0.name) | \($0.listeners) | \(number($0.microseconds)) | \
        \(number($0.bytesPerListenerSecond / 1000)) | ×\(number($0.microseconds / base.microseconds, 2)) | \
        \(text($0.errors)) |
        """
      }
  }

  private var listLines: [String] {
    if lists.isEmpty { return [] }
    return [
      "| lists, segments of 2 s | wait | a second | core % | µs CPU | at once, ms p50 / p99 | after the first that "
        + "has it, ms p50 / p99 / max | errors |",
      "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
      + lists.map {
        """
        | \($0.name) | \($0.waiting) | \(number($0.reloadsPerSecond, 0)) | \(number($0.core * 100)) | \
        \(number($0.microseconds)) | \(quantiles($0.answered)) | \(quantiles($0.spread)) / \
        \($0.spread.max.map { number($0) } ?? "-") | \(text($0.errors)) |
        """
      }
  }

  func quantiles(_ values: Quantiles) -> String {
    [values.p50, values.p99].map { $0.map { number($0) } ?? "-" }.joined(separator: " / ")
  }

  func text(_ errors: [String]) -> String {
    errors.isEmpty ? "0" : errors.joined(separator: ", ")
  }

  func number(_ value: Double, _ digits: Int = 1) -> String {
    String(format: "%.\(digits)f", value)
  }
}
