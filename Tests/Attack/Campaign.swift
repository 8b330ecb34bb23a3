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
    var senders = 6
    /// No lives between them, and each of them once.
    var onlySieges = false
  }

  /// So long what was slow is tried again, after each life.
  private static let examinedSeconds = 20.0

  /// Of what was made, to be there when the relay starts again.
  private static let keptMax = 8
  /// Time-outs of what strangers leave behind are up to so long.
  private static let settlingSeconds = 12.0
  /// Upstreams come and go; what leaks grows with the thousands.
  private static let descriptorsMore = 32
  /// Windows fill, and an allocator keeps what it was asked for once.
  private static let memoryMore = 96 << 20
  /// Of a life's seconds, what sieges get behind it.
  private static let siegeShare = 1.0

  private let plan: Plan
  private let relay: AttackedRelay
  private let report: Report
  private var plans: Round.Plans
  private let makers: Set<String>
  private let began = secondsNow()
  private var lives = 0
  private var sieges: [Siege]
  private var sieged = 0

  init(_ plan: Plan, _ relay: AttackedRelay, _ report: Report) throws {
    (self.plan, self.relay, self.report) = (plan, relay, report)
    guard relay.start(explaining: true) else {
      throw TimeIsUp(description: "the relay does not start: \(relay.log)")
    }
    guard relay.canBeHeard else {
      throw TimeIsUp(description: "the relay takes no listener, so that nobody could lose anything")
    }
    let surface = try Surface(of: relay)
    makers = surface.makers
    var random = SplitMix(seed: plan.seed)
    sieges = Siege.all(surface).shuffled(using: &random)
    plans = Round.Plans(
      requests: RequestPlan(
        plan.onlySieges ? Surface(.null) : surface, names: relay.setup.names, seed: plan.seed),
      junk: Junk.attacks(station: "push", password: Setup.sourceCredentials).shuffled(
        using: &random),
      answers: UpstreamAttacks.tiers.flatMap { $0.shuffled(using: &random) })
    report.say(
      "\(surface.operations.count) operations, \(plans.requests.singlesLeft) requests with one odd value, "
        + "\(plans.junk.count) that are none, \(plans.answers.count) answers of others")
  }

  func run() {
    while !isOver, report.faults.count < Report.faultsMax {
      if !plan.onlySieges { live() }
      // Who counts requests lays sieges by themselves.
      if plan.requests == nil { besiege() }
      if plan.onlySieges { break }
    }
    report.say("\(sieged) of \(sieges.count) sieges")
    if relay.end == nil { relay.stop(SIGTERM) }
    startAgain("at the end")
    relay.stop(SIGTERM)
    if relay.end != 0 {
      report.add(Fault(what: "does not end cleanly: \(relay.end ?? 0)", attack: nil))
    }
  }

  private var isOver: Bool {
    plan.seconds.map { secondsNow() - began >= $0 } ?? false
      || plan.requests.map { report.sent >= $0 } ?? false
  }

  // MARK: Crowds

  private func besiege() {
    let end = secondsNow() + plan.lifeSeconds * Self.siegeShare
    while !isOver, plan.onlySieges || secondsNow() < end, let siege = nextSiege() {
      guard let what = lay(siege), relay.end != nil || again(siege) else { continue }
      report.add(Fault(what: relay.end == nil ? what : "dies", attack: siege.attack))
      relay.stop(SIGKILL)
      startAgain("after a siege")
    }
    if relay.openFiles != AttackedRelay.openFilesMax {
      restart(openFiles: AttackedRelay.openFilesMax)
    }
  }

  /// Each once, in a long run too.
  private func nextSiege() -> Siege? {
    guard sieged < sieges.count else { return nil }
    defer { sieged += 1 }
    return sieges[sieged]
  }

  private func lay(_ siege: Siege) -> String? {
    let openFiles = siege.openFiles ?? AttackedRelay.openFilesMax
    if relay.openFiles != openFiles { restart(openFiles: openFiles) }
    let began = secondsNow()
    let found = siege.lay(on: relay)
    if plan.onlySieges {
      report.say("\(siege.name): \(found ?? "nothing"), \((secondsNow() - began).short) s")
    }
    return found
  }

  private func restart(openFiles: Int) {
    relay.openFiles = openFiles
    relay.stop(SIGTERM)
    startAgain("before a siege")
  }

  /// On a new process: the machine may have been busy.
  private func again(_ siege: Siege) -> Bool {
    relay.stop(SIGKILL)
    startAgain("after a siege")
    return lay(siege) != nil
  }

  // MARK: A life

  private func live() {
    lives += 1
    let round = Round(relay.addresses, relay.setup, plans)
    // Upstreams are connected, and nobody attacks.
    usleep(500_000)
    let before = size
    let crew = Crew()
    for number in 0..<plan.senders {
      crew.add("sender.\(number)") { [makers] in
        RequestSender(round, number: number, makers: makers).run()
      }
    }
    crew.add("probe") { Witness(round).probe() }
    crew.add("listener") { Witness(round).listen() }
    crew.add("upkeep") { Upkeep(round).run() }
    crew.add("answers") { AnswerSender(round).run() }
    crew.add("verdicts") { AnswerSender(round).runAuth() }
    let start = secondsNow()
    watch(round, until: start + plan.lifeSeconds)
    round.finish()
    awaitDeath()
    crew.wait()
    plans = round.plans
    report.take(round.counts, seconds: secondsNow() - start)
    if relay.end != nil {
      died(round)
    } else if round.isStopped {
      stopped(round)
    } else {
      outlived(round, before)
    }
  }

  /// It says where it died before it is dead.
  private func awaitDeath() {
    let end = secondsNow() + 60
    while relay.isDying, secondsNow() < end { usleep(20_000) }
  }

  /// Until something happens.
  private func watch(_ round: Round, until end: Double) {
    var looked = secondsNow()
    while secondsNow() < end, relay.end == nil, !round.isStopped {
      if secondsNow() > looked + 0.3 {
        if relay.isDying { break }
        looked = secondsNow()
      }
      if plan.requests.map({ report.sent + round.counts.sent >= $0 }) ?? false { break }
      if plan.seconds.map({ secondsNow() - began >= $0 }) ?? false { break }
      // Enough to look at: the longer they wait, the less is known of them.
      if round.suspects.count >= 40 { break }
      usleep(10_000)
    }
  }

  private func outlived(_ round: Round, _ before: Size) {
    let kept = Cleanup(relay, setup.stationNames).remove(keeping: Self.keptMax)
    let after = settled(from: before)
    compare(before, with: after, kept: kept)
    examine(round)
    // Every other time without a warning.
    relay.stop(lives % 2 == 1 ? SIGKILL : SIGTERM)
    startAgain("after an attack")
    _ = Cleanup(relay, setup.stationNames).remove(keeping: 0)
  }

  private var setup: Setup { relay.setup }

  /// What is left when everybody has gone, and nothing more is given back.
  private func settled(from before: Size) -> Size {
    let (begin, end) = (secondsNow(), secondsNow() + Self.settlingSeconds)
    var least = size
    while secondsNow() < end, relay.end == nil {
      usleep(500_000)
      let now = size
      let isBack = now.descriptors <= before.descriptors + 16
      if isBack, now.descriptors >= least.descriptors, secondsNow() > begin + 2 { return now }
      least = now
    }
    return size
  }

  private struct Size {
    var kinds: [String: Int]
    var memory: Int
    var peak: Int

    /// Without a log's own, which come back when others need them.
    var descriptors: Int {
      kinds.reduce(0) { $0 + ($1.key == Figures.segment ? 0 : $1.value) }
    }
  }

  private var size: Size {
    let figures = relay.figures
    return Size(
      kinds: figures.descriptorKinds, memory: figures.memory, peak: figures.peak)
  }

  /// - Parameter kept: how many stations and recordings of strangers are left.
  private func compare(_ before: Size, with after: Size, kept: Int) {
    let more = after.kinds.map { ($0.key, $0.value - before.kinds[$0.key, default: 0]) }
      .filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }.map { "\($0.1) \($0.0)" }
    report.sayLife(
      "\(before.descriptors) → \(after.descriptors) descriptors beside segments, "
        + "more by \(more.joined(separator: ", ")); \(kept) things that were made are kept; "
        + "\(before.memory >> 20) → \(after.memory >> 20) MB, at most \(after.peak >> 20) MB")
    if after.descriptors > before.descriptors + Self.descriptorsMore + kept * 8 {
      report.add(
        Fault(
          what: "descriptors grow: \(before.descriptors), then \(after.descriptors)", attack: nil))
    }
    if after.memory > before.memory * 3 / 2 + Self.memoryMore {
      report.add(
        Fault(
          what: "memory grows: \(before.memory >> 20) MB, then \(after.memory >> 20) MB",
          attack: nil))
    }
  }

  // MARK: What went wrong

  /// It must start again on what it stored.
  private func startAgain(_ when: String) {
    if relay.start(explaining: true) { return }
    // Whoever keeps a relay running starts it again a few times.
    for _ in 0..<4 where relay.start(explaining: true) {
      report.add(
        Fault(what: "dies at its start \(when), and starts only after several", attack: nil))
      return
    }
    report.add(
      Fault(what: "does not start \(when) on what it stored: \(relay.deathReason)", attack: nil))
    relay.forget()
    if !relay.start(explaining: true) {
      report.say("it does not start at all: \(relay.log.suffix(2000))")
    }
  }

  private func died(_ round: Round) {
    let reason = relay.deathReason
    report.say("it died (\(relay.end ?? 0)): \(reason); looking for what it was")
    // It may have been stored: then it must not come back.
    let isStored = !(relay.start() && sleepAlive(0.7))
    if isStored {
      relay.forget()
      _ = relay.start()
    }
    let stored = isStored ? "; and it does not start again on what it stored" : ""
    if let culprit = Search(relay, report).killer(in: round.trail) {
      plans.mute(culprit.place)
      let own = explain(culprit) ?? reason
      report.add(Fault(what: "dies at \(own)\(own == reason ? stored : "")", attack: culprit))
    } else {
      report.add(
        Fault(
          what: "dies at \(reason), of nothing that kills by itself\(stored)", attack: nil,
          among: Array(round.trail.prefix(12))))
    }
    relay.stop(SIGKILL)
    relay.forget()
    startAgain("after its death")
  }

  /// Where in the sources this one dies: there may have been several. nil: this time it did not.
  private func explain(_ attack: Attack) -> String? {
    relay.stop(SIGKILL)
    relay.forget()
    guard relay.start(explaining: true) else { return nil }
    _ = Trial(relay: relay).runTogether([attack])
    _ = sleepAlive(0.5)
    awaitDeath()
    return relay.end == nil ? nil : relay.deathReason
  }

  private func sleepAlive(_ seconds: Double) -> Bool {
    let end = secondsNow() + seconds
    while secondsNow() < end, relay.end == nil { usleep(10_000) }
    return relay.end == nil
  }

  private func stopped(_ round: Round) {
    report.say("\(round.suspects.last?.what ?? "it stopped"); looking for what it was")
    relay.stop(SIGKILL)
    startAgain("after it was killed")
    let found = examine(round, also: round.trail)
    if !found { report.noteLate("\(round.suspects.last?.what ?? "it stopped"), and not again") }
  }

  /// Tries by itself whatever was slow.
  @discardableResult
  private func examine(_ round: Round, also trail: [Attack] = []) -> Bool {
    var (seen, found): (Set<String>, Bool) = ([], false)
    let suspects = round.suspects
    let single = suspects.filter { $0.attacks.count == 1 }.flatMap(\.attacks)
    let others = suspects.filter { $0.attacks.count > 1 }.prefix(3).flatMap(\.attacks)
    let end = secondsNow() + Self.examinedSeconds
    for attack in single + others + trail where seen.insert(attack.line).inserted {
      if secondsNow() > end { break }
      if plans.isMuted(attack) { continue }
      if relay.end != nil { startAgain("while it was examined") }
      let what = Trial(relay: relay).isSlow(attack)
      if relay.end != nil {
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
    for suspect in suspects.prefix(20) {
      report.noteLate("\(suspect.what): \(suspect.attacks.first?.line.prefix(200) ?? "")")
    }
    return found
  }
}
