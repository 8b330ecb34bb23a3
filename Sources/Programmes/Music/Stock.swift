import Wire

/// What there is of a programme's sources at the moment.
public struct Stock: Sendable {
  /// The tracks of each source that was looked through; a source without an entry is waited for.
  public var catalogues: [Source: Catalogue]
  /// Tracks that the queue names by their keys.
  public var queued: Catalogue?
  /// The stations that play, of those that the programme names.
  public var stations: Set<String>

  public init(
    _ catalogues: [Source: Catalogue] = [:], queued: Catalogue? = nil, stations: Set<String> = []
  ) {
    (self.catalogues, self.queued, self.stations) = (catalogues, queued, stations)
  }

  func has(_ source: Source) -> Bool {
    if let station = source.station { return stations.contains(station) }
    return catalogues[source].map { !$0.isEmpty } ?? false
  }

  /// Whether it is known what a source has, or what is queued.
  func knows(_ source: Source?) -> Bool {
    source.map { catalogues[$0] != nil } ?? (queued != nil)
  }

  func track(_ key: TrackKey, of source: Source?) -> Catalogue.Track? {
    source.flatMap { catalogues[$0]?.track(key) } ?? queued?.track(key)
  }
}
