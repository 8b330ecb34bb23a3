import Foundation
import TestSupport

/// Many connections that each do something harmless, or nothing, at once: what one stranger with a script can do.
///
/// While it is laid, others ask and listen as in every round; and whoever is locked out by it in particular.
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
  func lay(on relay: AttackedRelay) -> String? {
    let round = Round(relay.addresses, relay.setup, .none)
    let crew = Crew()
    let stranger = bystanders.isEmpty ? nil : Bystander(round, bystanders)
    stranger?.waitForAnswer()
    crew.add("probe") { Witness(round).probe() }
    crew.add("listener") { Witness(round).listen() }
    if let stranger { crew.add("bystander") { stranger.run() } }
    usleep(200_000)
    let found = run(Besieged(round: round, process: Figures(of: relay.id)))
    // What is over at once leaves a listener on a busy machine no time to hear anything.
    for _ in 0..<50 where round.counts.heard == 0 { usleep(100_000) }
    round.finish()
    crew.wait()
    let isDeaf = round.counts.heard == 0 ? "a listener of another station heard nothing" : nil
    return found ?? round.suspects.first?.what ?? isDeaf
  }
}

/// What a siege has to do with.
struct Besieged {
  let round: Round
  let process: Figures

  var addresses: RelayAddresses { round.addresses }
}

/// Somebody who has every right to an answer.
struct Bystander: Sendable {
  private static let host: UInt32 = 0x010207
  private let round: Round
  private let attacks: [Attack]

  init(_ round: Round, _ attacks: [Attack]) { (self.round, self.attacks) = (round, attacks) }

  /// A relay that has just begun may have no audio yet.
  func waitForAnswer() {
    let end = secondsNow() + 5
    while ask(attacks[0]) != 200, secondsNow() < end { usleep(100_000) }
  }

  func run() {
    var number = 0
    while !round.isOver {
      number += 1
      let attack = attacks[number % attacks.count]
      let began = secondsNow()
      let status = ask(attack)
      round.noteProbe(secondsNow() - began, of: "somebody else's \(attack.place)")
      if status != 200, !round.isOver {
        let answer = status.map { "is answered by \($0)" } ?? "is not answered"
        round.suspect([], "somebody else's \(attack.place) \(answer)")
      }
      usleep(100_000)
    }
  }

  private func ask(_ attack: Attack) -> Int? {
    RequestSender.sendAlone(attack, round.addresses, host: Self.host, patience: 8)
  }
}
