import Foundation
import TestSupport

/// One attack by itself, on a relay that has nothing else to do.
struct Trial {
  let victim: Victim

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
    let ear = try? Line(.tcp, victim.doors, host: 0x030303)
    ear?.send(HostileRequest("GET", "/\(Battery.steady)").bytes, until: secondsNow() + 1)
    _ = ear?.receive(until: secondsNow() + 2)
    let began = secondsNow()
    let own = strike(attack).map(Control.shared.own)
    let health = Victim.probe(.tcp, victim.doors, within: 6).map(Control.shared.own)
    settle(after: attack)
    if victim.end != nil { return .died }
    if let own, own > Self.secondMax { return .slow("answered after \(own.short) s") }
    guard let health else { return .slow("/healthz is not answered within 6 s") }
    if health > Self.secondMax { return .slow("/healthz is answered after \(health.short) s") }
    let gap = ear.map { Self.gap(on: $0, since: began) } ?? 0
    if gap > Self.gapMax { return .slow("others hear nothing for \(gap.short) s") }
    return victim.end == nil ? .fine : .died
  }

  /// Whether it is slow whenever it is tried; the machine may have been busy.
  func isSlow(_ attack: Attack) -> String? {
    var what: String?
    for _ in 0..<3 {
      guard case .slow(let text) = run(attack) else { return nil }
      what = text
      if Victim.probe(.tcp, victim.doors, within: 2) == nil {
        victim.stop(SIGKILL)
        guard victim.start() else { return text }
      }
    }
    return what
  }

  /// Several, without looking at each.
  func runTogether(_ attacks: [Attack]) -> Outcome {
    for attack in attacks {
      strike(attack)
      if victim.end != nil { return .died }
    }
    settle(after: attacks.last)
    return victim.end == nil ? .fine : .died
  }

  /// Seconds until its answer, where it has one.
  @discardableResult
  private func strike(_ attack: Attack) -> Double? {
    let began = secondsNow()
    switch attack.way {
    case .tcp, .unix, .tls, .shoutcast:
      let status = Gun.fire(
        attack, victim.doors, host: UInt32.random(in: 0x04_0000..<0x05_0000),
        patience: attack.isPlain ? 6 : 0.2)
      return attack.isPlain && status != nil ? secondsNow() - began : attack.isPlain ? 6 : nil
    case .upstream:
      Desk.serve([attack, attack], [], victim.battery, victim.doors)
      return (secondsNow() - began) / 2
    case .page:
      // Each station reads pages in a way of its own.
      let all = [Attack](repeating: attack, count: Battery.pageKinds.count)
      Desk.serve([], all, victim.battery, victim.doors)
      return (secondsNow() - began) / Double(all.count)
    case .auth: Desk.ask(attack, victim.battery, victim.doors)
    case .config, .siege: break
    }
    return nil
  }

  private func settle(after attack: Attack?) {
    switch attack?.way {
    case .upstream, .page:
      usleep(400_000)
      Desk.look(victim.doors)
      usleep(100_000)
    default: usleep(150_000)
    }
  }

  /// How long nothing has come until now that should have.
  private static func gap(on line: Line, since began: Double) -> Double {
    line.forget()
    while case .more = line.receive(until: 0) { line.forget() }
    let asked = secondsNow()
    _ = line.receive(until: asked + 6)
    return Control.shared.own(secondsNow() - asked)
  }
}
