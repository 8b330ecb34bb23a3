import Reactor
import Server
import Timeshift

/// What supervisors are told of a relay, besides its stations.
package struct RelayMetrics: Sendable {
  package var figures: RelayFigures
  package var time = Moment.now().wall
  package var server = ServerMetrics()
  /// The loop that pulls all upstreams; nil in tests without one.
  package var ingest: LoopFigures?
  package var storage = StorageFigures()
  /// Counts by station.
  package var counts: [String: StationCounts] = [:]
  /// Recordings by state.
  package var recordings: [Recording.State: Int] = [:]
  package var library = LibraryReport()
  package var configuration: ConfigurationMetrics

  package init(figures: RelayFigures) {
    self.figures = figures
    configuration = ConfigurationMetrics(takenOverAt: figures.startedAt)
  }
}

/// What became of the last attempt to take a configuration over.
package struct ConfigurationMetrics: Sendable {
  package var isLastSuccessful = true
  /// When one was last taken over, at the start or later.
  package var takenOverAt: WallTime

  package init(takenOverAt: WallTime) { self.takenOverAt = takenOverAt }
}
