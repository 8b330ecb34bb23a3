import Server
import Timeshift
import Wire

/// The rules for a station beside the others, checked before a command adds or changes it.
struct StationRules {
  let stations: StationTable
  let leftOut: LeftOutStations

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

  func refuseTakenPaths(_ station: StationDefinition) throws(RelayError) {
    for other in stations.byID.values where other.id != station.id {
      let paths = other.definition.paths
      if let path = station.paths.first(where: paths.contains) {
        throw RelayError.mountExists(path: path, station: other.id)
      }
    }
  }

  /// Refuses a copy or rendition that could never play, and a change of a station's kind.
  func refuseBadCopy(_ station: StationDefinition) throws(RelayError) {
    if let old = stations[station.id]?.definition, !old.source.isOfKind(of: station.source) {
      throw RelayError.otherKind(field: old.files?.root == station.files?.root ? "of" : "files")
    }
    guard let of = station.parent else {
      if let copy = stations.copies(of: station.id).first, station.rests {
        throw RelayError.badField("onDemand", "\"\(copy)\" is this station, later: it cannot rest")
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

extension StationDefinition {
  /// Returns why `copy` cannot be a copy or a rendition of this station; nil when it can.
  ///
  /// - Parameter window: this station's window, in seconds.
  func problem(
    heardBy copy: StationDefinition, window: Double
  ) -> (key: String, message: String)? {
    switch source {
    case .upstream, .command, .soundInput: break
    case .copy: return ("of", "\"\(id)\" is itself another station, later; name that one")
    case .rendition(let original):
      return ("of", "\"\(id)\" is itself made of another station; name \"\(original)\"")
    case .files: return ("of", "\"\(id)\" serves files, which have no live edge")
    }
    if copy.renditionOf != nil { return nil }
    if rests { return ("of", "\"\(id)\" rests while nobody listens; it must not") }
    if copy.delay >= MediaTime(seconds: window) {
      let kept = DurationText.format(window)
      return ("delay", "\"\(id)\" keeps \(kept); write a shorter delay, or give it a longer window")
    }
    return nil
  }
}
