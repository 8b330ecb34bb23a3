import ArgumentParser
import Foundation
import Reactor
import TestSupport

/// Throws at a relay whatever nobody in their right mind would send.
@main
struct AttackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attack",
    abstract:
      "Attack a relay with extreme and odd values, and see that it lives, answers, and starts again.",
    discussion: """
      A relay of its own is started, with stations of every kind, beside servers that lie to it. What is tried comes from \
      its own description (openapi.json), the keys of its configuration, and one table of values. What kills it, stops it \
      or makes it slow is told as a line for --replay.

      EXAMPLES
        deploy/attack
        deploy/attack --minutes 10 --seed 7
        deploy/attack --requests 1000000
        deploy/attack --sieges
        deploy/attack --program /usr/bin/longwave
        deploy/attack --replay 'tcp GET /late?at=1600-01-01T00:00:00Z HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'
      """,
    subcommands: [ConfigurationReading.self])

  @Option(help: "Another order, and other things at once.")
  var seed: UInt64?

  @Option(help: "How long.")
  var minutes: Double?

  @Option(help: "How many requests, instead of how long; without sieges.")
  var requests: Int?

  @Option(
    help: ArgumentHelp(
      "Only this, as a report shows it; @FILE: what is in the file.", valueName: "line"))
  var replay: String?

  @Option(
    help: ArgumentHelp(
      "The longwave to attack; else the one beside this program.", valueName: "path"))
  var program: String?

  @Option(help: "How many seconds the relay runs before it has to start again on what it stored.")
  var life = 30.0

  @ArgumentParser.Flag(help: "Only crowds at its weak places, each once.")
  var sieges = false

  @ArgumentParser.Flag(help: "Only configurations, all of them.")
  var configurations = false

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    // Crowds are larger than what a shell allows.
    _ = Limits.raiseOpenFiles()
    let setup = try await Setup()
    defer { setup.stop() }
    let relay = try AttackedRelay(attacked, setup)
    let status = replay.map { again($0, relay) } ?? attack(relay)
    relay.stop(SIGKILL)
    if status != 0 { throw ExitCode(status) }
  }

  private func attack(_ relay: AttackedRelay) -> Int32 {
    let report = Report()
    let seed = seed ?? UInt64.random(in: 0..<1_000_000)
    report.say("seed \(seed)")
    do {
      if !sieges {
        let isLong = requests != nil
        ConfigurationAttack(report).run(seed: seed, countMax: isLong ? .max : 25_000)
        ConfigurationCheck(program: attacked)
          .run(seed: seed, seconds: configurations ? nil : isLong ? 20 : 8, report)
        if configurations {
          report.finish(seed: seed)
          return report.faults.isEmpty ? 0 : 1
        }
      }
      let seconds = minutes.map { $0 * 60 } ?? (requests == nil && !sieges ? 60 : nil)
      var plan = Campaign.Plan(seed: seed, seconds: seconds, requests: requests, lifeSeconds: life)
      plan.onlySieges = sieges
      try Campaign(plan, relay, report).run()
    } catch {
      report.say("\(error)")
      return 1
    }
    report.finish(seed: seed)
    return report.faults.isEmpty ? 0 : 1
  }

  /// The program that is attacked.
  private var attacked: String { program ?? Binary.longwave }

  private func again(_ text: String, _ relay: AttackedRelay) -> Int32 {
    let line =
      text.hasPrefix("@")
      ? (try? String(contentsOfFile: String(text.dropFirst()), encoding: .utf8)) ?? "" : text
    guard let attack = Attack(line: line) else {
      print("attack: not a line of a report: \(text.prefix(100))")
      return 64
    }
    if attack.way == .config {
      let read = ConfigurationAttack(Report()).again(attack)
      return max(read, ConfigurationCheck(program: attacked).again(attack))
    }
    guard relay.start(explaining: true) else {
      print("attack: the relay does not start: \(relay.log)")
      return 1
    }
    _ = AttackedRelay.administer(
      "POST", "/api/v1/stations", relay.setup.madeStation, relay.addresses)
    let ear = try? Connection(.tcp, relay.addresses)
    ear?.send(HostileRequest("GET", "/late?session=kitchen-radio-1").bytes, until: secondsNow() + 1)
    usleep(300_000)
    let outcome = attack.way == .siege ? besiege(attack, relay) : Trial(relay: relay).run(attack)
    usleep(500_000)
    withExtendedLifetime(ear) {}
    let isFine = outcome == .fine && relay.end == nil
    print(
      isFine ? "nothing happens" : "\(relay.end == nil ? outcome : .died) \(relay.deathReason)")
    if !isFine { print(relay.log.suffix(3000)) }
    return isFine ? 0 : 1
  }

  private func besiege(_ attack: Attack, _ relay: AttackedRelay) -> Trial.Outcome {
    guard let surface = try? Surface(of: relay),
      let siege = Siege.all(surface).first(where: { $0.attack.bytes == attack.bytes })
    else { return .slow("there is no such siege") }
    if let openFiles = siege.openFiles {
      relay.stop(SIGTERM)
      relay.openFiles = openFiles
      guard relay.start(explaining: true) else { return .died }
    }
    return siege.lay(on: relay).map(Trial.Outcome.slow) ?? .fine
  }
}
