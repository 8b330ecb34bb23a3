import Programmes
import Settings
import Timeshift

// What programmes learn of other stations and of the clock.
extension ProgrammeFiller {
  /// Gives programmes the logs of stations that they name, each second: stations come and go.
  func attend() async {
    for id in Array(entries.keys) { await attend(id) }
  }

  func attend(_ id: String) async {
    guard let entry = entries[id] else { return }
    // A reload may have opened or closed folders.
    if entry.rights != rights(of: id) || entry.openPaths != stations.configuration.server.paths {
      await follow(id)
    }
    var logs: [String: PacketLog] = [:]
    for named in entry.programme.stations where named != id {
      if let station = stations[named], !station.isStopped { logs[named] = station.log }
    }
    let isSame =
      logs.count == entry.stations.count
      && logs.allSatisfy { entry.stations[$0.key] === $0.value }
    if isSame { return }
    entries[id]?.stations = logs
    await entry.feed.use(stations: logs)
  }

  /// The upstream of a station has said goodbye.
  func note(goodbyeOf station: String) async {
    for entry in entries.values where entry.stations[station] != nil {
      await entry.feed.sayGoodbye(to: station)
    }
  }

  /// - Parameter milliseconds: by which the wall clock was set.
  func follow(clockSetBy milliseconds: Int64) async {
    for entry in entries.values { await entry.feed.follow(clockSetBy: milliseconds) }
  }
}
