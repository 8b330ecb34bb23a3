import Foundation
import Longwave
import Synchronization
import TestSupport

/// One attack on one life of the relay's process: what everybody who takes part in it shares.
final class Round: Sendable {
  /// Something that took longer than it should, or was not answered: perhaps only because the machine was busy.
  struct Suspect: Sendable {
    var attacks: [Attack]
    var what: String
  }

  struct Counts: Sendable {
    var sent = 0
    /// The connection ended without an answer.
    var unanswered = 0
    var statuses: [Int: Int] = [:]
    var probes = 0
    /// Of the probes, seconds.
    var slowest = 0.0
    var heard = 0
  }

  private struct State {
    var counts = Counts()
    /// By who sent them: the last ones, the newest last.
    var trails: [Int: [Attack]] = [:]
    var suspects: [Suspect] = []
    /// What was made, by its path.
    var made: [String] = []
    var isOver = false
    var isStopped = false
  }

  let addresses: RelayAddresses
  let setup: Setup
  private let plan: Mutex<Plans>
  private let state = Mutex(State())
  private static let trailMax = 64
  /// Seconds within which everything is answered.
  static let answerMax = 1.0

  struct Plans {
    var requests: RequestPlan
    /// In an order that a seed decides; each comes again.
    var junk: [Attack]
    var answers: [Attack]
    var nextJunk = 0
    var slowShapes = 0
    var nextAnswer: [Attack.Way: Int] = [:]
  }

  init(_ addresses: RelayAddresses, _ setup: Setup, _ plans: Plans) {
    self.addresses = addresses
    self.setup = setup
    plan = Mutex(plans)
  }

  /// For the next life.
  var plans: Plans { plan.withLock { $0 } }

  var singlesLeft: Int { plan.withLock { $0.requests.singlesLeft } }

  // MARK: What is next

  /// So many requests; among them now and then what is none.
  func nextRequests(_ count: Int) -> [Attack] {
    plan.withLock { plans in
      (0..<count).compactMap { number in
        if number == 0, plans.nextJunk % 4 != 3 || plans.requests.singlesLeft == 0 {
          return plans.junkNext()
        }
        if number == 0 { plans.nextJunk += 1 }
        return plans.requests.next()
      }
    }
  }

  func nextAnswers(_ way: Attack.Way, _ count: Int) -> [Attack] {
    plan.withLock { plans in plans.answers(way, count) }
  }

  // MARK: What has happened

  var isOver: Bool { state.withLock { $0.isOver } }
  var isStopped: Bool { state.withLock { $0.isStopped } }
  var counts: Counts { state.withLock { $0.counts } }
  var suspects: [Suspect] { state.withLock { $0.suspects } }
  /// All that was sent last, the newest first.
  var trail: [Attack] {
    state.withLock { state in
      var all: [Attack] = []
      let trails = state.trails.values.map { Array($0.reversed()) }
      for index in 0..<Self.trailMax {
        all += trails.compactMap { $0.indices.contains(index) ? $0[index] : nil }
      }
      return all
    }
  }

  func finish() { state.withLock { $0.isOver = true } }

  /// Nothing is answered any more.
  func noteStop(_ what: String) {
    state.withLock { state in
      state.isStopped = true
      state.isOver = true
      state.suspects.append(Suspect(attacks: [], what: what))
    }
  }

  func begin(_ attacks: [Attack], by sender: Int) {
    state.withLock { state in
      state.counts.sent += attacks.count
      state.trails[sender] = Array(
        (state.trails[sender, default: []] + attacks).suffix(Self.trailMax))
    }
  }

  func note(_ answers: [Int], unanswered: Int) {
    state.withLock { state in
      for status in answers { state.counts.statuses[status, default: 0] += 1 }
      state.counts.unanswered += unanswered
    }
  }

  func suspect(_ attacks: [Attack], _ what: String) {
    state.withLock { state in
      if state.suspects.count < 200 { state.suspects.append(Suspect(attacks: attacks, what: what)) }
    }
  }

  /// - Parameter others: what is in flight meanwhile.
  func noteProbe(_ seconds: Double, of what: String) {
    if MachineDelay.shared.own(seconds) > Self.answerMax {
      suspect(Array(trail.prefix(96)), "\(what) took \(seconds.short) s")
    }
    state.withLock { state in
      state.counts.probes += 1
      state.counts.slowest = max(state.counts.slowest, seconds)
    }
  }

  func noteHeard(_ packets: Int) { state.withLock { $0.counts.heard += packets } }

  // MARK: What was made

  func noteMade(_ path: String) { state.withLock { $0.made.append(path) } }

  /// Those above so many, the oldest first.
  func takeMade(above count: Int) -> [String] {
    state.withLock { state in
      let surplus = max(0, state.made.count - count)
      defer { state.made.removeFirst(surplus) }
      return Array(state.made.prefix(surplus))
    }
  }
}

extension Round.Plans {
  /// Nothing is sent but what a siege sends.
  static let none = Round.Plans(
    requests: RequestPlan(
      Surface(.null), names: RequestPlan.Names(stations: [], token: "", examples: [:]), seed: 0),
    junk: [], answers: [])

  mutating func mute(_ place: String) {
    requests.mute(place)
    junk.removeAll { $0.place == place }
    answers.removeAll { $0.place == place }
  }

  /// What is slow: two bodies that are, are one fault in what reads all of them, and nothing of where they stood.
  mutating func mute(_ attack: Attack) {
    guard attack.isOddBody else { return mute(attack.place) }
    slowShapes += 1
    requests.skipsShapes = slowShapes >= 2
  }

  func isMuted(_ attack: Attack) -> Bool {
    requests.muted.contains(attack.place) || requests.skipsShapes && attack.isOddBody
  }

  mutating func junkNext() -> Attack? {
    nextJunk += 1
    return junk.isEmpty ? nil : junk[nextJunk % junk.count]
  }

  mutating func answers(_ way: Attack.Way, _ count: Int) -> [Attack] {
    var found: [Attack] = []
    if answers.isEmpty { return [] }
    var next = nextAnswer[way, default: 0]
    for _ in answers where found.count < count {
      if answers[next].way == way { found.append(answers[next]) }
      next = (next + 1) % answers.count
    }
    nextAnswer[way] = next
    return found
  }
}

extension Double {
  /// Two decimals.
  var short: String { String(format: "%.2f", self) }
}

/// Threads that are waited for.
final class Crew {
  private let group = DispatchGroup()

  func add(_ name: String, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    let thread = Thread { [group] in
      body()
      group.leave()
    }
    thread.name = name
    thread.stackSize = 4 << 20
    thread.start()
  }

  func wait() { group.wait() }
}
