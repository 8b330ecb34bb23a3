import Foundation
import TestSupport

/// One attack by itself, on a relay that has nothing else to do.
struct Trial {
  let relay: AttackedRelay

  enum Outcome: Equatable {
    case fine
    case died
    /// What took too long, in words.
    case slow(String)
  }

  private static let secondMax = 1.0
  /// Audio comes every 26 ms.
  private static let gapMax = 1.5

  /// - Parameter restarts: whether the relay may be started anew where it does not answer any more.
  func run(_ attack: Attack) -> Outcome {
    let ear = try? Connection(.tcp, relay.addresses, host: 0x030303)
    ear?.send(HostileRequest("GET", "/\(Setup.steady)").bytes, until: secondsNow() + 1)
    _ = ear?.receive(until: secondsNow() + 2)
    let began = secondsNow()
    let own = strike(attack).map(MachineDelay.shared.own)
    let health = AttackedRelay.probe(.tcp, relay.addresses, within: 6).map(MachineDelay.shared.own)
    settle(after: attack)
    if relay.end != nil { return .died }
    if let own, own > Self.secondMax { return .slow("answered after \(own.short) s") }
    guard let health else { return .slow("/healthz is not answered within 6 s") }
    if health > Self.secondMax { return .slow("/healthz is answered after \(health.short) s") }
    let gap = ear.map { Self.gap(on: $0, since: began) } ?? 0
    if gap > Self.gapMax { return .slow("others hear nothing for \(gap.short) s") }
    return relay.end == nil ? .fine : .died
  }

  /// Whether it is slow whenever it is tried; the machine may have been busy.
  func isSlow(_ attack: Attack) -> String? {
    var what: String?
    for _ in 0..<3 {
      guard case .slow(let text) = run(attack) else { return nil }
      what = text
      if AttackedRelay.probe(.tcp, relay.addresses, within: 2) == nil {
        relay.stop(SIGKILL)
        guard relay.start() else { return text }
      }
    }
    return what
  }

  /// Several, without looking at each.
  func runTogether(_ attacks: [Attack]) -> Outcome {
    for attack in attacks {
      strike(attack)
      if relay.end != nil { return .died }
    }
    settle(after: attacks.last)
    return relay.end == nil ? .fine : .died
  }

  /// Seconds until its answer, where it has one.
  @discardableResult
  private func strike(_ attack: Attack) -> Double? {
    let began = secondsNow()
    switch attack.way {
    case .tcp, .unix, .tls, .shoutcast:
      let status = RequestSender.sendAlone(
        attack, relay.addresses, host: UInt32.random(in: 0x04_0000..<0x05_0000),
        patience: attack.isPlain ? 6 : 0.2)
      return attack.isPlain && status != nil ? secondsNow() - began : attack.isPlain ? 6 : nil
    case .upstream:
      AnswerSender.serve([attack, attack], [], relay.setup, relay.addresses)
      return (secondsNow() - began) / 2
    case .page:
      // Each station reads pages in a way of its own.
      let all = [Attack](repeating: attack, count: Setup.pageKinds.count)
      AnswerSender.serve([], all, relay.setup, relay.addresses)
      return (secondsNow() - began) / Double(all.count)
    case .auth: AnswerSender.ask(attack, relay.setup, relay.addresses)
    case .config, .siege: break
    }
    return nil
  }

  private func settle(after attack: Attack?) {
    switch attack?.way {
    case .upstream, .page:
      usleep(400_000)
      AnswerSender.look(relay.addresses)
      usleep(100_000)
    default: usleep(150_000)
    }
  }

  /// How long nothing has come until now that should have.
  private static func gap(on connection: Connection, since began: Double) -> Double {
    connection.forget()
    while case .more = connection.receive(until: 0) { connection.forget() }
    let asked = secondsNow()
    _ = connection.receive(until: asked + 6)
    return MachineDelay.shared.own(secondsNow() - asked)
  }
}
