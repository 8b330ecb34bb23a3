import Foundation
import Longwave
import TestSupport

/// Keeps the relay worth attacking: listeners with sessions, something to change and remove, and not too much of what
/// attacks have made.
final class Keeper {
  /// So much of what was made stays, to be there when the relay starts again.
  private static let keptMax = 40
  private let battle: Battle

  init(_ battle: Battle) { self.battle = battle }

  func run() {
    var listeners: [(path: String, line: Line)] = []
    while !battle.isOver {
      _ = Victim.administer("POST", "/api/v1/stations", battle.battery.victim, battle.doors)
      for path in battle.takeMade(above: Self.keptMax) {
        // A recording that is deleted has ended first.
        for _ in 0..<(path.contains("recordings") ? 2 : 1) {
          _ = Victim.administer("DELETE", path, nil, battle.doors)
        }
      }
      listeners.removeAll { _, line in
        if case .ended = line.receive(until: 0) { return true }
        line.forget()
        return false
      }
      for path in Self.paths where !listeners.contains(where: { $0.path == path }) {
        guard let line = try? Line(.tcp, battle.doors, host: 0x010205) else { continue }
        line.send(HostileRequest("GET", path).bytes, until: secondsNow() + 1)
        listeners.append((path, line))
      }
      usleep(200_000)
    }
  }

  private static let paths = [
    "/late?session=kitchen-radio-1", "/ogg?session=kitchen-radio-2&offset=1", "/aac", "/victim",
    "/shows/show.mp3?at=5", "/filled",
  ]
}
