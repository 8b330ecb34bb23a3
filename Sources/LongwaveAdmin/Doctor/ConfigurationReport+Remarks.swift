import Longwave
import Server
import Wire

extension StationDefinition {
  /// Returns what to do where the station that listeners fall back to has a fallback of its own; nil where it has none.
  func fallbackChain(among station: (String) -> StationDefinition?) -> String? {
    guard case .station(let other)? = fallback, let further = station(other)?.fallback else {
      return nil
    }
    return
      "fallback: listeners of \(id) get station:\(other), but not its own fallback \(further.text): "
      + "while \(other) is away as well they hear nothing; give \(other) a further upstream:, or name "
      + "here what is always there"
  }
}

// What is no mistake, and may not be meant.
extension ConfigurationReport {
  /// One line for each key that is right and changes nothing, which people do not expect of what they write.
  var idleKeys: [String] {
    let originals = Set(configuration.stations.compactMap(\.renditionOf))
    let byID = Dictionary(configuration.stations.map { ($0.id, $0) }) { first, _ in first }
    return strangers + absentRoots + pathOfPublicURL + configuration.hlsRemarks
      + configuration.stations.flatMap { station -> [String] in
        var lines: [String] = []
        lines += station.upstream.compactMap(UpstreamNote.hls).map { "/\(station.id)  \($0)" }
        lines += configuration.loops(of: station, among: byID).map { url, ids in
          "/\(station.id)  upstream: \(url) is this relay itself, and goes round in a circle: "
            + ids.joined(separator: ", ") + "; name the broadcaster's own address"
        }
        // A folder that does not answer would hold up the check.
        if station.programme != nil, folders?.silent.isEmpty == true,
          let problem = station.filesProblem
        {
          lines.append(
            "/\(station.id)  \(problem.key): \(problem.message); the station waits for it")
        }
        if let chain = station.fallbackChain(among: { byID[$0] }) {
          lines.append("/\(station.id)  \(chain)")
        }
        if station.stepsDown, !originals.contains(station.id) {
          lines.append(
            "/\(station.id)  step-down: true has no effect without renditions; write renditions: [64], "
              + "or add one by command")
        }
        let allowsShift = station.listenerSettings(configuration.listeners).allowsShift
        if !allowsShift, station.shows.contains(where: { $0.rule != nil }) {
          lines.append(
            "/\(station.id)  shift: false keeps from listeners what shows record: "
              + "/listen/\(station.id)/shows offers none of it; write shift: true, or record: of the station"
          )
        }
        if let encode = station.encode, encode.isMono, encode.mode == .stereo {
          lines.append(
            "/\(station.id)  mode: stereo has no effect beside mono: true; leave one of "
              + "them out")
        }
        return lines
      }
      + configuration.programmeRemarks.map { "/\($0.station)  \($0.text)" }
  }

  /// Folders of music that are not there; a disk that does not answer would hold up the check.
  private var absentRoots: [String] {
    guard folders?.silent.isEmpty == true else { return [] }
    return configuration.rootProblems.map { "library.roots  \($0.text); the relay waits for it" }
  }

  /// The pages' own addresses begin at the root of a host.
  private var pathOfPublicURL: [String] {
    guard let url = configuration.server.publicURL, !URLText.path(url).isEmpty else { return [] }
    return [
      "server.public-url  \(url) has a path: players find streams and playlists there, browsers no pages; "
        + "give the relay a name of its own"
    ]
  }

  /// Stations that webhooks name and the file does not have; they may have been added by command.
  private var strangers: [String] {
    let known = Set(configuration.stations.map(\.id))
    return configuration.webhooks.enumerated().flatMap { index, webhook in
      webhook.stations.filter { !known.contains($0) }.map {
        "webhooks[\(index)]  stations: " + KeySuggestion.noStation($0, among: known)
          + " (one that was added by command counts)"
      }
    }
  }

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
