extension HLSReport {
  struct Caches: Codable {
    var name: String
    var players: Int
    var seconds: Double
    /// What players got.
    var segments: Int
    var lists: Int
    /// What was asked of the relay.
    var relaySegments: Int
    var relayLists: [String: Int]
    /// Segments with different names, among those that players got.
    var names: Int
    /// Connections that players made.
    var connections: Int
    /// A segment's load.
    var milliseconds: Quantiles
    /// Cores of the relay, of the cache, and of who is not part of it.
    var relayCore, cacheCore, others: Double
    var errors: [String]

    init(name: String, players: Int, _ trial: HLSCacheTrial) {
      (self.name, self.players, seconds) = (name, players, trial.seconds)
      (segments, lists) = (trial.load.segments, trial.load.lists)
      (relaySegments, relayLists) = (trial.segments, trial.lists)
      (names, connections) = (trial.load.names, trial.load.connections)
      milliseconds = Quantiles(trial.load.loaded)
      (relayCore, cacheCore, others) = (trial.relay, trial.cache, trial.others)
      errors = trial.load.errors + (trial.load.segments == 0 ? ["no segments"] : [])
    }

    /// The share of segments that did not reach the relay.
    var share: Double { 1 - Double(relaySegments) / Double(max(1, segments)) }
    /// Requests of the relay for each segment.
    var each: Double { Double(relaySegments) / Double(max(1, names)) }
    var relayListsPerSecond: Double { Double(relayLists.values.reduce(0, +)) / seconds }
  }

  var cacheLines: [String] {
    if caches.isEmpty { return [] }
    return [
      "| behind | players | segments got | of the relay | from the cache (>= 99 %) | requests a segment (1.0) | lists "
        + "got | of the relay a second (<= 1.2) | a segment, ms p50 / p99 | connections | core %, relay / cache / "
        + "others | errors |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
      + caches.map {
        let cores = [$0.relayCore, $0.cacheCore, $0.others].map { number($0 * 100) }
        return """
          | \($0.name), \(number($0.seconds, 0)) s | \($0.players) | \($0.segments) | \($0.relaySegments) | \
          \(number($0.share * 100, 3)) % | \(number($0.each, 2)) | \($0.lists) | \
          \(number($0.relayListsPerSecond, 2)) | \(quantiles($0.milliseconds)) | \($0.connections) | \
          \(cores.joined(separator: " / ")) | \(text($0.errors)) |
          """
      } + [""]
      + caches.map {
        let kinds = $0.relayLists.sorted { $0.key < $1.key }.map { "\($1) \($0)" }
        return
          "Lists that were asked of the relay, by \($0.name): \(kinds.joined(separator: ", "))."
      }
  }
}
