import Ingest
import Longwave
import Wire

/// A station and its renditions: the same sound in several qualities.
struct Qualities {
  /// The original, if it is among those that are shown, then the renditions, those of most bits first.
  let stations: [StationSnapshot]

  /// - Parameters:
  ///   - station: The original or a rendition, which is part of it in any case.
  ///   - all: Stopped renditions among them are no choice. Unlisted ones are only where the station is unlisted too.
  init(of station: StationSnapshot, in all: some Sequence<StationSnapshot>) {
    let original = station.renditionOf ?? station.id
    let others = all.filter {
      $0.id != station.id
        && ($0.id == original || $0.renditionOf == original && $0.state != .stopped)
        && ($0.isListed || !station.isListed)
    }
    stations = ([station] + others).sorted {
      ($0.renditionOf == nil ? 0 : 1, $1.bitrate ?? 0) < (
        $1.renditionOf == nil ? 0 : 1, $0.bitrate ?? 0
      )
    }
  }

  /// Returns the qualities of each station, in their order: a rendition stands with its original.
  static func all(_ stations: [StationSnapshot]) -> [(StationSnapshot, Qualities)] {
    let ids = Set(stations.map(\.id))
    let renditions = Dictionary(grouping: stations) { $0.renditionOf ?? "" }
    return stations.filter { !($0.renditionOf.map(ids.contains) ?? false) }.map {
      ($0, Qualities(of: $0, in: renditions[$0.id] ?? []))
    }
  }

  var isChoice: Bool { stations.count > 1 }

  /// Listeners in all qualities.
  var listeners: Int {
    stations.reduce(0) { $0.saturatingAdd($1.listeners.now).saturatingAdd($1.listeners.hls) }
  }

  /// The choice for the page's script; empty where there is none.
  var json: JSON {
    .array(
      isChoice
        ? stations.map { ["id": .string($0.id), "bitrate": JSON($0.bitrate)] } : [])
  }
}
