import ArgumentParser
import Foundation
import Reactor
import TestSupport

/// Measures what open pages cost the relay that do not play.
struct PagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages",
    abstract: "Thousands of open pages that do not play, and titles that reach them all.",
    discussion: """
      Each page watches events as a browser's does. In the second row it also asks as a page does: for the timeline \
      every 15 s and after each title, for the station every 30 s. The upstream has a title every ten seconds. Exit \
      status 1: a page was refused.
      """)

  @Option(help: "Pages.")
  var pages = 10_000
  @Option(help: "How many titles are waited for.")
  var titles = 3
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    guard (1...18_000).contains(pages) else { throw ValidationError("--pages takes 1 to 18000") }
    guard (1...1000).contains(titles) else { throw ValidationError("--titles takes 1 to 1000") }
  }

  func run() throws {
    try Leftovers.clearOnSignals()
    _ = Limits.raiseOpenFiles()
    let machine = Report.Machine()
    print(
      """
      **\(pages) open pages, \(titles) titles** - \(machine.processor), \(machine.cores) cores\
      \(machine.isPinned ? "" : ", not pinned"), Linux \(machine.kernel), loopback

      | | KiB a page | core % between titles | answers a second | answer ms p50 / p99 | one title: \
      ms to all pages | ms until all have asked | CPU ms |
      | --- | --- | --- | --- | --- | --- | --- | --- |
      """)
    var refused = 0
    for isAsking in [false, true] { refused += try measure(isAsking: isAsking) }
    if refused > 0 {
      print("\n\(refused) answers were refusals.")
      throw ExitCode.failure
    }
  }

  private func measure(isAsking: Bool) throws -> Int {
    let directory = try Leftovers.makeDirectory()
    defer { Leftovers.remove(directory: directory) }
    let upstream = try BenchUpstream(bitrate: options.bitrate, burst: options.upstreamBurst)
    defer { upstream.stop() }
    let running = try options.longwave.start(
      .init(upstreamPort: upstream.port, withTitles: true, watchers: pages, directory: directory))
    defer { running.child.stop() }
    try running.waitUntilServing(path: "/bench")
    Thread.sleep(forTimeInterval: options.warmUp)
    let relay = running.child.id
    let idle = ProcessFigures.pssKiB(of: relay) ?? 0
    let crowd = try PageCrowd(pages, port: running.port, isAsking: isAsking) {
      ProcessFigures.cpuTime(of: relay).total
    }
    try crowd.run(titles: titles)
    let loaded = ProcessFigures.pssKiB(of: relay) ?? 0
    row(
      isAsking ? "watching and asking" : "watching", of: crowd, added: Double(loaded) - Double(idle)
    )
    return crowd.refused
  }

  private func row(_ name: String, of crowd: PageCrowd, added: Double) {
    func middle(_ values: [Double]) -> String { text(values.sorted()[values.count / 2], 0) }
    func text(_ value: Double?, _ digits: Int) -> String {
      value.map { String(format: "%.\(digits)f", $0) } ?? "-"
    }
    let spreads = crowd.spreads
    let cells = [
      name, text(added / Double(pages), 2),
      text(crowd.quiet.cpuSeconds / crowd.quiet.seconds * 100, 1),
      text(Double(crowd.quietAnswers) / crowd.quiet.seconds, 0),
      "\(text(crowd.answers.milliseconds(at: 50), 1)) / \(text(crowd.answers.milliseconds(at: 99), 1))",
      middle(spreads.map { Double($0.last - $0.first) / 1e6 }),
      middle(spreads.map { Double($0.settled) / 1e6 }),
      middle(spreads.map { $0.cpuSeconds * 1000 }),
    ]
    print("| " + cells.joined(separator: " | ") + " |")
  }
}
