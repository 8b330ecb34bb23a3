import Longwave

// Fallbacks that come later than players run dry.
extension ConfigurationReport {
  /// One line for each station whose listeners would hear nothing for a while.
  var holes: [String] {
    configuration.stations.compactMap { station in
      let (burst, hole) = configuration.fallbackHole(of: station)
      guard hole > 0 else { return nil }
      let after = HumanText.duration(station.fallbackAfter)
      return "/\(station.id)  fallback-after: \(after) is longer than the burst of "
        + "\(HumanText.duration(burst)): where an upstream breaks off, players have nothing for "
        + "\(HumanText.duration(hole)); shorten it, or lengthen the burst"
    }
  }
}
