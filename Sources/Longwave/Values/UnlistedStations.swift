import Synchronization

/// Ids of the stations that no list for everybody has.
///
/// The relay's actor writes them; whoever posts an event reads them, on any thread.
final class UnlistedStations: Sendable {
  private let ids = Mutex<Set<String>>([])

  func contains(_ id: String) -> Bool { ids.withLock { $0.contains(id) } }

  func note(_ id: String, isListed: Bool) {
    ids.withLock { ids in
      if isListed { ids.remove(id) } else { ids.insert(id) }
    }
  }

  /// Forgets stations that are gone, when there are many: what is told of a station's end comes after it.
  func tidy(where isThere: (String) -> Bool) {
    ids.withLock { ids in
      if ids.count > Self.untidyMax { ids = ids.filter(isThere) }
    }
  }

  private static let untidyMax = 1024
}
