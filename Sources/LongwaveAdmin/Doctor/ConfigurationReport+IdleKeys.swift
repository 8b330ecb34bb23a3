import Longwave
import Wire

// Keys that are right and change nothing, which people do not expect of what they write.
extension ConfigurationReport {
  /// One line for each.
  var idleKeys: [String] {
    let originals = Set(configuration.stations.compactMap(\.renditionOf))
    return configuration.stations.flatMap { station -> [String] in
      var lines: [String] = []
      if station.stepsDown, !originals.contains(station.id) {
        lines.append(
          "/\(station.id)  step-down: true has no effect without renditions; write renditions: [64], "
            + "or add one by command")
      }
      if let encode = station.encode, encode.isMono, encode.mode == .stereo {
        lines.append(
          "/\(station.id)  mode: stereo has no effect beside mono: true; leave one of "
            + "them out")
      }
      return lines
    }
  }
}
