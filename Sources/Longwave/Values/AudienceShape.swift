import Server
import Timeshift
import Wire

extension StationAudience {
  /// Players that are told by name.
  private static let playersMax = 20

  /// The audience as a JSON object, for administrators only.
  package func json(of station: String, at time: WallTime) -> JSON {
    let told = buckets.enumerated().filter { $0.element > 0 }.map { index, listeners in
      ["behind": JSON(index * seconds), "listeners": JSON(listeners)] as JSON
    }
    let (most, other) = players(most: Self.playersMax)
    var players = most.map { ["name": JSON($0.name), "listeners": JSON($0.listeners)] as JSON }
    if other > 0 { players.append(["name": "other", "listeners": JSON(other)]) }
    let states = ListenerSnapshot.State.allCases.map {
      JSON.Member(key: $0.rawValue, value: JSON(self.states[$0]))
    }
    return [
      "station": .string(station), "at": JSON(time), "seconds": JSON(seconds),
      "buckets": .array(told), "players": .array(players), "states": .object(states),
    ]
  }
}

extension ListenerPage {
  package func json(in order: ListenerListing.Order) -> JSON {
    [
      "listeners": .array(listeners.map(\.json)), "total": JSON(total),
      "next": JSON(next?.text(in: order)),
    ]
  }
}
