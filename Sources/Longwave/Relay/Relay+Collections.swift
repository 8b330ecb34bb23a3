import Programmes
import Settings
import Timeshift
import Wire

extension Relay {
  /// The stations that play each collection, by its name.
  func collectionUsers() -> [String: [String]] {
    var users: [String: [String]] = [:]
    for station in stations.order {
      for name in stations[station]?.definition.programme?.collections ?? [] {
        users[name, default: []].append(station)
      }
    }
    return users
  }

  /// Returns the track of the item that is on air at a programme.
  public func trackOnAir(at station: String) throws(RelayError) -> TrackKey {
    guard let found = stations[station] else { throw RelayError.unknownStation(station) }
    guard let track = found.log?.snapshot().title?.title.item?.track else {
      throw RelayError.noTrackOnAir(station)
    }
    return track
  }
}
