import Foundation

/// Findings for programs.
enum BenchJSON {
  static func text(_ findings: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(findings)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

/// The findings of a comparison, for people (a Markdown table) and for programs (JSON).
struct Report: Codable, Sendable {
  struct Row: Codable, Sendable {
    var server: String
    var settings: Trial.Settings
    /// The reason why there are no figures; nil when there are.
    var hindrance: String?
    var figures: RowFigures?
    /// The faults that listeners saw; empty without any.
    var errors: [String] = []
  }

  struct Machine: Codable, Sendable {
    var processor = MachineFigures.processor()
    var cores = ProcessInfo.processInfo.activeProcessorCount
    var kernel = MachineFigures.kernel()
    /// Whether the server had core 0 to itself, and the load core 1.
    var isPinned = Executables.canPin
  }

  var machine = Machine()
  var title: String
  /// The names of the rows to which the others are compared.
  var bases: [String]
  var rows: [Row] = []

  var markdown: String {
    var lines = ["**\(title)** - \(place)", ""]
    lines += table(Self.headings, rows.map(cells))
    let outages = rows.compactMap(outageCells)
    if !outages.isEmpty { lines += [""] + table(Self.outageHeadings, outages) }
    let ratios = bases.compactMap(ratios(to:))
    if !ratios.isEmpty { lines += [""] + ratios }
    return (lines + [""] + Self.legend).joined(separator: "\n")
  }

  private func table(_ headings: [String], _ rows: [[String]]) -> [String] {
    ([headings, headings.map { _ in "---" }] + rows).map(Self.row)
  }

  private var place: String {
    """
    \(machine.processor), \(machine.cores) cores\(machine.isPinned ? "" : ", not pinned"), \
    Linux \(machine.kernel), loopback
    """
  }

  private static let headings = [
    "server", "served", "µs CPU / l·s", "user + sys", "all-in µs / l·s", "core %", "kB/s / l",
    "Pss MiB idle → loaded", "KiB / l", "socket MiB", "ctx / s vol + invol", "calls / s",
    "start s", "first byte ms p50 / p99 / max", "all served s", "connect µs / l",
    "latency ms p50 / p99 / p99.9 / max", "errors", "other (cores)",
  ]

  private static let outageHeadings = [
    "server", "still connected", "longest silence ms p50 / p99 / max", "audio again after s",
  ]

  private func outageCells(_ row: Row) -> [String]? {
    guard let figures = row.figures, let outage = figures.outage else { return nil }
    let silence = outage.silence
    return [
      row.server, "\(outage.kept) of \(figures.served)",
      list([silence.p50, silence.p99, silence.max]), number(outage.audioAgainSeconds, digits: 2),
    ]
  }

  private static let legend = [
    "l·s: listener-second. all-in: server, listeners, upstream and ksoftirqd. KiB / l: Pss above idle.",
    "Latency: from the upstream's write to the listener's read, of frames sent after the listener's",
    "connect. start: from the server's start until it answers with audio, with the window read that is",
    "on its disk. all served: from the first connection to the last first byte; connect: the server's CPU",
    "until then, with the burst. calls: system calls as strace counts them, after the window (who is",
    "near a whole core makes fewer then). other: what the rest of the machine used; above 0.2 the row",
    "is worth repeating.",
  ]

  private func cells(_ row: Row) -> [String] {
    guard let figures = row.figures else {
      return [row.server, row.hindrance ?? ""] + Self.headings.dropFirst(2).map { _ in "" }
    }
    let (first, latency) = (figures.firstByte, figures.latency)
    return [
      row.server, "\(figures.served)", number(figures.serverMicroseconds),
      "\(number(figures.serverUserMicroseconds)) + \(number(figures.serverSystemMicroseconds))",
      number(figures.allInMicroseconds), number(figures.serverCore * 100),
      number(figures.bytesPerListenerSecond / 1000),
      "\(mebibytes(figures.pssIdleKiB)) → \(mebibytes(figures.pssLoadedKiB))",
      number(figures.kiBPerListener, digits: 2), mebibytes(figures.socketMemoryKiB),
      "\(number(figures.voluntarySwitchesPerSecond)) + \(number(figures.involuntarySwitchesPerSecond))",
      number(figures.systemCallsPerSecond, digits: 0),
      number(figures.startSeconds, digits: 2),
      list([first.p50, first.p99, first.max]), number(figures.allServedSeconds, digits: 2),
      number(figures.connectMicroseconds, digits: 0),
      list([latency.p50, latency.p99, latency.p999, latency.max]),
      row.errors.isEmpty ? "0" : row.errors.joined(separator: ", "),
      number(figures.otherCores, digits: 2),
    ]
  }

  /// Compares every other row to the row `name`; for the limit to the adaptive one, if there is one.
  private func ratios(to name: String) -> String? {
    let measured = rows.filter { $0.figures != nil }
    let exact = measured.first { $0.server == name }
    guard let base = exact ?? measured.first(where: { $0.server.hasPrefix(name + " ") }) else {
      return nil
    }
    let parts = rows.compactMap { row -> String? in
      guard row.server != base.server, let mine = row.figures, let its = base.figures else {
        return nil
      }
      let memory = ratio(mine.kiBPerListener, its.kiBPerListener)
      return "\(row.server) CPU \(ratio(mine.serverMicroseconds, its.serverMicroseconds)), "
        + "all-in \(ratio(mine.allInMicroseconds, its.allInMicroseconds)), "
        + "KiB / l \(memory), latency p50 \(ratio(mine.latency.p50, its.latency.p50)), "
        + "first byte p99 \(ratio(mine.firstByte.p99, its.firstByte.p99)), "
        + "all served \(ratio(mine.allServedSeconds, its.allServedSeconds))"
    }
    return parts.isEmpty ? nil : "- to \(base.server): " + parts.joined(separator: "; ")
  }

  private func ratio(_ mine: Double?, _ its: Double?) -> String {
    guard let mine, let its, its > 0 else { return "-" }
    return "×" + String(format: "%.2f", mine / its)
  }

  private func mebibytes(_ kiB: UInt64?) -> String {
    number(kiB.map { Double($0) / 1024 })
  }

  private func list(_ values: [Double?]) -> String {
    values.map { number($0, digits: 0) }.joined(separator: " / ")
  }

  private func number(_ value: Double?, digits: Int = 1) -> String {
    value.map { String(format: "%.\(digits)f", $0) } ?? "-"
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }
}
