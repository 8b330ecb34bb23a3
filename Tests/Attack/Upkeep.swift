import Foundation
import Longwave
import TestSupport

/// Keeps the relay worth attacking: listeners with sessions, something to change and remove, and not too much of what
/// attacks have made.
final class Upkeep {
  /// So much of what was made stays, to be there when the relay starts again.
  private static let keptMax = 40
  private let round: Round

  init(_ round: Round) { self.round = round }

  func run() {
    var listeners: [(path: String, connection: Connection)] = []
    while !round.isOver {
      _ = AttackedRelay.administer(
        "POST", "/api/v1/stations", round.setup.madeStation, round.addresses)
      for path in round.takeMade(above: Self.keptMax) {
        // A recording that is deleted has ended first.
        for _ in 0..<(path.contains("recordings") ? 2 : 1) {
          _ = AttackedRelay.administer("DELETE", path, nil, round.addresses)
        }
      }
      listeners.removeAll { _, connection in
        if case .ended = connection.receive(until: 0) { return true }
        connection.forget()
        return false
      }
      for path in Self.paths where !listeners.contains(where: { $0.path == path }) {
        guard let connection = try? Connection(.tcp, round.addresses, host: 0x010205) else {
          continue
        }
        connection.send(HostileRequest("GET", path).bytes, until: secondsNow() + 1)
        listeners.append((path, connection))
      }
      usleep(200_000)
    }
  }

  private static let paths = [
    "/late?session=kitchen-radio-1", "/ogg?session=kitchen-radio-2&offset=1", "/aac", "/victim",
    "/shows/show.mp3?at=5", "/filled",
  ]
}
