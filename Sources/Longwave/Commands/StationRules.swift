import Server
import Wire

/// The rules for a station beside the others, checked before a command adds or changes it.
struct StationRules {
  let stations: StationTable
  let leftOut: LeftOutStations
  let paths: StationPaths
  let fallbacks: FallbackRules

  /// Returns a station that commands may change; throws for any other.
  func own(_ id: String, to verb: String) throws(RelayError) -> RelayStation {
    let station = try stations.station(id)
    guard let place = station.origin.place else { return station }
    throw RelayError.stationOfFile(id, place: place, verb: verb)
  }

  func refuseTaken(_ station: StationDefinition) throws(RelayError) {
    if let taken = stations[station.id] {
      throw RelayError.stationExists(station.id, place: taken.origin.place)
    }
    if leftOut.contains(station.id) { throw RelayError.leftOutStationExists(station.id) }
    try refuseTakenPaths(station)
  }

  /// Refuses what the station cannot be beside the others.
  ///
  /// - Parameter file: the format of the file that it falls back to, if that is a new one.
  func refuseBad(_ station: StationDefinition, file: AudioFormat?) throws(RelayError) {
    try refuseTakenPaths(station)
    try refuseBadCopy(station)
    try fallbacks.refuseBad(station, file: file)
  }

  private func refuseTakenPaths(_ station: StationDefinition) throws(RelayError) {
    for other in stations.byID.values where other.id != station.id {
      let paths = other.definition.paths
      if let path = station.paths.first(where: paths.contains) {
        throw RelayError.mountExists(path: path, station: other.id)
      }
    }
  }

  /// Refuses a copy or rendition that could never play, and a change of a station's kind.
  private func refuseBadCopy(_ station: StationDefinition) throws(RelayError) {
    if let old = stations[station.id]?.definition, !old.kind.isSame(as: station.kind) {
      throw RelayError.otherKind(field: old.files?.root == station.files?.root ? "of" : "files")
    }
    guard let of = station.parent else {
      if let copy = stations.copies(of: station.id).first, station.rests {
        throw RelayError.badField(
          "onDemand", "\"\(copy)\" is this station, later; a station with a later copy cannot rest")
      }
      return
    }
    guard let original = stations[of]?.definition else {
      throw RelayError.badField("of", "there is no station \"\(of)\"")
    }
    if let problem = original.problem(heardBy: station, window: stations.window(of: original)) {
      throw RelayError.badField(problem.key, problem.message)
    }
  }
}
