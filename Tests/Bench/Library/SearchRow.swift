import Foundation
import Histogram
import Reactor

/// Searches over HTTP while a library stands still, and beside a scan of music that nobody has looked at.
struct SearchRow: LibraryRow {
  private static let (clients, quietSeconds) = (50, 20.0)
  /// Seconds from a client's question to its next: somebody who types five letters a second.
  private static let pause = 0.2

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.unchanged
    let known = try bench.music.short(count, seconds: 0.8, bitrate: 32)
    let added = try bench.music.short(bench.sizes.added, seconds: 4, bitrate: 64)
    let relay = try bench.relay([], settings: ["admin: {token: \(SearchCrowd.token)}"])
    defer { relay.stop() }
    let scans = try EventLines("scan-finished", port: relay.port)
    _ = try scan([known], relay, scans)
    // What a look has found is written behind it, and counted at the end.
    try Wait.until("the relay has written \(count) tracks", within: 600, every: 0.5) {
      try relay.figures.metric("longwave_library_tracks") == Double(count)
    }
    let crowd = try SearchCrowd(Self.clients, tracks: count, port: relay.port)
    let (before, began) = (relay.cpu, monotonicNow())
    try crowd.ask(every: Self.pause) {
      monotonicNow() - began > Int64(Self.quietSeconds * 1e9)
    }
    let quiet = crowd.taken()
    let quietCost = (relay.cpu - before) / Double(max(1, quiet.count)) * 1000
    let scan = try scan([known, added], relay, scans) { isOver in
      try crowd.ask(every: Self.pause, until: isOver)
    }
    let beside = crowd.taken()
    var table = LibraryTable(
      "\(Self.clients) clients search \(count) tracks over HTTP, a question each \(Self.pause) s",
      ["", "answers", "ms p50 / p99 / max", "CPU ms an answer"])
    table.rows = [
      ["nothing besides", "\(quiet.count)", quiet.milliseconds, quietCost.text(2)],
      [
        "beside a scan of \(bench.sizes.added) files, \(scan.seconds.text(1)) s",
        "\(beside.count)", beside.milliseconds, "",
      ],
    ]
    let (p99, p99Beside) = (quiet.latency.milliseconds(at: 99), beside.latency.milliseconds(at: 99))
    table.notes.append("p99: \((p99 ?? 0).text(1)) ms (to reach: at most 10)")
    table.compare("p99 beside a scan to without", p99Beside, to: p99, goal: 2)
    let refused = quiet.refused + beside.refused
    if refused > 0 { table.faults.append("\(refused) searches were refused, or found nothing") }
    return table
  }

  /// Has the relay look through these roots, and returns when it has.
  ///
  /// - Parameter meanwhile: runs until what it is given says that the look is over.
  private func scan(
    _ folders: [String], _ relay: BenchRelay, _ scans: EventLines,
    meanwhile: ((() throws -> Bool) throws -> Void)? = nil
  ) throws -> RootScans.Scan {
    let roots = folders.enumerated().map { "{id: root-\($0), path: \"\($1)\"}" }
    try relay.reload([
      "admin: {token: \(SearchCrowd.token)}",
      "library: {roots: [\(roots.joined(separator: ", "))], watch: false, measure: never}",
    ])
    var last: RootScans.Scan?
    func isOver(within patience: Double) throws -> Bool {
      guard last == nil, let event = try scans.next(within: patience) else { return last != nil }
      if event["root"] as? String == "root-\(folders.count - 1)" {
        last = RootScans.Scan(
          files: event["files"] as? Int ?? 0, problems: event["problems"] as? Int ?? 0,
          seconds: event["seconds"] as? Double ?? 0)
      }
      return last != nil
    }
    try meanwhile? { try isOver(within: 0.002) }
    try Wait.until("the relay has looked through its folders", within: 600) {
      try isOver(within: 1)
    }
    return last!
  }
}

/// People who search, each on a connection of its own.
private final class SearchCrowd {
  static let token = "bench-of-the-library"

  /// What came since it was asked last.
  struct Taken {
    var latency = LatencyHistogram.latencies
    var refused = 0

    var count: Int { Int(latency.totalCount) }
    var milliseconds: String {
      [50.0, 99, 100].map { latency.milliseconds(at: $0)?.text(1) ?? "-" }
        .joined(separator: " / ")
    }
  }

  private let connections: [KeptConnection]
  private let tracks: Int
  private var random = SystemRandomNumberGenerator()
  private var now = Taken()

  init(_ count: Int, tracks: Int, port: UInt16) throws {
    connections = try (0..<count).map {
      try KeptConnection(from: Loopback.source(part: 1, index: $0), to: port)
    }
    self.tracks = tracks
  }

  func taken() -> Taken {
    defer { now = Taken() }
    return now
  }

  /// Asks on all connections, spread over the pause, until it is over and all answers are there.
  func ask(every pause: Double, until isOver: () throws -> Bool) throws {
    let step = Int64(pause * 1e9)
    let began = monotonicNow()
    var due = connections.indices.map { began + step * Int64($0) / Int64(connections.count) }
    var (isEnding, looked) = (false, Int64(0))
    while true {
      if !isEnding, monotonicNow() - looked > 100_000_000 {
        isEnding = try isOver()
        looked = monotonicNow()
      }
      for (index, connection) in connections.enumerated() {
        let time = monotonicNow()
        guard !isEnding, connection.askedAt == nil, due[index] <= time else { continue }
        try connection.send(question(), at: time)
        due[index] = max(due[index] + step, time)
      }
      let asked = connections.filter { $0.askedAt != nil }
      if isEnding && asked.isEmpty { return }
      try receive(from: asked)
    }
  }

  private func receive(from asked: [KeptConnection]) throws {
    var waiting = asked.map { pollfd(fd: $0.fd, events: Int16(POLLIN), revents: 0) }
    _ = poll(&waiting, nfds_t(waiting.count), 1)
    for (connection, entry) in zip(asked, waiting) where entry.revents != 0 {
      let sent = connection.askedAt ?? 0
      guard let answer = try connection.receive() else { continue }
      now.latency.record(nanoseconds: monotonicNow() - sent)
      if answer.status != 200 || !answer.body.contains(Array("\"tracks\":[{".utf8)) {
        now.refused += 1
      }
    }
  }

  /// What one types: a title or its beginning, one to a thousand of which are there; or an artist, or both.
  private func question() -> String {
    let number = Int.random(in: 0..<tracks, using: &random)
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      let whole = String(repeating: "0", count: max(0, 7 - text.utf8.count)) + text
      return String(whole.prefix(count))
    }
    let words = [
      digits(number, 7), digits(number, 6), digits(number, 5), digits(number, 4),
      digits(number / 100, 7), "artist+\(digits(number / 100, 7))+\(digits(number, 5))",
      "artist%3A\(digits(number / 100, 7))", "title+\(digits(number, 7))",
    ].randomElement(using: &random)!
    return "GET /api/v1/tracks?q=\(words)&limit=50 HTTP/1.1\r\nHost: bench\r\n"
      + "Authorization: Bearer \(Self.token)\r\n\r\n"
  }
}
