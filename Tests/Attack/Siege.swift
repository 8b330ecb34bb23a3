import Foundation
import TestSupport

/// Many connections that each do something harmless, or nothing, at once: what one stranger with a script can do.
///
/// While it is laid, others ask and listen as in every battle; and whoever is locked out by it in particular.
struct Siege: Sendable {
  let name: String
  /// How many files the relay may have open; nil: few.
  var openFiles: Int?
  /// Requests of others, in turn, which are answered by 200 all the while.
  var bystanders: [Attack]
  /// What it does until it is over; what it has found by itself, nil: nothing.
  let run: @Sendable (Besieged) -> String?

  init(
    _ name: String, openFiles: Int? = nil, beside bystanders: [Attack] = [],
    run: @escaping @Sendable (Besieged) -> String?
  ) {
    (self.name, self.openFiles, self.bystanders, self.run) = (name, openFiles, bystanders, run)
  }

  /// Those that are thought of, and what the description of the relay gives.
  static func all(_ surface: Surface) -> [Siege] {
    crowds + routes(of: surface)
  }

  var attack: Attack { Attack(way: .siege, bytes: Array(name.utf8), place: "siege") }

  /// What others have seen of it, or itself; nil: nothing.
  func lay(on victim: Victim) -> String? {
    let battle = Battle(victim.doors, victim.battery, .none)
    let crew = Crew()
    let stranger = bystanders.isEmpty ? nil : Bystander(battle, bystanders)
    stranger?.waitForAnswer()
    crew.add("probe") { Witness(battle).probe() }
    crew.add("listener") { Witness(battle).listen() }
    if let stranger { crew.add("bystander") { stranger.run() } }
    usleep(200_000)
    let found = run(Besieged(battle: battle, process: Figures(of: victim.id)))
    // What is over at once leaves a listener on a busy machine no time to hear anything.
    for _ in 0..<50 where battle.counts.heard == 0 { usleep(100_000) }
    battle.finish()
    crew.wait()
    let isDeaf = battle.counts.heard == 0 ? "a listener of another station heard nothing" : nil
    return found ?? battle.suspects.first?.what ?? isDeaf
  }
}

/// What a siege has to do with.
struct Besieged {
  let battle: Battle
  let process: Figures

  var doors: Doors { battle.doors }
}

/// Somebody who has every right to an answer.
struct Bystander: Sendable {
  private static let host: UInt32 = 0x010207
  private let battle: Battle
  private let attacks: [Attack]

  init(_ battle: Battle, _ attacks: [Attack]) { (self.battle, self.attacks) = (battle, attacks) }

  /// A relay that has just begun may have no audio yet.
  func waitForAnswer() {
    let end = secondsNow() + 5
    while ask(attacks[0]) != 200, secondsNow() < end { usleep(100_000) }
  }

  func run() {
    var number = 0
    while !battle.isOver {
      number += 1
      let attack = attacks[number % attacks.count]
      let began = secondsNow()
      let status = ask(attack)
      battle.noteProbe(secondsNow() - began, of: "somebody else's \(attack.place)")
      if status != 200, !battle.isOver {
        let answer = status.map { "is answered by \($0)" } ?? "is not answered"
        battle.suspect([], "somebody else's \(attack.place) \(answer)")
      }
      usleep(100_000)
    }
  }

  private func ask(_ attack: Attack) -> Int? {
    Gun.fire(attack, battle.doors, host: Self.host, patience: 8)
  }
}
