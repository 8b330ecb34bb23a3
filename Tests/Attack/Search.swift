import TestSupport

/// Finds which of many attacks it was that killed the relay.
struct Search {
  private let relay: AttackedRelay
  private let report: Report
  private static let together = 16

  init(_ relay: AttackedRelay, _ report: Report) { (self.relay, self.report) = (relay, report) }

  /// nil: none of them does it again, by itself or with its neighbours.
  func killer(in attacks: [Attack]) -> Attack? {
    var seen: Set<[UInt8]> = []
    let candidates = attacks.filter { seen.insert($0.bytes).inserted }
    // Those of servers that the relay asks take their time: first the others.
    let (slow, quick) = (candidates.filter { $0.isOfServer }, candidates.filter { !$0.isOfServer })
    for group in Self.groups(of: quick, Self.together) + Self.groups(of: slow, Setup.hostileCount) {
      if let killer = killer(among: group) { return killer }
    }
    return nil
  }

  private func killer(among group: [Attack]) -> Attack? {
    let trial = Trial(relay: relay)
    guard trial.runTogether(group) == .died else { return nil }
    guard restart() else { return nil }
    for attack in group where trial.runTogether([attack]) == .died { return attack }
    return nil
  }

  /// On nothing stored: what was stored by one of them would kill for all of them.
  private func restart() -> Bool {
    relay.forget()
    return relay.start()
  }

  private static func groups(of attacks: [Attack], _ size: Int) -> [[Attack]] {
    stride(from: 0, to: attacks.count, by: size).map {
      Array(attacks[$0..<min(attacks.count, $0 + size)])
    }
  }
}

extension Attack {
  fileprivate var isOfServer: Bool { [.upstream, .page, .auth].contains(way) }
}
