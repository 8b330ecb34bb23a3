import Foundation
import Longwave
import TestSupport

/// One run: lives of the relay's process, each under attack until it dies, stops, or has lived long enough; and what was
/// found.
final class Campaign {
  struct Plan {
    var seed: UInt64
    /// Whichever comes first; nil: no limit.
    var seconds: Double?
    var requests: Int?
    /// How long a process is attacked before it has to start again on what it stored.
    var lifeSeconds = 30.0
    var guns = 6
  }

  /// So long what was slow is tried again, after each life.
  private static let examinedSeconds = 20.0

  private static let siegesEach = 1

  private let plan: Plan
  private let victim: Victim
  private let report: Report
  private var plans: Battle.Plans
  private let makers: Set<String>
  private let began = secondsNow()
  private var lives = 0
  private var sieges: [Siege]
  private var sieged = 0

  init(_ plan: Plan, _ victim: Victim, _ report: Report) throws {
    (self.plan, self.victim, self.report) = (plan, victim, report)
    guard victim.start(explaining: true) else {
      throw TimeIsUp(description: "the relay does not start: \(victim.log)")
    }
    let document = Victim.administer("GET", "/api/v1/openapi.json", nil, victim.doors)
    guard let document, let json = JSON.parse(Array(document.body)) else {
      throw TimeIsUp(description: "the relay does not describe itself")
    }
    let surface = Surface(json)
    makers = surface.makers
    var random = SplitMix(seed: plan.seed)
    sieges = Siege.all.shuffled(using: &random)
    plans = Battle.Plans(
      requests: RequestPlan(surface, names: victim.battery.names, seed: plan.seed),
      junk: Junk.attacks(station: "push", password: Battery.sourceCredentials).shuffled(
        using: &random),
      answers: UpstreamAttacks.tiers.flatMap { $0.shuffled(using: &random) })
    report.say(
      "\(surface.operations.count) operations, \(plans.requests.singlesLeft) requests with one odd value, "
        + "\(plans.junk.count) that are none, \(plans.answers.count) answers of others")
  }

  func run() {
    while !isOver, report.faults.count < Report.faultsMax {
      live()
      besiege()
    }
    if victim.end == nil { victim.stop(SIGTERM) }
    startAgain("at the end")
    victim.stop(SIGTERM)
    if victim.end != 0 {
      report.add(Fault(what: "does not end cleanly: \(victim.end ?? 0)", attack: nil))
    }
  }

  private var isOver: Bool {
    plan.seconds.map { secondsNow() - began >= $0 } ?? false
      || plan.requests.map { report.sent >= $0 } ?? false
  }

  // MARK: Crowds

  private func besiege() {
    for _ in 0..<Self.siegesEach where !isOver {
      let siege = sieges[sieged % sieges.count]
      sieged += 1
      guard let what = siege.lay(on: victim), victim.end != nil || again(siege) else {
        continue
      }
      report.add(Fault(what: victim.end == nil ? what : "dies", attack: siege.attack))
      sieges.removeAll { $0.name == siege.name }
      victim.stop(SIGKILL)
      startAgain("after a siege")
    }
  }

  /// On a new process: the machine may have been busy.
  private func again(_ siege: Siege) -> Bool {
    victim.stop(SIGKILL)
    startAgain("after a siege")
    return siege.lay(on: victim) != nil
  }

  // MARK: A life

  private func live() {
    lives += 1
    let battle = Battle(victim.doors, victim.battery, plans)
    let crew = Crew()
    for number in 0..<plan.guns {
      crew.add("gun.\(number)") { [makers] in Gun(battle, number: number, makers: makers).run() }
    }
    crew.add("probe") { Witness(battle).probe() }
    crew.add("listener") { Witness(battle).listen() }
    crew.add("pulse") { Witness(battle).feelPulse() }
    crew.add("keeper") { Keeper(battle).run() }
    crew.add("desk") { Desk(battle).run() }
    crew.add("doorkeeper") { Desk(battle).runAuth() }
    let start = secondsNow()
    let figures = watch(battle, until: start + plan.lifeSeconds)
    battle.finish()
    awaitDeath()
    crew.wait()
    plans = battle.plans
    report.take(battle.counts, seconds: secondsNow() - start)
    if victim.end != nil {
      died(battle)
    } else if battle.isStopped {
      stopped(battle)
    } else {
      outlived(battle, figures)
    }
  }

  /// It says where it died before it is dead.
  private func awaitDeath() {
    let end = secondsNow() + 60
    while victim.isDying, secondsNow() < end { usleep(20_000) }
  }

  /// Until something happens; gives the figures of a process that has warmed up.
  private func watch(_ battle: Battle, until end: Double) -> (descriptors: Int, memory: Int)? {
    var figures: (descriptors: Int, memory: Int)?
    let warm = secondsNow() + plan.lifeSeconds / 3
    var looked = secondsNow()
    while secondsNow() < end, victim.end == nil, !battle.isStopped {
      if secondsNow() > looked + 0.3 {
        if victim.isDying { break }
        looked = secondsNow()
      }
      if plan.requests.map({ report.sent + battle.counts.sent >= $0 }) ?? false { break }
      if plan.seconds.map({ secondsNow() - began >= $0 }) ?? false { break }
      // Enough to look at: the longer they wait, the less is known of them.
      if battle.suspects.count >= 40 { break }
      if figures == nil, secondsNow() > warm { figures = victim.figures }
      usleep(10_000)
    }
    return figures
  }

  private func outlived(_ battle: Battle, _ figures: (descriptors: Int, memory: Int)?) {
    if let figures { compare(figures, with: settled(battle)) }
    examine(battle)
    // Every other time without a warning.
    victim.stop(lives % 2 == 1 ? SIGKILL : SIGTERM)
    startAgain("after an attack")
    for path in battle.takeMade(above: 0) {
      for _ in 0..<(path.contains("recordings") ? 2 : 1) {
        _ = Victim.administer("DELETE", path, nil, victim.doors)
      }
    }
  }

  /// What is left when everybody has gone.
  private func settled(_ battle: Battle) -> (descriptors: Int, memory: Int) {
    for path in battle.takeMade(above: 30) {
      _ = Victim.administer("DELETE", path, nil, victim.doors)
    }
    let end = secondsNow() + 8
    var figures = victim.figures
    while secondsNow() < end, victim.end == nil {
      usleep(500_000)
      let now = victim.figures
      if now.descriptors >= figures.descriptors, secondsNow() > end - 6 { break }
      figures = now
    }
    return figures
  }

  /// Connections under way come and go; what leaks grows with the thousands.
  private func compare(
    _ before: (descriptors: Int, memory: Int), with after: (descriptors: Int, memory: Int)
  ) {
    report.figures(before, after)
    if after.descriptors > before.descriptors + 128 {
      report.add(
        Fault(
          what: "descriptors grow: \(before.descriptors), then \(after.descriptors)", attack: nil))
    }
    if after.memory > before.memory * 3 / 2 + 96 << 20 {
      report.add(
        Fault(
          what: "memory grows: \(before.memory >> 20) MB, then \(after.memory >> 20) MB",
          attack: nil))
    }
  }

  // MARK: What went wrong

  /// It must start again on what it stored.
  private func startAgain(_ when: String) {
    if victim.start(explaining: true) { return }
    // Whoever keeps a relay running starts it again a few times.
    for _ in 0..<4 where victim.start(explaining: true) {
      report.add(
        Fault(what: "dies at its start \(when), and starts only after several", attack: nil))
      return
    }
    report.add(
      Fault(what: "does not start \(when) on what it stored: \(victim.deathReason)", attack: nil))
    victim.forget()
    if !victim.start(explaining: true) {
      report.say("it does not start at all: \(victim.log.suffix(2000))")
    }
  }

  private func died(_ battle: Battle) {
    let reason = victim.deathReason
    report.say("it died (\(victim.end ?? 0)): \(reason); looking for what it was")
    // It may have been stored: then it must not come back.
    let isStored = !(victim.start() && sleepAlive(0.7))
    if isStored {
      victim.forget()
      _ = victim.start()
    }
    let stored = isStored ? "; and it does not start again on what it stored" : ""
    if let culprit = Search(victim, report).killer(in: battle.trail) {
      plans.mute(culprit.place)
      let own = explain(culprit) ?? reason
      report.add(Fault(what: "dies at \(own)\(own == reason ? stored : "")", attack: culprit))
    } else {
      report.add(
        Fault(
          what: "dies at \(reason), of nothing that kills by itself\(stored)", attack: nil,
          among: Array(battle.trail.prefix(12))))
    }
    victim.stop(SIGKILL)
    victim.forget()
    startAgain("after its death")
  }

  /// Where in the sources this one dies: there may have been several. nil: this time it did not.
  private func explain(_ attack: Attack) -> String? {
    victim.stop(SIGKILL)
    victim.forget()
    guard victim.start(explaining: true) else { return nil }
    _ = Trial(victim: victim).runTogether([attack])
    _ = sleepAlive(0.5)
    awaitDeath()
    return victim.end == nil ? nil : victim.deathReason
  }

  private func sleepAlive(_ seconds: Double) -> Bool {
    let end = secondsNow() + seconds
    while secondsNow() < end, victim.end == nil { usleep(10_000) }
    return victim.end == nil
  }

  private func stopped(_ battle: Battle) {
    report.say("\(battle.suspects.last?.what ?? "it stopped"); looking for what it was")
    victim.stop(SIGKILL)
    startAgain("after it was killed")
    let found = examine(battle, also: battle.trail)
    if !found { report.noteLate("\(battle.suspects.last?.what ?? "it stopped"), and not again") }
  }

  /// Tries by itself whatever was slow.
  @discardableResult
  private func examine(_ battle: Battle, also trail: [Attack] = []) -> Bool {
    var (seen, found): (Set<String>, Bool) = ([], false)
    let suspects = battle.suspects
    let single = suspects.filter { $0.attacks.count == 1 }.flatMap(\.attacks)
    let others = suspects.filter { $0.attacks.count > 1 }.prefix(3).flatMap(\.attacks)
    let end = secondsNow() + Self.examinedSeconds
    for attack in single + others + trail where seen.insert(attack.line).inserted {
      if secondsNow() > end { break }
      if plans.isMuted(attack) { continue }
      if victim.end != nil { startAgain("while it was examined") }
      let what = Trial(victim: victim).isSlow(attack)
      if victim.end != nil {
        plans.mute(attack.place)
        report.add(Fault(what: "dies", attack: attack))
        startAgain("after its death")
        found = true
      } else if let what {
        plans.mute(attack)
        report.add(Fault(what: what, attack: attack))
        found = true
      }
    }
    for suspect in suspects.prefix(20) { report.noteLate(suspect.what) }
    return found
  }
}
