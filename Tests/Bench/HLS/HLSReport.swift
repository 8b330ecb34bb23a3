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

  struct Caches: Codable {
    var name: String
    var players: Int
    var seconds: Double
    /// What players got.
    var segments: Int
    var lists: Int
    /// What was asked of the relay.
    var relaySegments: Double
    var relayLists: Double
    /// Segments with different names, among those that players got.
    var names: Int
    /// Connections that players made.
    var connections: Int
    /// A segment's load.
    var milliseconds: Quantiles
    /// Cores of the relay, of the cache, and of who is not part of it.
    var relayCore, cacheCore, others: Double
    var errors: [String]

    init(name: String, players: Int, _ trial: HLSCacheTrial) {
      (self.name, self.players, seconds) = (name, players, trial.seconds)
      (segments, lists) = (trial.load.segments, trial.load.lists)
      (relaySegments, relayLists) = (trial.segments, trial.lists)
      (names, connections) = (trial.load.names, trial.load.connections)
      milliseconds = Quantiles(trial.load.loaded)
      (relayCore, cacheCore, others) = (trial.relay, trial.cache, trial.others)
      errors = trial.load.errors + (trial.load.segments == 0 ? ["no segments"] : [])
    }

    /// The share of segments that did not reach the relay.
    var share: Double { 1 - relaySegments / Double(max(1, segments)) }
    /// Requests of the relay for each segment.
    var each: Double { relaySegments / Double(max(1, names)) }
    var relayListsPerSecond: Double { relayLists / seconds }
  }

  /// Two relays in the same window.
  struct Idle: Codable {
    var with, without: HLSIdleRun
    /// Whether the one with HLS was started first.
    var startsWith: Bool
    /// The cores that the rest of the machine used.
    var others: Double

    var ratio: Double { with.microseconds / without.microseconds }
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

  private var cacheLines: [String] {
    if caches.isEmpty { return [] }
    return [
      "| behind | players | segments got | of the relay | from the cache (>= 99 %) | requests a segment (1.0) | lists "
        + "got | of the relay a second (<= 1.2) | a segment, ms p50 / p99 | connections | core %, relay / cache / "
        + "others | errors |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
      + caches.map {
        let cores = [$0.relayCore, $0.cacheCore, $0.others].map { number($0 * 100) }
        return """
          | \($0.name), \(number($0.seconds, 0)) s | \($0.players) | \($0.segments) | \(number($0.relaySegments, 0)) | \
          \(number($0.share * 100, 3)) % | \(number($0.each, 2)) | \($0.lists) | \
          \(number($0.relayListsPerSecond, 2)) | \(quantiles($0.milliseconds)) | \($0.connections) | \
          \(cores.joined(separator: " / ")) | \(text($0.errors)) |
          """
      }
  }

  private var idleLines: [String] {
    if idle.isEmpty { return [] }
    let count = Double(idle.count)
    func mean(_ value: (Idle) -> Double) -> Double { idle.map(value).reduce(0, +) / count }
    let cpu = (mean(\.with.microseconds), mean(\.without.microseconds))
    let memory = (mean { Double($0.with.rssKiB) }, mean { Double($0.without.rssKiB) })
    let middle = mean(\.ratio)
    let deviation = (mean { ($0.ratio - middle) * ($0.ratio - middle) } * count / max(1, count - 1))
      .squareRoot()
    let ratios = idle.map(\.ratio)
    let rows = idle.enumerated().map { place, pair in
      """
      | \(place + 1), \(pair.startsWith ? "true" : "false") first | \(number(pair.with.microseconds)) | \(number(pair.without.microseconds)) | \
      ×\(number(pair.ratio, 3)) | \(mebibytes(Double(pair.with.rssKiB))) | \
      \(mebibytes(Double(pair.without.rssKiB))) | \
      ×\(number(Double(pair.with.rssKiB) / Double(pair.without.rssKiB), 3)) | \
      \(number(pair.others * 100)) | \
      \(text(pair.with.errors + pair.without.errors)) |
      """
    }
    return [
      "| \(stations) stations, pair | hls: true, µs CPU a station-second | hls: false | ratio (<= 1.01) | RSS MiB, hls: "
        + "true | hls: false | ratio | others, core % | errors |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ] + rows + [
      """
      | mean | \(number(cpu.0)) | \(number(cpu.1)) | ×\(number(cpu.0 / cpu.1, 3)) | \(mebibytes(memory.0)) | \
      \(mebibytes(memory.1)) | ×\(number(memory.0 / memory.1, 3)) | | |
      """, "",
      """
      Of the pairs' ratios: ×\(number(ratios.min() ?? 0, 3)) to ×\(number(ratios.max() ?? 0, 3)), standard error of \
      the mean \(number(deviation / count.squareRoot(), 3)).
      """,
    ]
  }

  private func mebibytes(_ kibibytes: Double) -> String { number(kibibytes / 1024) }

  private func quantiles(_ values: Quantiles) -> String {
    [values.p50, values.p99].map { $0.map { number($0) } ?? "-" }.joined(separator: " / ")
  }

  private func text(_ errors: [String]) -> String {
    errors.isEmpty ? "0" : errors.joined(separator: ", ")
  }

  private func number(_ value: Double, _ digits: Int = 1) -> String {
    String(format: "%.\(digits)f", value)
  }
}
