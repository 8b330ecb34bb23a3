import Server
import Timeshift
import Wire

// Delayed stations: another station's log, seen as it was some time ago. They have no upstream and store nothing.
extension Relay {
  /// The stations that are `id`, later.
  func copies(of id: String) -> [String] { order.filter { stations[$0]?.definition.of == id } }

  /// Puts the stations that are another one's, later, behind that one's log.
  func follow(_ id: String) {
    for copy in copies(of: id) {
      if let log = stations[id]?.log { stations[copy]?.log = log }
    }
  }

  /// Refuses a delayed station that could never play.
  func refuseBadCopy(_ station: StationDefinition) throws(APIError) {
    if let old = stations[station.id]?.definition,
      (old.of == nil, old.files == nil) != (station.of == nil, station.files == nil)
    {
      throw APIError(
        409, "other-kind", "Remove the station and add it again: what it plays is another thing.",
        field: old.files == station.files ? "of" : "files")
    }
    guard let of = station.of else {
      if let copy = copies(of: station.id).first, station.rests {
        throw APIError.badField("onDemand", "\"\(copy)\" is this station, later: it cannot rest")
      }
      return
    }
    guard let origin = stations[of]?.definition else {
      throw APIError.badField("of", "there is no station \"\(of)\"")
    }
    if let problem = Self.problem(
      of: station, later: origin, window: configuration.window(of: origin))
    {
      throw APIError.badField(problem.key, problem.message)
    }
  }

  /// Why `station` cannot be `origin`, later; nil: it can.
  static func problem(
    of station: StationDefinition, later origin: StationDefinition, window: Double
  ) -> (key: String, message: String)? {
    if origin.of != nil {
      return ("of", "\"\(origin.id)\" is itself another station, later; name that one")
    }
    if origin.files != nil {
      return ("of", "\"\(origin.id)\" serves files, which have no live edge")
    }
    if origin.rests { return ("of", "\"\(origin.id)\" rests while nobody listens; it must not") }
    if let delay = station.delay, delay >= window {
      let kept = DurationText.format(window)
      return (
        "delay",
        "\"\(origin.id)\" keeps \(kept); write a shorter delay, or give it a longer window"
      )
    }
    return nil
  }
}
