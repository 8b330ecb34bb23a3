import Server
import Timeshift
import Wire

// Delayed stations: another station's log, seen as it was some time ago. They have no upstream and store nothing.
extension Relay {
  /// The stations that are `id`, later.
  func copies(of id: String) -> [String] {
    order.filter { stations[$0]?.definition.original == id }
  }

  /// Puts the stations that are another one's, later, behind that one's log.
  func follow(_ id: String) {
    for copy in copies(of: id) {
      if let log = stations[id]?.log { stations[copy]?.log = log }
    }
  }

  /// Refuses a delayed station that could never play.
  func refuseBadCopy(_ station: StationDefinition) throws(APIError) {
    if let old = stations[station.id]?.definition, !old.source.isOfKind(of: station.source) {
      throw APIError(
        409, "other-kind", "Remove the station and add it again: what it plays is another thing.",
        field: old.files?.root == station.files?.root ? "of" : "files")
    }
    guard let of = station.original else {
      if let copy = copies(of: station.id).first, station.rests {
        throw APIError.badField("onDemand", "\"\(copy)\" is this station, later: it cannot rest")
      }
      return
    }
    guard let original = stations[of]?.definition else {
      throw APIError.badField("of", "there is no station \"\(of)\"")
    }
    if let problem = original.problem(
      copiedBy: station, window: configuration.window(of: original))
    {
      throw APIError.badField(problem.key, problem.message)
    }
  }
}

extension StationDefinition {
  /// Why `copy` cannot be this station, later; nil: it can.
  ///
  /// - Parameter window: of this station, seconds.
  func problem(
    copiedBy copy: StationDefinition, window: Double
  ) -> (key: String, message: String)? {
    switch source {
    case .upstream: break
    case .copy: return ("of", "\"\(id)\" is itself another station, later; name that one")
    case .files: return ("of", "\"\(id)\" serves files, which have no live edge")
    }
    if rests { return ("of", "\"\(id)\" rests while nobody listens; it must not") }
    if copy.delay >= MediaTime(seconds: window) {
      let kept = DurationText.format(window)
      return ("delay", "\"\(id)\" keeps \(kept); write a shorter delay, or give it a longer window")
    }
    return nil
  }
}
